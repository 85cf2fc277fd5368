"""Writes answers on the grader's channel before it asks.

Loot: full points for a wrong answer
Stopped by: design
Answer: wrong
"""

import json
import struct

for handle in range(3, 64):
    for number in range(4):
        header = json.dumps({"id": number, "value": None}).encode()
        attempt(os.write, handle, struct.pack("<IQ", len(header), 0) + header)
