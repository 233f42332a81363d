# SPDX-License-Identifier: GPL-2.0-only
"""t495_off_cpu_chains.py SESSION [OPTION...]: the chains of time in which vCPUs
did not run sum to their rows and to steal, and have what they hang below."""
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
