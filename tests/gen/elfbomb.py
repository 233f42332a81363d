#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""elfbomb.py FILE [--id HEX] [--name NAME] [--count N] [--length BYTES] [--xz]

A shared object for x86-64 with one page of code and a symbol table of N
functions, all of which have the one name NAME, made BYTES long: the file holds
that name once, a reader that copies names has it N times.  --xz: the table is
in .gnu_debugdata, packed."""

import argparse
import lzma
import struct

PAGE = 4096
NAMES = b"\0.text\0.symtab\0.strtab\0.shstrtab\0.gnu_debugdata\0"


def header(sections, at, segments):
    """ELF header; the section table lies at AT, its names come last."""
    return struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0,
                       64 if segments else 0, at, 0, 64, 56, segments, 64,
                       sections, sections - 1)


def section(name, kind, flags=0, addr=0, at=0, size=0, link=0, entry=0):
    index = NAMES.index(b"\0" + name + b"\0") + 1 if name else 0
    return struct.pack("<IIQQQQIIQQ", index, kind, flags, addr, at, size, link,
                       0, 8, entry)


def build(extra, segments, text_at, text_size):
    """An ELF file: text_at is where its code lies; extra: (section, bytes)."""
    data = bytearray(64 + len(segments))
    table = [section(b"", 0),
             section(b".text", 1, 6, PAGE, text_at, text_size)]
    for make, content in extra:
        data += bytes(-len(data) % 8)
        table.append(make(len(data)))
        data += content
    table.append(section(b".shstrtab", 3, at=len(data), size=len(NAMES)))
    data += NAMES
    data += bytes(-len(data) % 8)
    data[:64] = header(len(table), len(data), len(segments) // 56)
    data[64:64 + len(segments)] = segments
    return data + b"".join(table)


def symbols(name, count, index):
    """.symtab and .strtab, section @index, of functions one byte apart."""
    table = bytes(24) + b"".join(
        struct.pack("<IBBHQQ", 1, 0x12, 0, 1, PAGE + i, 1)
        for i in range(count))
    strings = b"\0" + name + b"\0"
    return [(lambda at: section(b".symtab", 2, at=at, size=len(table),
                                link=index, entry=24), table),
            (lambda at: section(b".strtab", 3, at=at, size=len(strings)),
             strings)]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("file")
    p.add_argument("--id", default="")
    p.add_argument("--name", default="a_function")
    p.add_argument("--count", type=int, default=1)
    p.add_argument("--length", type=int, default=0)
    p.add_argument("--xz", action="store_true")
    o = p.parse_args()

    name = o.name.encode().ljust(o.length, b"n")
    extra = symbols(name, o.count, 3 if o.xz else 4)
    if o.xz:
        packed = lzma.compress(build(extra, b"", 0, o.count), preset=1)
        extra = [(lambda at: section(b".gnu_debugdata", 1, at=at,
                                     size=len(packed)), packed)]
    # code is the page behind the headers and the note
    note = struct.pack("<III4s", 4, len(o.id) // 2, 3, b"GNU\0")
    note += bytes.fromhex(o.id)
    load = struct.pack("<IIQQQQQQ", 1, 5, PAGE, PAGE, PAGE, PAGE, PAGE, PAGE)
    noted = struct.pack("<IIQQQQQQ", 4, 4, 176, 176, 176, len(note), len(note),
                        4)
    page = [(lambda at: section(b"", 8), note.ljust(2 * PAGE - 176, b"\0"))]
    data = build(page + extra, load + noted, PAGE, PAGE)
    with open(o.file, "wb") as f:
        f.write(data)


main()
