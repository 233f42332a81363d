#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the names of code that processes made, and of containers, with what they say of themselves.

jitted.py dump SCRIPT LOG COMM     `vmmprof script` and the log of workloads/jit.c -l: 99 % right, at most 0.2 % wrong
jitted.py map SCRIPT LOG COMM      the same but for samples of 1.5 s, in which addresses are used again and a perf map
                                   does not say when: those have no name
jitted.py container REPORT.JSON CONTAINER COMM...           the processes COMM are in CONTAINER, all others are not
jitted.py functions REPORT.JSON COMM REGEX PERCENT          of COMM's user samples that many are in functions so called
"""
import bisect
import json
import re
import sys

CODE = 7        # bytes of a function of jit.c
UNSURE = 1.6    # s: of a perf map, and one slice of the CPU


def words(line):
    return dict(m.groups() for m in re.finditer(r'(\S+?)=(\S*)', line))


def samples(path, comm):
    """(the guest's TSC, t, gip, gsym) of user mode."""
    offset = None
    for line in open(path, encoding='utf-8'):
        if line.startswith('type=vcpu '):
            offset = int(words(line)['offset'])
        elif ' cpl=3 ' in line and f' gcomm={comm} ' in line.replace('\n', ' '):
            s = words(line)
            yield int(s['tsc']) + offset, float(s['t']), int(s['gip'], 16), s.get('gsym')


def judge(script, log, comm):
    """Lists of (t, what it was called, what it was) by kind."""
    stretches = sorted((int(a), int(b), int(at, 16), name) for a, b, at, name in map(str.split, open(log, encoding='ascii')))
    begins = [s[0] for s in stretches]
    kinds = {'right': [], 'unknown': [], 'wrong': [], 'elsewhere': []}
    for tsc, t, ip, name in samples(script, comm):
        k = bisect.bisect(begins, tsc) - 1
        _, end, at, real = stretches[max(k, 0)]
        if k < 0 or tsc >= end or not at <= ip < at + CODE:
            kinds['elsewhere'].append((t, name, real))
        elif name == real:
            kinds['right'].append((t, name, real))
        else:
            kinds['wrong' if name in {s[3] for s in stretches} else 'unknown'].append((t, name, real))
    return kinds


def dump(script, log, comm, unsure=0):
    kinds = judge(script, log, comm)
    right, unknown, wrong = (kinds[k] for k in ('right', 'unknown', 'wrong'))
    times = sorted(t for t, _, _ in unknown)
    # those of the one window in which it may not be known
    while unsure and times and times[-1] - times[0] > unsure:
        times.pop(0)
    excused = len(times) if unsure else 0
    n = len(right) + len(unknown) + len(wrong)
    print(', '.join(f'{len(v)} {k}' for k, v in kinds.items()) + (f'; {excused} at the change' if unsure else ''))
    for t, name, real in wrong[:3]:
        print(f'at {t}: {name}, was {real}')
    names = {real for _, _, real in right}
    print(f'functions: {" ".join(sorted(names))}')
    return n >= 2000 and len(names) == 6 and len(kinds['elsewhere']) <= 0.05 * n and \
        len(right) >= 0.99 * (n - excused) and len(wrong) <= 0.002 * n


def changing(script, log, comm):
    return dump(script, log, comm, UNSURE)


def rows(report):
    with open(report, encoding='utf-8') as f:
        return next(g for g in json.load(f)['guests'] if g['name'] == 'one')['rows']


def container(report, name, *comms):
    inside, outside, missing = {}, {}, set(comms)
    for row in rows(report):
        side = inside if row['container'] == name else outside
        side[row['process']] = side.get(row['process'], 0) + row['samples']
    for comm, n in inside.items():
        print(f'{comm}: {n} samples in {name}')
        missing -= {comm}
    # the shell that becomes them
    strangers = sum(n for comm, n in inside.items() if comm not in comms)
    print(f'{strangers} of others in it, {sum(outside.get(c, 0) for c in comms)} of its outside')
    return not missing and all(inside[c] > 2000 for c in comms) and \
        not any(c in outside for c in comms) and strangers <= 0.01 * sum(inside.values())


def functions(report, comm, regex, percent):
    mine = [r for r in rows(report) if r['process'] == comm and r['module'] not in ('vmlinux', '(kernel)')]
    total = sum(r['samples'] for r in mine)
    named = sum(r['samples'] for r in mine if re.fullmatch(regex, r['function']))
    print(f'{named} of {total} samples in {regex}')
    return total > 2000 and named >= total * float(percent) / 100


what, *args = sys.argv[1:]
sys.exit(not {'dump': dump, 'map': changing, 'container': container, 'functions': functions}[what](*args))
