"""Answers with deeply nested JSON.

Loot: a grader that crashes
Stopped by: design
Answer: wrong
"""

import struct
import time


def attention(q, k, v):
    os.write(3, struct.pack("<IQ", 200000, 0) + b"[" * 200000)
    time.sleep(1)
