#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t341_one_number.py SESSION [--time RANGES]: report (text, JSON, CSV), diff,
every export, the page's data and the timeline have the numbers of `steal`, of
each guest and of each vCPU."""
import collections
import csv
import io
import json
import os
import re
import sys

import t400_export
import t440_html
from t400_export import run

STATES = ['guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown']
session, *when = sys.argv[1:]


def state(function):
    return t400_export.STATES.get(function, 'guest')


def same(what, got, want):
    assert got == want, f'{session} {when} {what}:\n{got}\n{want}'


def of(part):
    """State -> nanoseconds, by `steal --json`."""
    return {s: part[f'{s}_ns'] for s in STATES}


said = json.loads(run('steal', '-i', session, '--json', *when))
guests = {g['name']: of(g) for g in said['guests']}
vcpus = {(g['name'], str(v['vcpu'])): of(v)
         for g in said['guests'] for v in g['vcpus']}
if said['method'] != 'exact':
    guests, vcpus = {}, {}


def sums_of(rows):
    """(key, state, nanoseconds)... -> key -> all states."""
    sums = {}
    for key, name, ns in rows:
        sums.setdefault(key, dict.fromkeys(STATES, 0))[name] += ns
    return sums


def json_rows(table):
    for row in table['rows']:
        yield table['name'], 'guest', row['time_ns']
    for row in table['host_time']:
        yield table['name'], state(row['function']), row['time_ns']


def check_report_json():
    for table in json.loads(run('report', '-i', session, '--json',
                                *when))['guests']:
        name = table['name']
        if name not in guests:
            assert 'time' not in table and 'host_time' not in table
            continue
        same('report --json', of(table['time']), guests[name])
        same('rows', sums_of(json_rows(table))[name], guests[name])
        assert table['samples'] == sum(r['samples'] for r in table['rows'])
    # modes have steal's parts, each vCPU its own time
    for g in said['guests'] if guests else []:
        table, = json.loads(run('report', '-i', session, '--json', '--guest',
                                g['name'], '--sort', 'mode', *when))['guests']
        modes = collections.Counter(
            {r['mode']: r['time_ns'] for r in table['rows']})
        for row in table['host_time']:
            bare = re.match(r'\((kernel|user)?', row['module'])[1]
            if row['function'] == '[guest]':
                modes[bare or 'unknown'] += row['time_ns']
        # each is rounded by itself
        for mode, part in ('kernel', 'kernel'), ('user', 'user'), \
                ('unknown', 'other'):
            want = g['parts'][f'guest_{part}_ns']
            assert abs(modes[mode] - want) <= (said['tsc_khz'] != 1000000), (
                g['name'], mode, modes, want)
        for v in g['vcpus']:
            table, = json.loads(run(
                'report', '-i', session, '--json', '--guest', g['name'],
                '--vcpu', str(v['vcpu']), *when))['guests']
            same('--vcpu', of(table['time']), of(v))
            same('its rows', sums_of(json_rows(table)).get(g['name']), of(v))


def check_report_csv():
    rows = csv.DictReader(io.StringIO(run('report', '-i', session, '--csv',
                                          *when).decode(), newline=''))
    same('report --csv', sums_of(
        (r['machine'], state(r['function']), int(r['time_ns']))
        for r in rows if r['time_ns']), guests)


def steal_text():
    """Guest -> state -> percentage as text, and of its parts."""
    text = run('steal', '-i', session, '-v', *when).decode()
    matrix, _, rest = text.partition('\nGuest, vCPU ')
    text = '\nGuest, vCPU ' + rest
    columns, parts = {}, {}
    for name, numbers in re.findall(r'^(\S+) +%((?: +[\d.]+){6})$', text,
                                    re.M):
        columns[name] = dict(zip(STATES, numbers.split()))
    # where columns do not fit, what was lost stands in the first part
    first = matrix.partition('\nWho lost ')[2].partition('\nall ')[0]
    for name, lost in re.findall(r'^(\S+) +% +([\d.]+)', first, re.M):
        if name in columns:
            same(f'{name} in the matrix', lost, columns[name]['steal'])
    for name, lines in re.findall(r"^Parts of (.*)'s time\n((?:  .*\n)+)",
                                  text, re.M):
        parts[name] = dict((label, share) for share, label in re.findall(
            r'^ +([\d.]+) % +[\d.]+ s  (.*)$', lines, re.M))
    return columns, parts


def check_report_text():
    text = run('report', '-i', session, '-n', '0', *when).decode()
    columns, parts = steal_text()
    found = re.findall(r'^Guest (\S+) \(.*\)\nTotal time: ([\d.]+) s, \d+ '
                       r'samples? +(\S+) = (\S+)$', text, re.M)
    same('guests in the text', {f[0] for f in found}, set(guests))
    for name, seconds, labels, shares in found:
        total = sum(guests[name].values())
        assert abs(float(seconds) * 1e9 - total) <= 5e5 + 6, (seconds, total)
        shares = list(zip(labels.split(':'), shares.split(':')))
        want = parts[name]
        for label, share in shares:
            share = share.rstrip('%')
            if label in ('OS', 'USER', 'unknown'):
                part = {'OS': 'kernel', 'USER': 'user'}.get(label,
                                                            'mode not known')
                same(f'{name} {label}', share, want[f'guest: {part}'])
            else:
                key = {'missing': 'unknown'}.get(label, label)
                same(f'{name} {label}', share, columns[name][key])
        # what is not on the line is nothing
        have = {'missing': 'unknown'}
        have = {have.get(label, label) for label, _ in shares}
        assert all(columns[name][s] == '0.00' or guests[name][s] == 0
                   for s in STATES[1:] if s not in have), (name, shares)
        # a row that is all of its state has the state's number
        table = text[text.index(f'\nGuest {name} ('):].split('\n\n')[0]
        table = table.split('\nHost and its')[0]
        rows = re.findall(r'^ +[\d.]+ +([\d.]+) +\d+  \[(\w+)\]', table, re.M)
        for s in STATES[1:]:
            shown = [share for share, function in rows if function == s]
            if len(shown) == 1:
                same(f'{name} [{s}]', shown[0], columns[name][s])


def check_diff():
    times = when + when if when else ['--time', '0%-100%'] * 2
    args = [session, *times, '--sort', 'state']
    found = {}
    for m in json.loads(run('diff', *args, '--json'))['machines']:
        if not m['vm_a'] or not guests:
            assert 'time_a_ns' not in m
            continue
        found[m['name']] = dict.fromkeys(STATES, 0)
        for row in m['tables'][0]['rows']:
            assert row['time_a_ns'] == row['time_b_ns']
            found[m['name']][row['state']] = row['time_a_ns']
    # of each vCPU by itself, then together
    same('diff --json', found, {
        name: {s: sum(v[s] for (g, _), v in vcpus.items() if g == name)
               for s in STATES} for name in guests})
    text = run('diff', *args, '-n', '0').decode()
    columns, _ = steal_text()
    for name in guests:
        table = text[text.index(f'\nGuest {name}: '):].split('\n\n')[1]
        for a, b, s in re.findall(
                r'^ +([\d.]+) +([\d.]+) .* (\w+)$', table, re.M):
            same(f'diff {name} {s}', [a, b], [columns[name][s]] * 2)


def check_exports():
    for name, parse in t400_export.FORMATS.items():
        data = run('export', '-i', session, *t400_export.kind(name), *when)
        sums = sums_of(((key[0], key[1]), key[7] or state(key[5]), n)
                       for key, n in parse(data) if key[0] != 'host')
        if guests:
            same(name, sums, vcpus)


def check_page():
    run('report', '-i', session, '--html', 'page', *when)
    with open('page', encoding='utf-8') as f:
        data = json.loads(t440_html.Page(f.read()).data)
    assert data['time']['exact'] == bool(guests)
    if not guests:
        return
    sums = t440_html.ticks(data)
    khz, names = data['time']['khz'], data['machines']
    for i, (vm, vcpu, *_) in enumerate(data['time']['vcpus']):
        states = t440_html.states(sums, i)
        same('page', {s: n * 1000000 // khz for s, n in states.items()},
             vcpus.get((names[vm], str(vcpu)), dict.fromkeys(STATES, 0)))
    verdicts = {names[vm]: text for vm, text in data['verdicts']}
    same('verdicts', verdicts, {g['name']: g['verdict'] for g in said['guests']
                                if g['name'] in verdicts})
    os.unlink('page')


def check_timeline():
    if not guests:
        return
    sums = collections.Counter()
    lines = json.loads(run('timeline', '-i', session, '--json',
                           *when))['stretches']
    for s in lines:
        key = {'preempted': 'steal', 'woken': 'steal'}.get(s['state'],
                                                           s['state'])
        sums[s['guest'], str(s['vcpu']), key] += s['end_ns'] - s['begin_ns']
    off = 0 if said['tsc_khz'] == 1000000 else len(lines)
    for (name, vcpu), states in vcpus.items():
        for s in 'steal', 'blocked':
            assert abs(sums[name, vcpu, s] - states[s]) <= off, (
                name, vcpu, s, sums[name, vcpu, s], states[s])


for check in (check_report_json, check_report_csv, check_report_text,
              check_diff, check_exports, check_page, check_timeline):
    check()
print(f'{session} {when}: {len(vcpus)} vCPUs')
