#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t491_report_chains.py SESSION [OPTION...]: the sums of reports of a session:
without chains, with them in each order, and with those that functions called."""
import collections
import json
import os
import subprocess
import sys

session, *options = sys.argv[1:]


def report(*args):
    done = subprocess.run([os.environ['VMMPROF'], 'report', session, '--json',
                           *options, *args], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)


def tables(said):
    return [said['host']] + said['guests']


def name(row):
    return row['function'], row['module']


def frame(f):
    return f['function'], f.get('module')


def check_chains(plain, chains, caller):
    """The same rows, and their chains sum to them.  Of each guest, by the
    functions that are in chains, the samples."""
    ret = []
    for p, c in zip(tables(plain), tables(chains)):
        guest = 'vm' in p
        assert [(name(r), r['samples']) for r in p['rows']] == \
            [(name(r), r['samples']) for r in c['rows']]
        inclusive = {}
        for row in c['rows']:
            if 'chains' not in row:
                assert not guest
                continue
            assert sum(x['samples'] for x in row['chains']) == row['samples'], row
            for x in row['chains']:
                hit = x['frames'][-1 if caller else 0]
                assert frame(hit) == name(row), row
                for f in {frame(f) for f in x['frames'] if 'module' in f}:
                    inclusive[f] = inclusive.get(f, 0) + x['samples']
        ret.append(inclusive if guest else None)
    return ret


def check_children(plain, children, inclusive):
    """Each chain once, and functions themselves sum to the table."""
    for p, i, want in zip(tables(plain), tables(children), inclusive):
        assert sum(r['self'] for r in i['rows']) == p['samples'], p['name']
        assert i['samples'] == p['samples']
        if want is not None:
            found = collections.Counter()
            for r in i['rows']:
                if r['samples']:  # else a vCPU left it, unsampled
                    found[name(r)] += r['samples']
            # A file may have two functions of one name.
            names = collections.Counter(map(name, i['rows']))
            assert found.keys() == want.keys()
            for n in want:
                assert found[n] == want[n] or \
                    names[n] > 1 and found[n] > want[n], n
        for row in i['rows']:
            assert row['self'] <= row['samples'] <= p['samples']
            # those of a VM whose vCPUs left their CPUs have its time
            # (t495_off_cpu_chains)
            if row.get('chains') and 'samples' in row['chains'][0]:
                assert sum(x['samples']
                           for x in row['chains']) == row['samples']


def check_account(account):
    chains = account['chains']
    assert chains['samples'] == account['read']
    assert chains['complete'] + chains['truncated'] + \
        sum(chains['broken'].values()) == chains['samples']


keys = ('--sort', 'sym,dso')
plain = report(*keys)
for order in 'caller', 'callee':
    chains = report(*keys, '-g', order)
    inclusive = check_chains(plain, chains, order == 'caller')
    check_children(plain, report(*keys, '-g', order, '--children'), inclusive)
    check_account(chains['account'])
