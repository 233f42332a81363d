#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""chain_ends.py SESSION CASES: are the chains of hostilevm (its output: CASES)
those that it was built to have?  Reads the records by itself.
chain_ends.py --none SESSION CASES: has no guest sample of it a chain?
"""
import glob
import struct
import sys

from packed import CHAIN, PACKED, Unpacker

SAMPLE = 1
S_GUEST, S_STATE = 0x80, 0x20
C_GUEST, C_REF, C_REGS, C_STATE = 1, 2, 8, 0x20
MOVED, BUSY = 8, 9
LEAST = 10          # samples of a case


def records(path):
    with open(path, 'rb') as f:
        data = f.read()
    at = struct.unpack_from('<H', data, 14)[0]
    unpacker = Unpacker()
    while at + 16 <= len(data):
        kind, size, flags, tsc = struct.unpack_from('<HHIQ', data, at)
        if not size or at + size > len(data):
            break
        rec = data[at:at + size]
        at += size
        if kind == PACKED:
            rec = unpacker.whole(rec)
            kind, _, flags, tsc = struct.unpack_from('<HHIQ', rec)
        yield kind, flags, tsc, rec


def chain(flags, rec, known):
    """end_kernel, end_user, user addresses of a guest's chain; known: by id."""
    ident, kernel, user, end_kernel, end_user = struct.unpack_from('<IHHBB', rec, 16)
    if flags & C_REF:
        words = known[ident]
    else:
        at = 32 + (32 if flags & C_REGS else 0) + (32 if flags & C_STATE else 0)
        words = struct.unpack_from(f'<{kernel + user}Q', rec, at)
        if ident:
            known[ident] = words
    return end_kernel, end_user, kernel, list(words[kernel:kernel + user])


def read(session):
    """(PC, kernel mode, chain or None) of each sample of guest code."""
    for path in sorted(glob.glob(f'{session}/cpu-*.rec')):
        known, samples = {}, {}
        for kind, flags, tsc, rec in records(path):
            if kind == SAMPLE and flags & S_GUEST and flags & S_STATE:
                pc, = struct.unpack_from('<Q', rec, 40)
                samples[tsc] = [pc, None]
            elif kind == CHAIN:
                found = chain(flags, rec, known)
                if flags & C_GUEST and tsc in samples:
                    samples[tsc][1] = found
        yield from samples.values()


def main():
    none = '--none' in sys.argv
    session, cases = [a for a in sys.argv[1:] if a != '--none']
    want, seen, bad, resident = {}, {}, [], None
    for line in open(cases):
        name, *rest = line.split()
        if name == 'resident':
            resident = int(rest[0])
            continue
        pc, mode, ends, user = rest
        want[int(pc, 16)] = name, mode, {int(e) for e in ends.split(',')}, user
    for pc, got in read(session):
        if pc not in want:
            continue
        name, mode, ends, user = want[pc]
        tally = seen.setdefault(name, {})
        if none or got is None:
            tally['none'] = tally.get('none', 0) + 1
            if none and got is not None:
                bad.append(f'{name}: it has a chain')
            continue
        end_kernel, end_user, _, addresses = got
        end = end_user
        tally[end] = tally.get(end, 0) + 1
        if end in (MOVED, BUSY):
            continue
        if end not in ends:
            bad.append(f'{name}: ends with {end} (its kernel part {end_kernel})')
        known = user not in '?-' and [int(a, 16) for a in user.split(',')]
        if user == '-':
            known = []
        if known is not False and addresses != known:
            bad.append(f'{name}: {addresses} instead of {known}')
        if (mode == 'user') != (not end_kernel) and not none:
            bad.append(f'{name}: a kernel part in user mode, or none in kernel mode')
    for name, *_ in want.values():
        tally = seen.get(name, {})
        print(f'{name}: ' + ', '.join(f'{n} {"without" if e == "none" else f"end {e}"}'
                                      for e, n in sorted(tally.items(), key=str)))
        right = sum(n for e, n in tally.items() if none or e not in ('none', MOVED, BUSY))
        if right < (1 if none else LEAST):
            bad.append(f'{name}: {right} samples of it')
    if resident != 0:
        bad.append(f'{resident} pages are there that nobody should have touched')
    print('\n'.join(bad[:20]))
    return bool(bad)


sys.exit(main())
