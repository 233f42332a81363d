#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""code.py VMMPROF SESSION REPORT.JSON GUEST: the hottest functions of the guest's
programs and of its kernel are annotated with code from its bundle, and the lines
of each add up to its samples in the report."""
import json
import subprocess
import sys

vmmprof, session, report, guest = sys.argv[1:]
with open(report, encoding='utf-8') as f:
    table, = [g for g in json.load(f)['guests'] if g['name'] == guest]


def annotate(name):
    """The places of a function, each with code from the bundle."""
    out = subprocess.run([vmmprof, 'annotate', '-i', session, '--json',
                          '--guest', guest, name], check=True,
                         stdout=subprocess.PIPE).stdout
    return json.loads(out)['places']


for mode in 'user', 'kernel':
    rows = [r for r in table['rows'] if 'unresolved' not in r and
            (r['module'] == 'vmlinux') == (mode == 'kernel')]
    name = max(rows, key=lambda r: r['samples'])['function']
    want = sum(r['samples'] for r in table['rows'] if r['function'] == name)
    places = annotate(name)
    got = sum(l['samples'] for p in places for l in p['lines'])
    code = [l for p in places for l in p['lines'] if l['instruction']]
    sampled = sum(l['samples'] for l in code)
    print(f'{mode}: {name}: {want} samples, {got} in {len(code)} instructions,'
          f' code: {places[0].get("code") or places[0].get("no_code")}')
    assert want == got == sampled > 0, (want, got, sampled)
    assert all(p['code'] == "the guest's bundle" for p in places)
    percent = sum(l['percent'] for l in places[0]['lines'])
    assert abs(percent - 100) < 0.01 * len(places[0]['lines']), percent
