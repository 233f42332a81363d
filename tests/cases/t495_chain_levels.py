#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t495_chain_levels.py SESSION: a report's rows as a tree, those by parent and the
folded stacks of each set of levels have the sums of the plain tables."""
import collections
import json
import os
import subprocess
import sys

session = sys.argv[1]


def run(*args):
    return subprocess.run([os.environ['VMMPROF'], *args, session], check=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def report(*args):
    said = json.loads(run('report', '--json', *args))
    return {t['name']: t
            for t in [said['host']] * ('host' in said) + said['guests']}


def leaves(rows, keys, above, timed):
    """(names, samples, chains) of the last levels; each level sums."""
    for row in rows:
        path = *above, row[keys[0]]
        if 'rows' not in row:
            if 'chains' in row:
                assert row['samples'] == sum(c['samples'] for c in row['chains'])
            yield path, row['samples']
            continue
        assert row['samples'] == sum(r['samples'] for r in row['rows']), row
        if timed:
            assert row['time_ns'] == sum(r['time_ns'] for r in row['rows']), row
        yield from leaves(row['rows'], keys[1:], path, timed)


chained = b'CHAIN' in run('script', '-F', 'type') or \
    any(b';main;' in line for line in run('export', '-f', 'folded').split(b'\n'))
graph = ('-g',) if chained else ()
flat = report('--sort', 'function')
for keys in ('process', 'tid'), ('container', 'process', 'tid', 'module',
                                 'function'), ('mode', 'vcpu', 'pid'):
    sort = '--sort', ','.join(keys)
    plain, tree = report(*sort), report(*sort, '--hierarchy', *graph)
    assert list(plain) == list(tree) == list(flat)
    for name, t in plain.items():
        assert t['samples'] == flat[name]['samples']
        timed = 'time' in t
        want, got = collections.Counter(), collections.Counter()
        for row in t['rows']:
            if name == 'host' and row[keys[0]].startswith('['):
                want[row[keys[0]],] += row['samples']
            else:
                want[tuple(row[k] for k in keys)] += row['samples']
        for path, n in leaves(tree[name]['rows'], keys, (), timed):
            got[path if len(path) == len(keys) else path[:1]] += n
        if name != 'host':
            assert want == got, (want - got, got - want)
            if timed:
                assert sum(r['time_ns'] for r in tree[name]['rows']) == \
                    sum(r['time_ns'] for r in t['rows'])
        assert sum(want.values()) == sum(got.values()) == t['samples']

# all of the machine in one table
whole = report('--sort', 'vm,process,tid', '--hierarchy', *graph)
assert list(whole) == ['host']
assert sum(n for _, n in leaves(whole['host']['rows'],
                                ('vm', 'process', 'tid'), (), False)) == \
    flat['host']['samples']
for row in whole['host']['rows']:
    if row['vm'] != 'host':
        assert row['samples'] == flat[row['vm']]['samples']

if chained:
    for regex in '.', 'main|bench', '^$':
        by = report('--sort', 'parent,function', '--parent', regex)
        for name, t in by.items():
            sums = collections.Counter()
            for row in t['rows']:
                assert (row['parent'] == '[other]') <= (
                    regex != '.' or row['function'][0] == '(') or \
                    name == 'host'
                assert regex != '^$' or row['parent'][0] == '['
                guest = row['parent'][1:-1] in flat
                sums[row['parent' if guest else 'function']] += row['samples']
            want = collections.Counter()
            for row in flat[name]['rows']:
                want[row['function']] += row['samples']
            assert sums == want, (sums - want, want - sums)
            if 'time' in t:
                assert sum(r['time_ns'] for r in t['rows']) == \
                    sum(r['time_ns'] for r in flat[name]['rows'])

weights = set()
for levels in 'vm,vcpu,process', 'tid', 'vm,container,comm,tid', 'pid,vcpu':
    for more in (), ('-G',):
        if more and chained:
            continue  # [vmm] stands beside it then
        lines = [line.rsplit(' ', 1) for line in
                 run('export', '-f', 'folded', '--levels', levels,
                     *more).decode().splitlines()]
        assert all(stack.count(';') > levels.count(',') for stack, _ in lines)
        weights.add(sum(int(n) for _, n in lines))
assert len(weights) == 1, weights
