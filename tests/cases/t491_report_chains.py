# SPDX-License-Identifier: GPL-2.0-only
"""t491_report_chains.py PLAIN CHAINS CHILDREN ORDER: the sums of three reports
of a session: without chains, with them, and with those that functions called.
"""
import json
import sys

plain, chains, children = (json.load(open(p, encoding='utf-8'))
                           for p in sys.argv[1:4])
caller = sys.argv[4] == 'caller'


def tables(report):
    return [report['host']] + report['guests']


def name(row):
    return row['function'], row['module']


def frame(f):
    return f['function'], f.get('module')


for p, c, i in zip(tables(plain), tables(chains), tables(children)):
    guest = 'vm' in p
    # the same rows, and their chains sum to them
    assert [(name(r), r['samples']) for r in p['rows']] == \
        [(name(r), r['samples']) for r in c['rows']]
    inclusive = {}
    for row in c['rows']:
        if 'chains' not in row:
            assert not guest
            inclusive[name(row)] = inclusive.get(name(row), 0) + row['samples']
            continue
        assert sum(x['samples'] for x in row['chains']) == row['samples'], row
        for x in row['chains']:
            hit = x['frames'][-1 if caller else 0]
            assert frame(hit) == name(row), row
            for f in {frame(f) for f in x['frames'] if 'module' in f}:
                inclusive[f] = inclusive.get(f, 0) + x['samples']
    # with callees: each chain once, and themselves sum to the table
    assert sum(r['self'] for r in i['rows']) == p['samples'], p['name']
    assert i['samples'] == p['samples']
    if guest:
        assert {name(r): r['samples'] for r in i['rows']} == inclusive
    for row in i['rows']:
        assert row['self'] <= row['samples'] <= p['samples']
        if 'chains' in row:
            assert sum(x['samples'] for x in row['chains']) == row['samples']
account = chains['account']['chains']
assert account['samples'] == chains['account']['read']
assert account['complete'] + account['truncated'] + \
    sum(account['broken'].values()) == account['samples']
