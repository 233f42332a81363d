# SPDX-License-Identifier: GPL-2.0-only
"""Reads a message of protobuf, for the cases that look into a pprof file."""


def fields(data):
    """Field number and value of each field of a protobuf message."""
    i = 0

    def varint():
        nonlocal i
        v = shift = 0
        while True:
            v |= (data[i] & 127) << shift
            shift += 7
            i += 1
            if data[i - 1] < 128:
                return v

    while i < len(data):
        tag = varint()
        value = varint()
        if tag & 7 == 2:
            i += value
            value = data[i - value:i]
        else:
            assert tag & 7 == 0
        yield tag >> 3, value
    assert i == len(data)
