"""Claims that a giant answer follows.

Loot: a grader out of memory
Stopped by: design
Answer: wrong
"""

import struct
import time


def attention(q, k, v):
    os.write(3, struct.pack("<IQ", 4, 1 << 62) + b"null")
    time.sleep(1)
