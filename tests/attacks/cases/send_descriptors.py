"""Sends open files along with an answer.

Loot: a grader that runs out of descriptors
Stopped by: design
Answer: wrong
"""

import array
import socket
import struct


def attention(q, k, v):
    channel = socket.socket(fileno=os.dup(3))
    header = b"{}"
    frame = struct.pack("<IQ", len(header), 0) + header
    channel.sendmsg([frame], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 50))])
    return torch.zeros_like(v)
