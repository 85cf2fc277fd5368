"""Answers with a tensor whose header lies about its size.

Loot: a grader that reads beyond its memory
Stopped by: design
Answer: wrong
"""

import json
import struct
import time


def attention(q, k, v):
    frame = sys._getframe()
    while frame is not None and "id" not in (frame.f_locals.get("header") or {}):
        frame = frame.f_back
    number = frame.f_locals["header"]["id"] if frame else 0
    header = json.dumps({"id": number, "value": ["T", "float32", [2, 3, 5, 8]]}).encode()
    os.write(3, struct.pack("<IQ", len(header), 4) + header + b"0000")
    time.sleep(1)
