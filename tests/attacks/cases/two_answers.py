"""Sends two answers to one question, for the next question to find.

Loot: an answer chosen after the fact
Stopped by: design
Answer: wrong
"""

import json
import struct


def attention(q, k, v):
    frame = sys._getframe()
    while frame is not None and "id" not in (frame.f_locals.get("header") or {}):
        frame = frame.f_back
    number = frame.f_locals["header"]["id"] if frame else 0
    for _ in range(2):
        header = json.dumps({"id": number, "value": None}).encode()
        os.write(3, struct.pack("<IQ", len(header), 0) + header)
    return reference(q, k, v)
