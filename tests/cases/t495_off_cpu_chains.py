# SPDX-License-Identifier: GPL-2.0-only
"""t495_off_cpu_chains.py SESSION [OPTION...]: the chains of time in which vCPUs
did not run sum to their rows and to steal, and have what they hang below; with
--children they are time of what was left, too."""
import collections
import json
import os
import subprocess
import sys

session, *options = sys.argv[1:]
SLEPT = ('[halt]', '(asleep)'), ('[blocked]', '(asleep)')


def run(*args):
    return json.loads(subprocess.run(
        [os.environ['VMMPROF'], *args, '-i', session, '--json', *options],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def has_chains(row):
    return row['function'] == '[steal]' or \
        (row['function'], row['module']) in SLEPT


steal = {g['name']: g for g in run('steal')['guests']}
total = 0
for order in 'caller', 'callee':
    report = run('report', '-g', order)
    for table in report['guests']:
        for row in table['host_time']:
            assert has_chains(row) == ('chains' in row), row
            if 'chains' not in row:
                continue
            assert sum(c['time_ns'] for c in row['chains']) == row['time_ns']
            for c in row['chains']:
                names = [f['function'] for f in c['frames']]
                if order == 'callee':
                    names.reverse()
                state = names.index(row['function'])
                # the thief is the leaf
                assert len(names) == state + 2 or \
                    row['function'] != '[steal]', names
                assert len(names) == state + 1 or \
                    row['function'] != '[halt]', names
        sums = dict.fromkeys(('[steal]', '[blocked]'), 0)
        for row in table['host_time']:
            if row['function'] in sums:
                sums[row['function']] += sum(c['time_ns']
                                             for c in row['chains'])
        for state, ns in sums.items():
            want = steal[table['name']][f'{state[1:-1]}_ns']
            assert ns == want, (state, ns, want)
    account = report['account']['chains']['time']
    assert sum(account['broken_ns'].values()) + account['complete_ns'] + \
        account['truncated_ns'] + account['no_guest_code_ns'] == \
        account['total_ns'], account
    # of all guests' rows, each rounded by itself
    rows = [r for t in report['guests'] for r in t['host_time']
            if has_chains(r)]
    assert abs(sum(r['time_ns'] for r in rows) - account['total_ns']) <= \
        len(rows)

# with callees: what is in a stack has all of its time, but once
spent, stacks = collections.Counter(), collections.Counter()
for line in subprocess.run(
        [os.environ['VMMPROF'], 'export', session, '-f', 'folded', *options],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        encoding='utf-8').stdout.splitlines():
    stack, ns = line.rsplit(' ', 1)
    guest, _, _, *frames = stack.split(';')
    if '[blocked]' in frames:  # below that is the host
        frames = frames[:frames.index('[blocked]')]
    elif '[steal]' not in frames and any(
            f.startswith('[exit: ') for f in frames):
        continue  # a sample of exit handling is the host's
    for f in {*frames}:
        spent[guest, f] += int(ns)
        stacks[guest, f] += 1
for table in run('report', '-g', 'caller', '--children')['guests']:
    g = steal[table['name']]
    rows = collections.defaultdict(list)
    for row in table['rows']:
        rows[row['function']].append(row)
        assert sum(c['time_ns'] for c in row['chains']) == row['time_ns'], row
        assert all(c['frames'][0]['function'] == row['function']
                   for c in row['chains']), row
    for function, of_name in rows.items():
        key = table['name'], function
        more = sum(r['time_ns'] for r in of_name) - spent[key]
        # Two files may have functions of one name, both in one stack.
        assert abs(more) <= stacks[key] or more > 0 < len(of_name) - 1, (
            key, more, len(of_name))
    assert sum(r['self_ns'] for r in table['rows']) + sum(
        r['time_ns'] for r in table['host_time']) == sum(
            g[s + '_ns'] for s in ('guest', 'vmm', 'steal', 'halt', 'blocked',
                                   'unknown'))
    assert any(r['time_ns'] > r['self_ns'] == 0 for r in table['rows'])
