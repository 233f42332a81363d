#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t430_diff.py A B: `vmmprof diff` of two sessions has the numbers of both
reports, by whatever it is sorted, and its arithmetic is right.
t430_diff.py same A: nothing changed between A and A, and the numbers are those of
its report.
t430_diff.py chance MKSESSION: of two sessions drawn from the same distribution
changes are as large as the error says, and none is marked; of one with a change,
that one is marked and comes first."""
import collections
import json
import math
import os
import random
import re
import subprocess
import sys

SORTS = ['state', 'process', 'function,module', 'vcpu,mode,state',
         'pid,function', 'process,pid,vcpu,mode,state,function,module']
KEYS = ['vcpu', 'process', 'pid', 'module', 'function', 'mode']
STATES = {'[vmm]': 'vmm', '[steal]': 'steal', '[halt]': 'halt',
          '[blocked]': 'blocked', '[unknown]': 'unknown'}
EXACT = {('[halt]', '(asleep)'), ('[unknown]', '(no record)')}


def run(*args):
    done = subprocess.run([os.environ['VMMPROF'], *args], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)


def numbered(text):
    return re.sub(r'\(\d+\)$', '', text)


class Amount:
    """Of a row: what its share is of, how much of that is exact, samples, and
    what the rest is known by."""
    def __init__(self, weight=0, exact=0, samples=0, drawn=0):
        self.weight, self.exact = weight, exact
        self.samples, self.drawn = samples, drawn

    def __iadd__(self, other):
        self.weight += other.weight
        self.exact += other.exact
        self.samples += other.samples
        self.drawn += other.drawn
        return self


def of_row(row, ns, period):
    weight = row['time_ns'] if ns else row['samples']
    exact = row['function'] in ('[steal]', '[blocked]') or \
        (row['function'], row['module']) in EXACT
    return Amount(weight, weight if exact else 0, row['samples'],
                  0 if exact else row['samples'] or weight // period)


def report(session, sort, timed, period):
    """Machine -> keys of a row -> amount, by the report."""
    said = run('report', '-i', session, '--json', '--sort', ','.join(KEYS))
    ret = {}
    for m in [said['host']] + said['guests']:
        sums = ret[m['name']] = collections.defaultdict(Amount)
        ns = timed and 'vm' in m
        for row in m['rows']:
            of = dict(row, state='guest' if 'vm' in m else 'host')
            if re.search(r'\(\d+\)$', of['process']):
                of['module'] = numbered(of['module'])
                of['process'] = numbered(of['process'])
            if 'vm' not in m:
                of['vcpu'] = '-'
            # in the report the first two columns name a guest's row
            if 'vm' not in m and re.match(r'\(VM\d+\)$', row['process']):
                name = row['vcpu']
                of = dict.fromkeys(KEYS + ['state'], '-')
                of['module'] = '(VM)'
                of[sort.split(',', maxsplit=1)[0]] = name
            sums[tuple(of[k] for k in sort.split(','))] += of_row(
                row, ns, period)
        for row in m.get('host_time', ()) if timed else ():
            of = dict.fromkeys(KEYS, '-')
            of.update(row, state=STATES[row['function']])
            first = sort.split(',', maxsplit=1)[0]
            if first in ('process', 'pid', 'mode'):
                of[first] = row['function']
            sums[tuple(of[k] for k in sort.split(','))] += of_row(
                row, ns, period)
    return ret


def variance(row, total):
    part = (total.weight - total.exact) / total.weight
    p = (row.drawn + 1) / (total.drawn + 2)
    return part * part * p * (1 - p) / (total.drawn + 2)


def check_row(row, of, total):
    """The arithmetic of a row, from both reports' numbers."""
    a, b = (100 * n.weight / t.weight for n, t in zip(of, total))
    assert abs(row['percent_a'] - a) < 1e-3, row
    assert abs(row['percent_b'] - b) < 1e-3, row
    assert abs(row['change'] - (b - a)) < 1e-3, row
    if all(n.weight == n.exact for n in of):
        assert row['error'] is None and row['significant'] is None, row
        return
    error = 100 * math.sqrt(sum(variance(n, t) for n, t in zip(of, total)))
    # of each vCPU by itself, time without samples is whole periods
    assert abs(row['error'] - error) < 1e-3 + error * .02, (row, error)


def is_time(row):
    """Is it time without guest code?  A mode may be unknown, too."""
    return row.get('state') in STATES.values() or \
        row.get('function') in STATES


def near(ns, want):
    """Whole nanoseconds of each vCPU's part of it, of a thousand vCPUs."""
    return abs(ns - want) <= 16 + want / 1e6


def check_table(name, table, want, total):
    keys = table['keys']
    rows = collections.defaultdict(list)
    for row in table['rows']:
        key = [row[k] for k in keys]
        # the report has the time of a guest's vCPUs together
        if 'vcpu' in keys and is_time(row):
            key[keys.index('vcpu')] = '-'
        rows[tuple(key)].append(row)
    assert set(rows) == set(want[0]) | set(want[1]), (
        name, set(rows) ^ (set(want[0]) | set(want[1])))
    for key, some in rows.items():
        of = [w[key] for w in want]
        samples = [sum(r[f'samples_{s}'] for r in some) for s in 'ab']
        assert samples == [n.samples for n in of], (name, key, samples)
        for s, n in zip('ab', of):
            if f'time_{s}_ns' in some[0]:
                time = sum(r[f'time_{s}_ns'] for r in some)
                assert near(time, n.weight), (name, key, time, n.weight)
        if len(some) == 1:
            check_row(some[0], of, total)
    changes = [abs(r['change']) for r in table['rows']]
    assert changes == sorted(changes, reverse=True), name
    assert abs(sum(r['change'] for r in table['rows'])) < .1, name


def sum_of(rows):
    total = Amount()
    for amount in rows.values():
        total += amount
    return total


def check(a, b, sorts):
    machines = 0
    for sort in sorts:
        said = run('diff', a, b, '--json', '--sort', sort)
        want = [report(s, sort, said['host_time'], said[of]['period_ns'] or 1)
                for s, of in ((a, 'a'), (b, 'b'))]
        names = [m['name'] for m in said['machines']]
        assert set(names) == set(want[0]) & set(want[1]), names
        assert set(said['a']['only_here']) == set(want[0]) - set(want[1])
        assert set(said['b']['only_here']) == set(want[1]) - set(want[0])
        for m in said['machines']:
            of = [w[m['name']] for w in want]
            total = [sum_of(w) for w in of]
            assert [t.samples for t in total] == [
                m['samples_a'], m['samples_b']], m['name']
            for s, t in zip('ab', total):
                time = m.get(f'time_{s}_ns', t.weight)
                assert near(time, t.weight), (m['name'], time, t.weight)
            assert len(m['tables']) == (
                1 if all(t.weight for t in total) else 0)
            for table in m['tables']:
                assert ','.join(table['keys']) == sort
                check_table(m['name'], table, of, total)
                machines += 1
                assert a != b or not any(r['change'] or r['significant']
                                         for r in table['rows'])
    assert machines


def session(mksession, name, counts):
    """A session with that many samples of each function."""
    with open(f'{name}.txt', 'w', encoding='ascii') as f:
        f.write('file info\n  event index=0 name=x\n  end\nfile host\n'
                '  kallsyms\n')
        for i in range(len(counts) + 1):
            f.write(f'    {0xffffffff81000000 + 256 * i:x} T f{i}\n')
        f.write('    ffffffff82000000 T _etext\n  .\n  end\nfile cpu-0.rec\n')
        for i, n in enumerate(counts):
            if n:
                f.write(f'  sample tsc={1000000 * i + 1} flags=N pid=0 '
                        f'ip={0xffffffff81000008 + 256 * i:#x} repeat={n}\n')
    subprocess.run([mksession, f'{name}.txt', name], check=True)


def chance(mksession):
    r = random.Random(1)
    weights = [1 / (i + 3) for i in range(200)]

    def draw(n):
        drawn = collections.Counter(r.choices(range(200), weights, k=n))
        return [drawn[i] for i in range(200)]

    a, b = draw(20000), draw(7000)
    session(mksession, 'a', a)
    session(mksession, 'b', b)
    rows = run('diff', 'a', 'b', '--json', '--sort',
               'function')['machines'][0]['tables'][0]['rows']
    assert not any(row['significant'] for row in rows)
    # the mean of squares of 200 standard deviates is 1 +- 0.1
    mean = sum((row['change'] / row['error'])**2 for row in rows) / len(rows)
    assert .6 < mean < 1.4, mean
    b[20] += 200
    session(mksession, 'c', b)
    rows = run('diff', 'a', 'c', '--json', '--sort',
               'function')['machines'][0]['tables'][0]['rows']
    marked = [row['function'] for row in rows if row['significant']]
    assert marked == ['f20'] and rows[0]['function'] == 'f20', marked


if sys.argv[1] == 'chance':
    chance(sys.argv[2])
elif sys.argv[1] == 'same':
    check(sys.argv[2], sys.argv[2], SORTS[-1:])
else:
    check(*sys.argv[1:], SORTS)
