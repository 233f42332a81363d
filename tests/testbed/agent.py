#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What `vmmprof agent` wrote, beside what others know of the same time.

agent.py sums FIRST THEN FROZEN   the metrics' growth from one window to another is
                                  what `export -f prometheus` has of that time
agent.py thief PROM NAME NS       each VM lost to that program the time that the
                                  scheduler says it ran: the VMs never halt
agent.py arrived LOG PROM BOOK    each profile that was made is in the store's log"""
import collections
import json
import re
import sys

SERIES = re.compile(r'(\w+)(?:\{(.*)\})? ([0-9.]+)$')
TIMES = ('vmmprof_vcpu_time_seconds_total', 'vmmprof_steal_seconds_total',
         'vmmprof_exit_time_seconds_total')


def read(name):
    """Series of a file: {(metric, labels): value}."""
    found = {}
    with open(name, encoding='utf-8') as f:
        for line in f:
            m = SERIES.match(line)
            if m:
                found[m[1], m[2] or ''] = float(m[3])
    return found


def check(what, good, *numbers):
    print('ok' if good else 'not ok', '-', what, list(numbers) if numbers else '')


def total(series, metric, *labels):
    return sum(v for (m, text), v in series.items()
               if m == metric and all(label in text for label in labels))


def sums(first, then, frozen):
    """A window ends some time after its last record, so that the two are not of the
    same tenths of a second."""
    growth = {k: v - first.get(k, 0) for k, v in then.items() if k[0] in TIMES}
    vms = sorted({text for (m, text) in growth if m == TIMES[0]})
    check('two VMs have times', len({v.split(',')[0] for v in vms}) == 2, len(vms))
    for labels in vms:
        a, b = growth[TIMES[0], labels], frozen.get((TIMES[0], labels), 0)
        check(f'{labels}: the metric is what steal has of the session',
              abs(a - b) <= 0.3 + 0.02 * a, round(a, 3), round(b, 3))
    for vm in ('vm="one"', 'vm="two"'):
        for metric, state in zip(TIMES[1:], ('steal', 'vmm')):
            a = total(then, metric, vm)
            b = total(then, TIMES[0], vm, f'state="{state}"')
            check(f'{vm}: the parts of {state} are its time', abs(a - b) < 1e-6,
                  round(a, 6), round(b, 6))


def thief(prom, name, ns):
    for vm in ('vm="one"', 'vm="two"'):
        a, b = total(prom, TIMES[1], vm, f'thief="{name}"'), int(ns) / 1e9
        check(f'{vm} lost to {name} what the scheduler gave to it',
              b > 0.5 and abs(a - b) <= 0.02 * b, round(a, 3), round(b, 3))


def arrived(log, prom, book):
    kinds = collections.Counter()
    with open(log, encoding='utf-8') as f:
        for line in f:
            one = json.loads(line)
            if one['answer'] == 200:
                kinds[one['labels'].get('vm', 'the host'), one['labels']['__name__']] += 1
            else:
                kinds['refused'] += 1
    with open(book, encoding='utf-8') as f:
        counts = dict(line.split() for line in f if len(line.split()) == 2)
    made = total(prom, 'vmmprof_agent_profiles_produced_total')
    windows = total(prom, 'vmmprof_agent_windows_total')
    check('all that was made has arrived', made == sum(kinds.values()) == int(counts['sent'])
          and not kinds['refused'], made, counts['sent'], dict(kinds))
    for vm in 'one', 'two':
        for kind in 'process_cpu', 'off_cpu':
            check(f'{vm}: {kind} of each window', kinds[vm, kind] == windows, kinds[vm, kind], windows)


def main():
    what, *args = sys.argv[1:]
    if what == 'sums':
        sums(*map(read, args))
    elif what == 'thief':
        thief(read(args[0]), *args[1:])
    else:
        arrived(args[0], read(args[1]), args[2])


main()
