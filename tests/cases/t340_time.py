#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t340_time.py [--recorded] SESSION...: what verbs print of random parts of the
time sums to what they print of all of it.  Where a TSC does not count
nanoseconds (--recorded), those of a part are rounded."""
import csv
import io
import json
import os
import random
import re
import subprocess
import sys

# Of one moment, or no sum: the same part has them or another one.
NO_SUM = re.compile(r'begin|end|longest|median|p99|max|pid|tid|at_ns|checks|why|'
                    r'schema|khz|period|missing|late|duration|time_ranges|percent|'
                    r'number|clock|notes|warnings|written|outside|cpus\b|vm$|'
                    r'records|verdict|share|from')
NAMES = ('name', 'text', 'kind', 'machine', 'mode', 'unresolved', 'function', 'module',
         'process', 'guest', 'state', 'victim')
NUMBERS = 'vcpu', 'tid', 'reason', 'pid', 'cpu', 'victim_tid', 'vm'


def is_name(key, value):
    return key in NUMBERS or (key in NAMES and isinstance(value, str))


def run(*args):
    return subprocess.run([os.environ['VMMPROF'], *args], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout


RECORDED = '--recorded' in sys.argv
SESSIONS = [a for a in sys.argv[1:] if a[0] != '-']


def flatten(value, path, sums):
    if isinstance(value, dict):
        # the numbers behind processes of one name are by what is shown
        path += tuple(re.sub(r'\(\d+\)$', '', f'{k}={v}') for k, v in value.items() if is_name(k, v))
        for key, member in value.items():
            if not is_name(key, member) and not NO_SUM.search(key):
                flatten(member, path + (key,), sums)
    elif isinstance(value, list):
        for member in value:
            flatten(member, path, sums)
    elif isinstance(value, int) and not isinstance(value, bool):
        sums[path] = sums.get(path, 0) + value


def exact(session):
    """Has it switch records?"""
    return RECORDED or session == 'steal'


def same(path, a, b):
    """Times of a recording may differ by what is rounded: a microsecond."""
    rounded = RECORDED and any(str(p).endswith('_ns') for p in path)
    return abs(a - b) <= (1000 if rounded else 0)


def steal(session, *time):
    sums = {}
    for method in ('exact', 'samples'):
        if exact(session) or method == 'samples':
            flatten(json.loads(run('steal', '-i', session, '--json', '--method',
                                   method, *time)).get('guests'), (method,), sums)
    return sums


def report(session, *time):
    sums = {}
    got = json.loads(run('report', '-i', session, '--json', '--sort',
                         'pid,function,mode', *time))
    for key in 'session', 'trust', 'time_checks':
        got.pop(key, None)
    for table in [got['host']] + got['guests']:
        # what is known of the whole's functions is not of its parts'
        for row in table['rows'] + table['processes']:
            row.pop('time_ns', None)
            row.pop('user_ns', None)
        table['host_time'] = [r for r in table.get('host_time', ())
                              if r['function'] != '[guest]']
    flatten(got, (), sums)
    return sums


def timeline(session, *time):
    sums = {}
    if not exact(session):
        return sums
    for row in csv.DictReader(io.StringIO(run('timeline', '-i', session, '--csv',
                                              *time))):
        key = row['guest'], row['vcpu'], row['cpu'], row['state'], row['thief'], 'rounded_ns'
        sums[key] = sums.get(key, 0) + round(float(row['seconds']) * 1e9)
    return sums


def script(session, *time):
    return {'lines': run('script', '-i', session, *time).count('\n')}


def export(session, *time):
    sums = {}
    flatten(json.loads(run('export', '-i', session, '-f', 'json', '--samples-only',
                           *time))['entries'], (), sums)
    return sums


VERBS = steal, report, timeline, script, export
random.seed(3)
for session in SESSIONS:
    # all of the time is the same as no --time
    whole = [verb(session) for verb in VERBS]
    assert all(whole[:2]), session
    for verb, want in zip(VERBS, whole):
        assert verb(session, '--time', '0%-100%') == want, verb
    for _ in range(2):
        cuts = sorted(random.randrange(10**11) for _ in range(5))
        edges = [f'{c / 10**9:.9f}%' for c in [0] + cuts + [10**11]]
        spans = [f'{a}-{b}' for a, b in zip(edges, edges[1:]) if a != b]
        # three parts of two ranges each
        parts = [','.join(spans[i::3]) for i in range(3)]
        for verb, want in zip(VERBS, whole):
            got = {}
            for part in parts:
                for key, n in verb(session, '--time', part).items():
                    got[key] = got.get(key, 0) + n
            for key in want.keys() | got.keys():
                a, b = got.get(key, 0), want.get(key, 0)
                assert same(key, a, b), (session, verb, parts, key, a, b)
