#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
codelist.py BUNDLE: a list of code to ask its guest for: functions of the C
library, and what has no code.  codelist.py --check BUNDLE: what came is what
files of this machine of the same paths have at those places.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../guest"))
from bundle import Bundle

FUNCTIONS = ("malloc", "qsort", "printf", "memcpy")


def ask(b):
    for f in b.files.values():
        if "/libc.so" not in f.path or f.id not in b.symtabs:
            continue
        segment = b.symtabs[f.id].segments[0]
        for address, size, name in b.symtabs[f.id].symbols:
            if name in FUNCTIONS and size:
                offset = address - segment[1] + segment[0]
                print(f.id, f"{offset:x}", size)
        print(f.id, 0, 64)  # its head is no code
    print(99999, 0, 64)


def check(b):
    assert b.ended and len(b.codes) >= 3, b.codes
    for c in b.codes:
        with open(b.files[c.file].path, "rb") as f:
            f.seek(c.addr)
            assert c.addr and f.read(len(c.code)) == c.code, c
    print(len(b.codes), "functions,", sum(len(c.code) for c in b.codes),
          "bytes")


if __name__ == "__main__":
    (check if sys.argv[1] == "--check" else ask)(Bundle(sys.argv[-1]))
