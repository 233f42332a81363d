#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""callers.py VMMPROF SESSION PERF.TXT KALLSYMS DEEP: who calls whom in deep, by a session and by perf in the guest.

PERF.TXT: perf script -F ip, which has offsets of the file for user mode.  Of each pair of a function and its
caller that is in 2 % of the chains or more the shares differ by at most 3 points, and neither is more than 1.6 times the
other one.  Left out are the callers of functions of deep without a frame, which perf leaps over.
"""
import bisect
import collections
import re
import subprocess
import sys

from edges import HALF, machine_chains, text_symbols

FRAMELESS = {'leaf', 'ask'}


def segments(path):
    """(offset, size, address) of what a program maps."""
    out = subprocess.run(['readelf', '-lW', path], check=True, text=True, stdout=subprocess.PIPE).stdout
    return [(int(f[1], 16), int(f[4], 16), int(f[2], 16)) for f in map(str.split, out.splitlines()) if f[:1] == ['LOAD']]


def chains_of_perf(path, loads):
    def address(ip):
        return next((ip - off + at for off, size, at in loads if off <= ip < off + size), ip)

    for block in re.split(r'\n\s*\n', open(path).read()):
        ips = [int(w, 16) for w in re.findall(r'\b[0-9a-f]+\b', block)]
        if ips:
            # return addresses, but the first of each mode
            yield [address(ip) - (i > 0 and (ips[i - 1] < HALF) == (ip < HALF)) for i, ip in enumerate(ips)]


def shares(chains, name):
    seen, total = collections.Counter(), 0
    for ips in chains:
        names = [name(ip) for ip in ips]
        if 'main' not in names:
            continue
        total += 1
        names = names[:names.index('main') + 1]
        pairs = {p for p in zip(names, names[1:]) if p[0] not in FRAMELESS}
        seen.update(pairs)
        seen[f'{sum(n == "down" for n in names[1:]) > 8 and "much" or "not much"} below down', ''] += names[0] == 'leaf'
    return {p: n / total for p, n in seen.items()}, total


def main():
    vmmprof, session, perf, kallsyms, deep = sys.argv[1:]
    kernel = text_symbols(open(kallsyms).read())
    user = text_symbols(subprocess.run(['nm', deep], check=True, text=True, stdout=subprocess.PIPE).stdout)

    def name(ip):
        starts, names = kernel if ip >= HALF else user
        i = bisect.bisect_right(starts, ip) - 1
        return names[starts[i]].split(' ')[0] if i >= 0 else '?'

    ours = ([f.address for f in frames if f] for where, frames, exited in machine_chains(vmmprof, session)
            if where == 'one' and not exited)
    (a, na), (b, nb) = shares(ours, name), shares(chains_of_perf(perf, segments(deep)), name)
    bad, worst = 0, 0
    compared = sorted((p for p in a | b if max(a.get(p, 0), b.get(p, 0)) >= 0.02), key=lambda p: -b.get(p, 0))
    for p in compared:
        x, y = a.get(p, 0), b.get(p, 0)
        wrong = abs(x - y) > 0.03 or max(x, y) > 1.6 * min(x, y)
        worst, bad = max(worst, abs(x - y)), bad + wrong
        print(f'{"DIFFERS" if wrong else "agrees":8}{100 * x:6.2f} % from the host, {100 * y:6.2f} % in the guest: {" by ".join(p)}')
    print(f'{len(compared)} pairs of {na} and {nb} chains, {bad} differ, worst {100 * worst:.2f} points')
    return bad > 0 or len(compared) < 15 or min(na, nb) < 2000


sys.exit(main())
