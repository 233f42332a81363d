#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""touches.py VMMPROF SESSION MACHINE...: the chains of workloads/touches.c where the kernel is entered.

Below an entry is who was interrupted, and its callers to main(), or it is said that they are not known: of all chains at most
a fiftieth.  At least MINIMUM samples are needed of the first instructions, before all registers are pushed or right after it.
"""
import collections
import re
import sys

from edges import HALF, machine_chains

CALLERS = {'narrow_touch': ['narrow', 'main'], 'wide_touch': ['wide', 'far', 'main'],
           'narrow': ['main'], 'wide': ['far', 'main'], 'far': ['main']}
BEYOND = {'__libc_start_call_main', '__libc_start_main', '__libc_start_main_impl', '_start'}
FIRST = re.compile('asm_exc_page_fault|error_entry')
MINIMUM = 15


def judge(user):
    if None in user:
        return 'not known'
    names = [f.name for f in user]
    want = CALLERS.get(names[0], ())
    callers, beyond = names[1:1 + len(want)], names[1 + len(want):]
    if want and callers == want and beyond and set(beyond) <= BEYOND:
        return 'good'
    return 'wrong: ' + ' '.join(names)


def main():
    vmmprof, session, *machines = sys.argv[1:]
    failed, chains = False, collections.defaultdict(list)
    for where, frames, exited in machine_chains(vmmprof, session):
        if frames and frames[0] and frames[0].address >= HALF and not exited:
            chains[where].append(frames)
    for machine in machines:
        seen, first, why = collections.Counter(), collections.Counter(), collections.Counter()
        for frames in chains[machine]:
            user = [f for f in frames if f is None or f.address < HALF]
            if not any(f and f.module == 'touches' and f.name in CALLERS for f in user):
                continue
            what = judge(user)
            seen[what.partition(':')[0]] += 1
            if FIRST.match(frames[0].name):
                first[frames[0].name] += 1
            if what != 'good':
                why[f'{what} below {frames[0].name} {frames[0].address:x}'] += 1
        for what, n in why.most_common(12):
            print(n, what)
        print(f'{machine}: {dict(seen)}, first instructions: {dict(first)}')
        failed |= seen['wrong'] > 0 or sum(first.values()) < MINIMUM or seen['not known'] > 0.02 * sum(seen.values())
    return failed


sys.exit(main())
