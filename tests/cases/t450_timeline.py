#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t450_timeline.py SESSION: the stretches of `timeline --csv` add up to the
states of each vCPU in `steal --json`, and to those of each guest in
`report --json`."""
import collections
import csv
import io
import json
import os
import subprocess
import sys

# What switch records tell exactly; on-cpu is split by samples elsewhere.
PARTS = {'preempted': 'preempted', 'woken': 'woken', 'halt': 'asleep',
         'blocked': 'blocked', 'unknown': 'unknown', 'on-cpu': 'on_cpu'}


def run(*args):
    return subprocess.run([os.environ['VMMPROF'], *args], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


def stretches(session):
    """(guest, vcpu, state) -> nanoseconds, lines, thieves"""
    sums = collections.defaultdict(lambda: [0, 0, set()])
    text = run('timeline', '-i', session, '--csv')
    for r in csv.DictReader(io.StringIO(text, newline='')):
        s = sums[r['guest'], r['vcpu'], r['state']]
        whole, part = r['seconds'].split('.')
        s[0] += int(whole) * 10**9 + int(part)
        s[1] += 1
        s[2].add(r['thief'])
    return sums


def check_vcpus(said, sums):
    """How many were compared."""
    seen = set()
    for g in said['guests']:
        for v in g['vcpus']:
            for state, part in PARTS.items():
                said_ns = v.get(f'{part}_ns', v['parts'].get(f'{part}_ns'))
                key = g['name_shown'], f"vCPU {v['vcpu']}", state
                ns, lines, _ = sums[key] if key in sums else (0, 0, 0)
                # begin and end of a line were cut to nanoseconds
                assert abs(said_ns - ns) <= lines + 1, (key, said_ns, ns)
                seen.add(key)
    assert seen >= set(sums), set(sums) - seen
    return len(seen)


def check_guests(report, sums):
    rows = {'[steal]': ('preempted', 'woken'), '[blocked]': ('blocked',),
            '(asleep)': ('halt',)}
    for g in report['guests']:
        for name, states in rows.items():
            said_ns = sum(r['time_ns'] for r in g['host_time']
                          if name in (r['function'], r['function'] == '[halt]'
                                      and r['module']))
            of = [s for key, s in sums.items()
                  if key[0] == g['name'] and key[2] in states]
            ns = sum(s[0] for s in of)
            # begin and end of a line were cut to nanoseconds
            assert abs(said_ns - ns) <= sum(s[1] for s in of) + 1, (
                g['name'], name, said_ns, ns)


def main():
    session = sys.argv[1]
    sums = stretches(session)
    steal = json.loads(run('steal', '-i', session, '--json'))
    report = json.loads(run('report', '-i', session, '--json'))
    # steal has names as they are, the others as they are shown
    for g, shown in zip(steal['guests'], report['guests'], strict=True):
        assert g['pid'] == shown['pid']
        g['name_shown'] = shown['name']
    assert check_vcpus(steal, sums) == 1000 * len(PARTS)
    check_guests(report, sums)


main()
