#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t230_hostile_bundles.py DIR: bundles as an attacker would write them, one a
file in DIR, named by what is wrong with it."""
import os
import struct
import sys


def item(kind, body, size=None):
    data = struct.pack('<II', kind, 8 + len(body) if size is None else size)
    return data + body + bytes(-len(body) % 8)


def header(kind=3, version=2, min_version=2, size=32):
    return struct.pack('<8sHHHHIIQ', b'VMMPROF\n', kind, version, min_version,
                       size, 0, 0, 0)


def symtab(file, segments, symbols, strings, body):
    return item(22, struct.pack('<IIII', file, segments, symbols, strings) +
                body)


TEXT = item(1, b'from=watch\nphys_mask=ffffffffff000\n')
MM = item(18, struct.pack('<QQIIII16s', 1, 0x2000, 1, 7, 7, 0, b'prog'))
PROC = item(19, struct.pack('<QIIII16s', 1, 1, 7, 0, 0, b'prog') + b'\0')
MAP = item(20, struct.pack('<QQQQII', 1, 0x400000, 0x401000, 0, 7, 1))
PROCESS = TEXT + MM + PROC + MAP


def file_item(path, number=1):
    return item(21, struct.pack('<IIQQ20sB3s', number, 0, 0, 0, b'', 0, b'') +
                path)


NAMED = file_item(b'/bin/prog\0')
GOOD = symtab(1, 1, 1, 6, struct.pack('<QQQ', 0, 0x400000, 0x1000) +
              struct.pack('<QII', 0x400000, 0x1000, 1) + b'\0work\0')

BUNDLES = {
    'good': PROCESS + NAMED + GOOD,
    'a-size-of-zero': PROCESS + item(18, b'', 0),
    'a-size-past-the-end': PROCESS + item(18, b'', 0xfffffff0),
    'symbols-without-end': PROCESS + NAMED + symtab(1, 1, 0xffffffff, 1,
                                                    bytes(64)),
    'counts-that-overflow': PROCESS + NAMED + symtab(
        1, 0x0aaaaaab, 0x10000000, 0, bytes(64)),
    'a-name-outside-the-strings': PROCESS + NAMED + symtab(
        1, 1, 1, 1, struct.pack('<QQQ', 0, 0x400000, 0x1000) +
        struct.pack('<QII', 0x400000, 0x1000, 0x7fffffff) + b'\0'),
    'names-that-are-ends-of-one': PROCESS + NAMED + symtab(
        1, 1, 200, 8 << 20, struct.pack('<QQQ', 0, 0x400000, 0x1000) +
        b''.join(struct.pack('<QII', 0x400000 + n * 16, 16, n)
                 for n in range(200)) + b'A' * ((8 << 20) - 1) + b'\0'),
    'strings-without-nul': PROCESS + NAMED + symtab(
        1, 1, 1, 4, struct.pack('<QQQ', 0, 0x400000, 0x1000) +
        struct.pack('<QII', 0x400000, 0x1000, 0) + b'work'),
    'a-path-without-nul': PROCESS + file_item(b'/bin/prog' * 8),
    'symbols-of-no-file': PROCESS + symtab(99, 0, 0, 1, b'\0'),
    'the-same-file-twice': PROCESS + NAMED + NAMED,
    'a-mapping-upside-down': PROCESS + item(20, struct.pack(
        '<QQQQII', 1, 0x401000, 0x400000, 0, 7, 1)),
    'a-mapping-beyond-the-end': PROCESS + item(20, struct.pack(
        '<QQQQII', 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 1, 7, 1)),
    'jit-code-that-wraps': PROCESS + item(25, struct.pack(
        '<QQQII', 1, (1 << 64) - 16, 32, 7, 1) + b'f\0'),
    'one-endless-symbol': PROCESS + item(
        16, b'ffffffff81000000 T ' + b'a' * (4 << 20)),
    'many-functions': PROCESS + item(16, b'1 t a\n' * 2000007),
    'many-processes': TEXT + b''.join(
        item(18, struct.pack('<QQIIII16s', n, n << 12, 3, n, n, 0, b'x'))
        for n in range(1, 200000)),
    'many-clocks': PROCESS + b''.join(
        item(2, struct.pack('<QQQ', n * 7919 % 65536, n, 0))
        for n in range(200000)),
    'a-billion-lost': PROCESS + item(23, struct.pack('<QII', 10**9, 1, 0)),
    'a-file-of-the-host': PROCESS + file_item(b'/etc/shadow\0'),
    'a-way-up': PROCESS + file_item(b'/../../../../etc/shadow\0'),
}

top = sys.argv[1]
for name, body in BUNDLES.items():
    with open(os.path.join(top, name), 'wb') as f:
        f.write(header() + body + item(4, struct.pack('<Q', 1)))
RAW = {
    'nothing': b'',
    'no-bundle': b'#!/bin/sh\n' * 100,
    'a-recording': header(kind=2) + bytes(96),
    'of-the-future': header(version=99, min_version=99),
    'of-the-past': header(version=1, min_version=1),
    'a-header-of-4-gib': header(size=0xfff8),
    'cut': (header() + PROCESS + NAMED + GOOD)[:-7],
}
for name, data in RAW.items():
    with open(os.path.join(top, name), 'wb') as f:
        f.write(data)
os.mkfifo(os.path.join(top, 'a-fifo'))
os.symlink('/dev/zero', os.path.join(top, 'a-device'))
os.mkdir(os.path.join(top, 'a-directory'))
