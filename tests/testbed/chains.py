#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""chains.py WHAT SESSION DEEP [KALLSYMS]: the raw CHAIN records of a session against what is known.

guest-user, host-user: of samples in deep's user mode, which chains there are.
guest-kernel: of samples in the guest's kernel, those that come from deep's system calls.
exits: of samples in exit handling, both chains (KALLSYMS: the host's).
out: of OUT records of vCPUs in KVM_RUN, both chains.
stacks: copies of user stacks have the frames of the chain.
ends: of guests that are hostile: every reason but one is there, and no chain is longer than it may be.
nested: no sample of a guest's guest has a chain of a guest.
sums: each sample has its chains, references lead to data, bytes a sample.
"""
import collections
import glob
import struct
import subprocess
import sys

from packed import CHAIN, PACKED, Unpacker

SAMPLE, LOST, OUT = 1, 2, 16
USER, VCPU, STATE, OWN, GUEST, L2 = 2, 8, 0x20, 0x40, 0x80, 0x100
C_GUEST, C_REF, C_WORDS, C_REGS, C_OUT, C_STATE = 1, 2, 4, 8, 16, 32
END = ('none', 'done', 'depth', 'frame', 'unmapped', 'no memory', 'not present', 'unwinder', 'moved', 'busy', 'room',
       'bits')
FRAMELESS = 'leaf', 'ask'  # their return address is the word at RSP
Chain = collections.namedtuple('Chain', 'flags kernel user end_kernel end_user regs stack')


class Record:
    """A SAMPLE or OUT record, with the chains that belong to it."""
    def __init__(self, kind, flags, tsc, body):
        self.kind, self.flags, self.tsc, self.host, self.guest, self.state = kind, flags, tsc, None, None, None
        if kind == SAMPLE:
            self.pid, self.tid, self.ip, _, self.guest_ip, cr3, self.reason, _, ar = struct.unpack_from('<2I4Q3I', body, 16)
            self.cpl = ar >> 5 & 3
            self.space = cr3 >> 13  # with page table isolation a process has two CR3


def records(path):
    """All of a file, in order; chains found by their time stamp, and by nothing else."""
    data, at, seen, known, unpacker = open(path, 'rb').read(), 32, {}, {}, Unpacker()
    while at + 16 <= len(data):
        kind, size, flags, tsc = struct.unpack_from('<HHIQ', data, at)
        body = data[at:at + size]
        at += size
        if kind == PACKED:
            body = unpacker.whole(body)
            kind, size, flags, tsc = struct.unpack_from('<HHIQ', body)
        if kind in (SAMPLE, OUT):
            seen[kind, tsc] = Record(kind, flags, tsc, body)
            yield seen[kind, tsc]
        elif kind == LOST:
            yield (kind, flags, *struct.unpack_from('<4Q', body, 16))
        elif kind == CHAIN:
            ident, nk, nu, ek, eu, _, stack = struct.unpack_from('<IHHBBHI', body, 16)
            off, regs, copy = 32, None, ()
            if flags & C_REGS:
                regs, off = struct.unpack_from('<4Q', body, off), off + 32
            if flags & C_STATE:
                seen[OUT, tsc].state = struct.unpack_from('<3QI', body, off)
                off += 32
            if flags & C_REF:
                was, words = known[ident]
                assert was == (nk, nu), f'record refers to {was}, has {nk}, {nu}'
            else:
                words = struct.unpack_from(f'<{nk + nu}Q', body, off)
                assert size == (off + 8 * (nk + nu) + stack + 15) // 16 * 16, 'size'
                copy = struct.unpack_from(f'<{stack // 8}Q', body, off + 8 * (nk + nu))
                if ident:
                    known[ident] = (nk, nu), words
            owner = seen[OUT if flags & C_OUT else SAMPLE, tsc]
            chain = Chain(flags, words[:nk], words[nk:], END[ek], END[eu], regs, copy)
            which = 'guest' if flags & C_GUEST else 'host'
            assert getattr(owner, which) is None, f'two {which} chains'
            setattr(owner, which, chain)


def symbols(text):
    syms = sorted((int(f[0], 16), f[2]) for f in map(str.split, text.splitlines()) if len(f) >= 3 and f[1] in 'tTwW')
    return [s[0] for s in syms], [s[1] for s in syms]


def lookup(table, ip):
    import bisect
    i = bisect.bisect_right(table[0], ip) - 1
    return table[1][i] if i >= 0 else '?'


def share(part, whole, least):
    print(f'{part} of {whole}: {100 * part / max(whole, 1):.2f} %')
    if part < least * whole or whole < 100:
        sys.exit(f'too few; at least {100 * least} % of 100 or more')


def known_below(names, first, counts):
    """names are so many times first, main and one of the C library."""
    n = names.count(first)
    return n in counts and names[:n] == [first] * n and names[n:n + 1] == ['main'] and len(names) <= n + 2


def main():
    what, session, deep = sys.argv[1:4]
    table = symbols(subprocess.run(['nm', deep], check=True, text=True, stdout=subprocess.PIPE).stdout)
    everything = [r for f in sorted(glob.glob(session + '/cpu-*.rec')) for r in records(f)]
    samples = [r for r in everything if isinstance(r, Record) and r.kind == SAMPLE]
    seen = collections.Counter()

    def name(ip, of_return=True):
        return lookup(table, ip - of_return)

    if what in ('guest-user', 'host-user'):
        good = 0
        guest = what == 'guest-user'
        inside = [s for s in samples if (s.flags & GUEST != 0) == guest and (s.cpl == 3 if guest else s.flags & USER) and
                  name(s.guest_ip if guest else s.ip, False) in ('leaf', 'down', 'level', 'ask', 'main')]
        # other programs have code at the same addresses
        deep = collections.Counter(s.space if guest else s.pid for s in inside).most_common(1)
        for s in inside:
            chain, ip = (s.guest, s.guest_ip) if guest else (s.host, s.ip)
            if (s.space if guest else s.pid) != deep[0][0]:
                continue
            names = [name(u) for u in chain.user] if chain else None
            if names and name(ip, False) in FRAMELESS:
                names.insert(0, name(chain.regs[2]))
            ok = names and {'leaf': known_below(names, 'down', (13, 5)), 'ask': known_below(names, 'level', (7,)),
                            'down': known_below(names, 'down', range(13)), 'main': len(names) <= 1,
                            'level': known_below(names, 'level', range(7))}[name(ip, False)]
            good += bool(ok)
            seen[name(ip, False), tuple(names or ()) if not ok else 'good', chain and chain.end_user] += 1
        print(*(f'{n} {k}' for k, n in seen.most_common(12)), sep='\n')
        share(good, sum(seen.values()), 0.99)
    elif what == 'guest-kernel':
        good = 0
        inside = [s for s in samples if s.flags & GUEST and s.cpl == 3 and
                  name(s.guest_ip, False) in ('leaf', 'down', 'level', 'ask')]
        space = collections.Counter(s.space for s in inside).most_common(1)[0][0]
        # a process before deep or after it may have had the same page table
        times = [s.tsc for s in inside if s.space == space and s.guest and 'main' in map(name, s.guest.user)]
        for s in samples:
            if not s.flags & GUEST or s.cpl == 3 or s.space != space or not min(times) <= s.tsc <= max(times):
                continue
            c = s.guest
            names = [name(u, i > 0) for i, u in enumerate(c.user)] if c else []
            if names and names[0] in FRAMELESS:
                names.insert(1, name(c.regs[2]))
            ok = c and c.end_kernel == 'done' and names and \
                (known_below(names[1:], 'level', (7,)) if names[0] == 'ask' else names[0] in ('down', 'level', 'main') or
                 known_below(names[1:], 'down', (13, 5)))
            good += bool(ok)
            seen['good' if ok else (tuple(names), c and (c.end_kernel, c.end_user, len(c.kernel)), hex(s.guest_ip))] += 1
        print(*(f'{n} {k}' for k, n in seen.most_common(12)), sep='\n')
        share(good, sum(seen.values()), 0.97)
    elif what == 'exits':
        host = symbols(open(sys.argv[4]).read())
        good = 0
        for s in samples:
            if s.flags & (VCPU | STATE | OWN | GUEST | USER) != VCPU | STATE | OWN:
                continue
            names = [lookup(host, k - 1) for k in s.host.kernel] if s.host else []
            ok = s.host and s.guest and s.host.end_kernel == 'done' and 'kvm_vcpu_ioctl' in names and s.host.user and \
                (s.guest.end_user not in ('moved', 'busy') or '__schedule' in names)
            good += bool(ok)
            seen['good' if ok else (lookup(host, s.ip), s.host and s.host.end_kernel, tuple(names[:3]),
                                    s.guest and s.guest.end_user)] += 1
        print(*(f'{n} {k}' for k, n in seen.most_common(12)), sep='\n')
        share(good, sum(seen.values()), 0.85)  # an event injected right after moves the guest
    elif what == 'out':
        outs = [r for r in everything if isinstance(r, Record) and r.kind == OUT and r.flags & 1]
        good = sum(bool(r.host and r.guest and r.state and r.host.end_kernel == 'done') for r in outs)
        print(*collections.Counter((r.host and r.host.end_kernel, r.guest and (r.guest.end_kernel, r.guest.end_user))
                                   for r in outs).most_common(6), sep='\n')
        print(f'{good} of {len(outs)}')
        if good < 0.9 * len(outs) or not outs:
            sys.exit('too few')
    elif what == 'stacks':
        good, sizes = 0, collections.Counter()
        chains = [c for s in samples for c, user in ((s.host, s.flags & USER), (s.guest, s.flags & GUEST and s.cpl == 3))
                  if c and c.user and c.stack and user and 0 <= c.regs[0] - c.regs[1] < 8 * len(c.stack) - 8]
        for c in chains:
            bp, sp, found = c.regs[0], c.regs[1], []
            while sp <= bp < sp + 8 * len(c.stack) - 8 and len(found) < len(c.user):
                found.append(c.stack[(bp - sp) // 8 + 1])
                bp = c.stack[(bp - sp) // 8]
            good += bool(found and tuple(found) == c.user[:len(found)] and c.regs[2:] == c.stack[:2])
            sizes['guest' if c.flags & C_GUEST else 'host', 8 * len(c.stack)] += 1
        print(sizes.most_common(4))
        if len({who for who, _ in sizes}) < 2:
            sys.exit('of one machine only')
        share(good, len(chains), 0.99)
    elif what == 'ends':
        chains = [s.guest for s in samples if s.guest]
        ends = collections.Counter(e for c in chains for e in (c.end_kernel, c.end_user))
        print(len(chains), 'chains', ends.most_common())
        if any(len(c.user) > 128 or len(c.kernel) > 512 for c in chains):
            sys.exit('too long')
        if len(chains) < 500 or {'frame', 'unmapped', 'no memory', 'not present'} - set(ends):
            sys.exit('not all of them')
    elif what == 'nested':
        inner = [s for s in samples if s.flags & L2]
        inside = sum(s.flags & GUEST != 0 for s in inner)
        wrong = sum(s.guest is not None for s in inner)
        print(f'{len(inner)} samples while a nested guest is loaded, {inside} of them inside, {wrong} with a chain')
        if wrong or inside < 100:
            sys.exit('wrong ones, or too few')
    elif what == 'sums':
        lost = sum(r[5] for r in everything if not isinstance(r, Record) and r[1] & 2)
        without = sum(not (s.guest if s.flags & GUEST else s.host) for s in samples)
        size = sum(len(open(f, 'rb').read()) for f in glob.glob(session + '/cpu-*.rec'))
        ends = collections.Counter((c.end_kernel, c.end_user) for s in samples for c in (s.host, s.guest) if c)
        print(f'{len(samples)} samples, {lost} chains lost, {without} samples without, {size / len(samples):.0f} bytes each')
        print(ends.most_common(8))
        if without > lost:
            sys.exit('chains are missing')


main()
