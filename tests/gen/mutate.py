#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mutate.py SESSION NEW KIND SEED: a copy of a session whose records are damaged.

KIND: drop (records are missing), switches (of these alone), swap (neighbours
are in the wrong order), disorder (others are), skew (each CPU has its own TSC),
lost (stretches are missing, with LOST records), bits (are flipped), clock
(guests' clocks change), tasks (IDENTITY records come, of few numbers), threads
(records are another thread's, vCPU's, event's or CPU's, or come twice), cut (files
end early).  The same for the same SEED."""
import os
import random
import shutil
import struct
import sys

SAMPLE, LOST, VCPU, IDENTITY, OUT = 1, 2, 4, 6, 16
TGIDS = 0, 1, 7, 8, 10, 11, 100, 101, 102, 200, 300, 1000, 1001, 1002, 2000


def kind_of(rec):
    return struct.unpack_from('<H', rec)[0]


def tsc(rec):
    return struct.unpack_from('<Q', rec, 8)[0]


def read(data):
    """The records behind a file header of 32 bytes."""
    at = 32
    while at < len(data):
        size = struct.unpack_from('<H', data, at + 2)[0]
        yield bytearray(data[at:at + size])
        at += size


def exchange(recs, rate, far):
    for i in range(len(recs)):
        if random.random() < rate:
            j = min(len(recs) - 1, i + random.randint(1, far))
            recs[i], recs[j] = recs[j], recs[i]
    return recs


def lose(recs):
    out, gap = [], []
    left = 0
    for r in recs:
        if not left and random.random() < 0.01:
            left = random.randint(1, 30)
        if not left:
            out.append(r)
            continue
        gap.append(r)
        left -= 1
        if not left:
            nr = sum(kind_of(g) == SAMPLE for g in gap)
            out.append(struct.pack('<HHI5Q', LOST, 48,
                                   0 if nr else random.randint(0, 1), tsc(r),
                                   nr, tsc(gap[0]), tsc(r), len(gap) - nr))
            gap = []
    return out


def flip(recs):
    for r in recs:
        if random.random() < 0.02:
            r[random.randint(4, 7)] ^= 1 << random.randint(0, 7)
        if random.random() < 0.05:
            r[random.randrange(16, len(r))] ^= 1 << random.randint(0, 7)
    return recs


def change_clocks(recs):
    known = [r for r in recs if kind_of(r) == VCPU]
    out = []
    for r in recs:
        out.append(r)
        if known and random.random() < 0.02:
            new = bytearray(random.choice(known))
            struct.pack_into('<Q', new, 8, tsc(r))
            struct.pack_into('<Q', new, 32, random.randrange(10**12))
            out.append(new)
    return out


def tell_tasks(recs):
    out = []
    first = random.randrange(len(recs) // 2 + 1)  # samples before it have none
    for i, r in enumerate(recs):
        if kind_of(r) == SAMPLE:
            pid = struct.unpack_from('<I', r, 16)[0]
            if i >= first and random.random() < 0.1:
                tgid = random.choice(TGIDS)
                tid = random.choice((tgid, tgid, tgid + 1))
                out.append(struct.pack('<HHIQIIIIQQ16s', IDENTITY, 64,
                                       random.choice((0, 0, 1, 2)), tsc(r),
                                       random.randint(14, 20), pid, tgid, tid,
                                       0, 0, random.choice((b'w', b'x'))))
            if random.random() < 0.8:
                struct.pack_into('<I', r, 92,
                                 random.choice((1, 16, 17, 18, 19, 20)))
        out.append(r)
    return out


def change_threads(recs):
    out = []
    rate = random.choice((0.001, 0.02, 0.1))
    # of a sample: tid, vcpu_id, cpu; of a switch record: its first members
    members = (20, 68, 76), (16, 20, 24, 28)
    for r in recs:
        sample = kind_of(r) == SAMPLE
        if (sample or kind_of(r) >= OUT) and random.random() < rate:
            struct.pack_into('<I', r, random.choice(members[not sample]),
                             random.choice((0, 1, 2, 3, 5, 100, 1001)))
        if sample and random.random() < rate / 4:
            r[74] = random.choice((0, 1, 9))  # event
        out.append(r)
        if random.random() < rate / 4:
            out.append(bytearray(r))
    return out


def skew(recs):
    by = random.randrange(-3000000, 3000000)
    for r in recs:
        struct.pack_into('<Q', r, 8, max(1, tsc(r) + by))
    return recs


MUTATIONS = {
    'drop': lambda recs: [r for r in recs if random.random() >= 0.05],
    'switches': lambda recs: [r for r in recs if kind_of(r) < OUT or
                              random.random() >= 0.2],
    'swap': lambda recs: exchange(recs, 0.1, 1),
    'disorder': lambda recs: exchange(recs, 0.02, 40),
    'skew': skew,
    'lost': lose,
    'bits': flip,
    'clock': change_clocks,
    'tasks': tell_tasks,
    'threads': change_threads,
    'cut': lambda recs: recs,
}


def main():
    src, dst, kind = sys.argv[1:4]
    random.seed(int(sys.argv[4]))
    shutil.copytree(src, dst)
    for name in sorted(os.listdir(dst)):
        if not name.startswith('cpu-'):
            continue
        path = os.path.join(dst, name)
        with open(path, 'rb') as f:
            data = f.read()
        data = data[:32] + b''.join(MUTATIONS[kind](list(read(data))))
        if kind == 'cut':
            data = data[:random.randint(32, len(data))]
        with open(path, 'wb') as f:
            f.write(data)


main()
