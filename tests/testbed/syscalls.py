#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""syscalls.py VMMPROF SESSION MACHINE...: the chains of workloads/syscalls.c in the kernels of these machines.

What a kernel does below ask_NAME is known by NAME: a chain with another system call's functions is wrong.  Of all samples
of the program in kernel mode at least 97 % have to be complete from there to main(), and each call has to be there
(the rarest is expected eight times).
"""
import collections
import re
import sys

from edges import ENTRY, HALF, machine_chains

# Functions that only this call has; jumped to instead of called, the first may not be on the stack.
CALLS = {
    'read': 'sys_read', 'pread64': 'sys_pread64', 'write': 'sys_write', 'readv': 'sys_readv|do_readv',
    'openat': 'sys_openat|do_sys_open(at2)?', 'close': 'sys_close|filp_close|filp_flush|file_close_fd|close_fd',
    'getdents64': 'sys_getdents64', 'mmap': 'sys_mmap|vm_mmap_pgoff', 'munmap': 'sys_munmap|vm_munmap',
    'newfstatat': 'sys_newfstatat|vfs_fstatat', 'poll': 'sys_poll', 'nanosleep': 'nanosleep', 'clone': 'sys_clone|kernel_clone',
    'wait4': 'sys_wait4|kernel_wait4', 'lseek': 'sys_lseek', 'exit_group': 'do_group_exit',
}
CALLS = {name: re.compile(rf'(?:.*_|k)?(?:{how})(?:\.\w+)*$') for name, how in CALLS.items()}
ALSO = {'getdents64': {'lseek'}, 'clone': {'exit_group'}}
CALLERS = ['rounds', 'main', '__libc_start_call_main']
BEYOND = {'__libc_start_main', '__libc_start_main_impl', '_start'}


def known_user(names):
    """From an ask_*, or what it calls, to the end."""
    at = names.index('rounds') if 'rounds' in names else len(names)
    return names[at:at + 3] == CALLERS and set(names[at + 3:]) <= BEYOND and at <= 2 and \
        all(re.match('ask_|seen$', n) for n in names[:at])


def judge(frames):
    """'good', 'wrong ...' or what is missing; and whose call it is."""
    if None in frames:
        return 'broken', None
    kernel = [f.name for f in frames if f.address >= HALF]
    user = [f.name for f in frames if f.address < HALF]
    if not known_user(user):
        return 'user part', None
    if ENTRY.search(kernel[-1]):
        return 'good', None     # interrupted in user mode
    if not user[0].startswith('ask_'):
        return 'wrong: no system call is made in ' + user[0], None
    mine = user[0][4:]
    seen = {name for name, how in CALLS.items() if any(how.match(k) for k in kernel)}
    others = seen - {mine} - ALSO.get(mine, set())
    if 'get_signal' in kernel:      # it was killed, on the way out of any call
        others -= {'exit_group'}
    if others:
        return f'wrong: {others} below {user[0]}: {kernel}', None
    return 'good', mine if mine in seen else None


def main():
    vmmprof, session, *machines = sys.argv[1:]
    failed, chains = False, collections.defaultdict(list)
    for where, frames, exited in machine_chains(vmmprof, session):
        # a guest may go on before an exit's chain is read
        if frames and frames[0] and not exited:
            chains[where].append(frames)
    for machine in machines:
        pids = collections.Counter(f.pid for frames in chains[machine] for f in frames if f and f.module == 'syscalls')
        if not pids:
            sys.exit(f'{machine}: none')
        ours = [f for f in chains[machine] if f[0].pid == pids.most_common(1)[0][0] and f[0].address >= HALF]
        seen, calls = collections.Counter(), collections.Counter()
        for frames in ours:
            what, call = judge(frames)
            if what != 'good':
                what += ': ' + ' '.join('[broken]' if f is None else f.name for f in frames[:40])
            seen[what] += 1
            calls[call] += 1
        good, wrong = seen['good'], sum(n for what, n in seen.items() if what.startswith('wrong'))
        for what, n in seen.most_common(30):
            print(n, what)
        missing = [c for c in CALLS if not calls[c] and c not in ('lseek', 'exit_group')]
        print(machine, dict(calls), 'none of', missing)
        print(f'{machine}: {good} of {len(ours)} complete, {100 * good / len(ours):.2f} %, {wrong} wrong')
        failed |= good < 0.97 * len(ours) or wrong > 0 or bool(missing) or len(ours) < 300
    return failed


sys.exit(main())
