#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""top_json.py FILE LIMIT [chains [STACK=NS...]] [TID:STEAL_NS...]: each line of
`top --batch --json` is as its schema says; its states are all of the time, its
thieves all of the steal, a VM's numbers its vCPUs'; chains of time are all of their
row's; and all intervals together are the whole, and have these stacks' time."""
import collections
import json
import os
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, f'{TOP}/tests/cases')
sys.dont_write_bytecode = True
import schema  # noqa: E402  pylint: disable=wrong-import-position

STATES = [s + '_ns' for s in
          ('guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown')]
with open(f'{TOP}/analyzer/view/top.schema.json', encoding='utf-8') as f:
    rules = json.load(f)
with open(sys.argv[1], encoding='utf-8') as f:
    lines = f.read().splitlines()
limit = int(sys.argv[2])
chains = sys.argv[3:4] == ['chains']
stacks = dict(a.rsplit('=') for a in sys.argv[4:] if chains)
want = {int(t): int(ns) for t, ns in (
    a.split(':') for a in sys.argv[3:] if not chains)}
spent = collections.Counter()
seen = 0
stolen = collections.Counter()
end = None


def check_states(r):
    assert sum(r[s] for s in STATES) == r['total_ns'], r
    assert sum(t['time_ns'] for t in r['thieves']) == r['steal_ns'], r


def check_functions(m):
    assert len(m['functions']) == min(limit, m['rows'])
    samples = [f['samples'] for f in m['functions']]
    assert samples == sorted(samples, reverse=True)
    assert sum(samples) == m['samples'] or m['rows'] > limit
    return sum(check_chains(f) for f in m['functions'])


def check_chains(f):
    """The number of its chains, each of which ends in the function."""
    if 'chains' not in f:
        return 0
    assert sum(c['samples'] for c in f['chains']) == f['samples'], f
    for c in f['chains']:
        assert c['frames'][-1]['function'] == f['function'], (c, f)
    return len(f['chains'])


def check_time(m):
    """Rows of [steal], [halt] that is slept, and [blocked] have chains."""
    sums = collections.Counter()
    for r in m.get('host_time', ()):
        if 'chains' not in r:
            continue
        assert sum(c['time_ns'] for c in r['chains']) == r['time_ns'], r
        sums[r['function']] += r['time_ns']
        for c in r['chains']:
            spent[';'.join(f['function'] for f in c['frames'])] += c['time_ns']
    assert not stacks or (sums['[steal]'], sums['[blocked]']) == (
        m['steal_ns'], m['blocked_ns']), m


for text in lines:
    line = json.loads(text, object_pairs_hook=schema.once)
    schema.check(rules, rules, line)
    assert end is None or line['begin_ns'] == end
    end = line['begin_ns'] + line['interval_ns']
    assert line['machines'][0]['samples'] == line['samples']
    assert [m.get('vm', 0) for m in line['machines']] == sorted(
        m.get('vm', 0) for m in line['machines'])
    for m in line['machines']:
        seen += check_functions(m)
        if 'vm' not in m:
            continue
        check_states(m)
        check_time(m)
        for v in m['vcpus']:
            check_states(v)
            stolen[v['tid']] += v['steal_ns']
        for s in ['total_ns', *STATES]:
            assert m[s] == sum(v[s] for v in m['vcpus']), (m, s)
assert chains == bool(seen)
for stack, ns in stacks.items():
    assert spent[stack] == int(ns), (stack, ns, spent)
assert chains or dict(stolen) == want, (stolen, want)
