#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t407_export_metrics.py SESSION [OPTIONS]: read the metrics of $VMMPROF's export,
form and all, and compare their sums with `steal --json`, to the nanosecond.
Prints how many series there are."""
import collections
import json
import os
import re
import subprocess
import sys

LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\[\\"n])*)"(?:,|$)')


def run(*args):
    return subprocess.run([os.environ['VMMPROF'], *args, *sys.argv[2:],
                           sys.argv[1]], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode()


def read(text):
    """{name: {labels: nanoseconds or a count}}; a family has its head first."""
    families, name = collections.OrderedDict(), None
    assert text.endswith('\n')
    for line in text.splitlines():
        if line.startswith('# HELP '):
            name, told = line[7:].split(' ', 1)
            assert name not in families and told.endswith('.'), line
            families[name] = {}
            continue
        if line.startswith('# TYPE '):
            assert line == f'# TYPE {name} counter', line
            continue
        got = re.fullmatch(r'([a-z_]+)(?:\{(.*)\})? ([0-9]+)(\.[0-9]{9})?',
                           line)
        assert got and got[1] == name, line
        labels = LABEL.findall(got[2] or '')
        assert ','.join(f'{k}="{v}"' for k, v in labels) == (got[2] or '')
        key = tuple((k, re.sub(r'\\(.)', r'\1', v)) for k, v in labels)
        assert key not in families[name], line
        families[name][key] = int(got[3] + (got[4] or '').replace('.', ''))
    return families


def sums(family, *labels):
    ret = collections.Counter()
    for key, n in family.items():
        ret[tuple(dict(key)[k] for k in labels)] += n
    return ret


families = read(run('export', '-f', 'prometheus'))
steal = json.loads(run('steal', '--json', '--by', 'unit'))
states = families['vmmprof_vcpu_time_seconds_total']
assert sums(states, 'vm', 'state') == collections.Counter(
    {(g['name'], k): g[f'{k}_ns'] for g in steal['guests']
     for k in ('guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown')})

matrix, want = steal['matrix'], collections.Counter()
for c in matrix['cells']:
    thief = matrix['thieves'][c['thief']]
    want[matrix['victims'][c['victim']]['name'], thief['kind'],
         thief['name']] += c['took_ns']
stolen = families['vmmprof_steal_seconds_total']
assert sums(stolen, 'vm') + collections.Counter() == collections.Counter(
    {(g['name'],): g['steal_ns'] for g in steal['guests'] if g['steal_ns']})
got, other = sums(stolen, 'vm', 'thief_kind', 'thief'), 0
for key, n in got.items():
    if key[1] == 'other':
        other += 1
        continue
    # by itself each is rounded down; one after the other they sum
    assert abs(n - want.pop(key)) <= 1, key
assert bool(want) == bool(other), want
per_vm = collections.Counter(
    vm for vm, kind, _ in got if kind in ('vm', 'container', 'unit', 'process'))
assert all(n <= 10 for n in per_vm.values()), per_vm

reasons = families['vmmprof_exit_time_seconds_total']
assert sums(reasons, 'vm') + collections.Counter() == collections.Counter(
    {(g['name'],): g['vmm_ns'] for g in steal['guests'] if g['vmm_ns']})
for g in steal['guests']:
    for r in g['vmm_by_exit_reason']:
        key = (('vm', g['name']), ('reason', r['name']))
        assert not r['name'] or (('vm', g['name']), ('reason', 'other')) in \
            reasons or abs(reasons[key] - r['time_ns']) <= 1, r
assert sum(1 for k in reasons) <= 13 * len(steal['guests'])
assert list(families['vmmprof_samples_total']) == [()]
print(len(states), len(stolen), len(reasons),
      *families['vmmprof_samples_total'].values())
