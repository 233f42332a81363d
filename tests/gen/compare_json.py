#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""compare_json.py JSON TEXT: are the numbers of both reports the same?

Checks that every row of every JSON table stands in the text, in its order,
with the same samples, percentage and names, and that the accounts agree.
"""
import json
import re
import sys


def tables(text):
    """{title: [(samples, percent, rest)]} of the function tables."""
    found, rows, title = {}, None, None
    for line in text.splitlines():
        m = re.match(r'(?:Guest (\S+) \(VM|(Host) and its guests)', line)
        if m:
            title = m.group(1) or 'host'
        if re.match(r'(  Seconds  %Ratio  )?Samples', line) and \
                title not in found:
            rows = found.setdefault(title, [])
        elif not line:
            rows = None
        elif rows is not None and (m := re.match(
                r'\s*(\d+)\s+([\d.]+)  (.*)', line)):
            rows.append((int(m[1]), float(m[2]),
                         re.sub(r' {2,}', '  ', m[3])))
        elif rows is not None and (m := re.match(
                r' *[\d.]+ +([\d.]+) +(\d+)  (.*)', line)):
            rows.append((int(m[2]), float(m[1]),
                         re.sub(r' {2,}', '  ', m[3])))
    return found


def main():
    report = json.load(open(sys.argv[1], encoding='utf-8'))
    text = open(sys.argv[2], encoding='utf-8').read()
    found = tables(text)
    bad = 0
    for machine in [report['host']] + report['guests']:
        want = [(r['samples'], r['percent'],
                 f"{r['function']}  {r['module']}") for r in machine['rows']]
        if sum(r[0] for r in want) != machine['samples']:
            print(f"{machine['name']}: rows do not add up")
            bad += 1
        if want != found.get(machine['name']):
            print(f"{machine['name']}: {want}\nnot {found.get(machine['name'])}")
            bad += 1
        print(f"{machine['name']}: {len(want)} rows equal")
    account = report['account']
    for key, label in (('lost', 'lost'), ('taken', '= samples taken')):
        n = re.search(rf'^  {label} +(\d+)$', text, re.M)
        if int(n[1]) != account[key]:
            print(f'{key}: {account[key]} and {n[1]}')
            bad += 1
    lines = [int(x) for x in re.findall(
        r'^  (?:host|guest|unresolved:) .* (\d+)$', text, re.M)]
    if lines != [x['samples'] for x in account['lines']]:
        print(f'account: {lines}')
        bad += 1
    print(f"account: {len(lines)} lines equal, adds up: {account['adds_up']}")
    sys.exit(bad != 0)


if __name__ == '__main__':
    main()
