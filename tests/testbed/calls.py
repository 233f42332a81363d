#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""calls.py VMMPROF SESSION PROGRAM [MACHINE:]points|rules...: the chains of workloads/calls.cc, which are known.

points: found by frame pointers, which lead over the function that a signal interrupted; rules: by copies of stacks and
.eh_frame.  Of each sample in a spin_* the whole chain has to be the known one, and each of them has to be there.
"""
import collections
import sys

from edges import machine_chains

KNOWN = {
    'spin_tail': ['tail_caller'],
    'spin_indirect': ['indirect_caller'],
    'spin_virtual': ['derived::run', 'virtual_caller'],
    'spin_alloca': ['alloca_caller'],
    'spin_signal': ['on_signal', '__restore_rt', 'raises', 'raise_caller'],
    'spin_caught': ['catcher'],
    'spin_mutual': ['odd'] + 8 * ['even', 'odd'] + ['even'],
}
ENDS = (['main', '__libc_start_call_main'], ['thread', 'start_thread'])
BEYOND = {'__libc_start_main', '__libc_start_main_impl', '_start', 'clone3', '__clone3', '__clone', 'clone'}


def as_known(names, by):
    """None: a frame that is missing; it may be the one that a signal interrupted."""
    known = KNOWN.get(names[0])
    if known and by == 'points':
        known = [None if n == 'raises' else n for n in known]
    for end in ENDS:
        whole = [names[0], *(known or ()), 'all_of_them', *end]
        if names[:len(whole)] == whole and set(names[len(whole):]) <= BEYOND:
            return True
    return False


def main():
    vmmprof, session, program, *wanted = sys.argv[1:]
    failed = False
    for want in wanted:
        machine, by = want.split(':')
        good, seen, bad = 0, collections.Counter(), collections.Counter()
        for where, frames, exited in machine_chains(vmmprof, session):
            # a guest may go on before an exit's chain is read: not counted here
            if exited or where != machine or not frames or not frames[0] or frames[0].module != program or \
                    not frames[0].name.startswith('spin_'):
                continue
            names = [f and f.name.removesuffix('.cold') for f in frames]
            if as_known(names, by):
                good += 1
                seen[names[0]] += 1
            else:
                bad[tuple(n or '[broken]' for n in names)] += 1
        for names, n in bad.most_common(8):
            print(n, *names)
        total = good + sum(bad.values())
        print(machine, by, dict(seen))
        print(f'{good} of {total}: {100 * good / max(total, 1):.2f} %')
        failed |= good < 0.99 * total or total < 300 or len(seen) < len(KNOWN)
    return failed


sys.exit(main())
