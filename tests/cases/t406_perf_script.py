#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t406_perf_script.py SESSION FILE: read the text as stackcollapse-perf.pl and
FlameScope do, and compare with what report and steal say of the session."""
import collections
import json
import os
import re
import subprocess
import sys


def said(*args):
    return json.loads(subprocess.run(
        [os.environ['VMMPROF'], *args, '--json'], check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def lines(name):
    with open(name, encoding='utf-8') as f:
        return f.read().splitlines()


def collapse(name):
    """stackcollapse-perf.pl: stack -> events; every line must be known."""
    sums, stack, head = collections.Counter(), [], None
    for line in lines(name):
        if not line:
            comm, period = head
            sums[(comm, *stack)] += period
            stack, head = [], None
            continue
        assert not line.startswith('#'), line  # a comment
        m = re.match(r'(\S.+?)\s+(\d+)/*(\d+)*\s+', line)
        if m:
            event = re.search(r':\s*(\d+)*\s+(\S+):\s*$', line)
            head = m[1].strip().replace(' ', '_'), int(event[1])
            continue
        m = re.match(r'\s*(\w+)\s*(.+) \((\S*)\)', line)
        assert m and head, line
        func = re.sub(r'\+0x[\da-f]+$', '', m[2])
        assert not func.startswith('('), line  # it would be skipped
        stack.insert(0, func)
    assert head is None, 'the last sample does not end'
    return sums


def flamescope(name):
    """FlameScope: times, and frames below the command."""
    times, frames = [], 0
    for line in lines(name):
        event = None if line.startswith('\t') else \
            re.search(r' +([0-9.]+): .+?:', line)
        if event:
            times.append(float(event[1]))
            assert re.match(r' *([^0-9]+)', line), line
        elif line:
            assert re.match(r'[\t ]*[0-9a-fA-F]+ (.+) \((.*?)\)$', line), line
            frames += 1
    return times, frames


def main(session, name):
    report = said('report', '-i', session)
    sums = collapse(name)
    times, frames = flamescope(name)
    period = {int(re.search(r': +(\d+) \S+:$', x)[1])
              for x in lines(name) if x and not x.startswith('\t')}
    assert len(period) == 1, period
    period = period.pop()
    got = collections.Counter()
    for (_, *stack), events in sums.items():
        n, rest = divmod(events, period)
        assert not rest
        guest = stack[0] if len(stack) > 1 else 'host'
        got[guest, '[steal]' if '[steal]' in stack else stack[-1]] += n
    want = collections.Counter()
    for m in report['guests'] + [report['host']]:
        for r in m['rows']:
            if 'vm' in m or not r['module'].startswith('(VM'):
                want[m['name'], '[unknown]' if 'unresolved' in r else
                     r['function']] += r['samples']
    stolen = {k: n for k, n in got.items() if k[1] == '[steal]'}
    assert {k: n for k, n in got.items() if k not in stolen} == want, (got, want)
    assert len(times) == sum(got.values()) and frames >= len(times)
    print(session, len(times) - sum(stolen.values()), 'samples', *sorted(
        f'{g} {n}' for (g, _), n in stolen.items()))


main(*sys.argv[1:])
