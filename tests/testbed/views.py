#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""views.py SESSION: every view over one recorded session has the numbers of `vmmprof report --json`.

The text, csv, json, folded, pprof, speedscope and perfetto exports, the page, `diff SESSION SESSION`, `steal`, the
timeline and the panels of `report --tui` (in a tmux).  $VMMPROF: the program.  Prints what was compared; status 0: all
equal.
"""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time

BED = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(BED)
sys.path.insert(0, f'{TESTS}/gen')
import compare_json  # noqa: E402  pylint: disable=wrong-import-position

STATES = ('guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown')


def run(*args):
    return subprocess.run([os.environ['VMMPROF'], *args], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode()


def other_test(name, *args):
    subprocess.run([sys.executable, f'{TESTS}/{name}', *args], check=True,
                   env={**os.environ, 'PYTHONDONTWRITEBYTECODE': '1'}, stdout=subprocess.DEVNULL)


def files(session, work):
    """What tests of each view by itself compare, on this session."""
    run('report', '-i', session, '--html', f'{work}/page')
    other_test('cases/t440_html.py', f'{work}/page', session)
    other_test('cases/t400_export.py', session)
    other_test('cases/t430_diff.py', session, session)
    other_test('cases/t341_one_number.py', session)
    print('page, exports, diff with itself, the same numbers in all')


def text(session, report):
    """The tables of functions; there a state of the vCPUs is a function, too."""
    found = compare_json.tables(run('report', '-i', session, '-n', '0'))
    for m in [report['host']] + report['guests']:
        want = [(r['samples'], f"{r['function']}  {r['module']}") for r in m['rows'] + m.get('host_time', [])]
        assert sorted(want) == sorted((n, name) for n, _, name in found[m['name']]), m['name']
    print('text,', sum(map(len, found.values())), 'rows')


def states(session, report):
    """steal's columns sum to the time of each vCPU, its vCPUs to the guest, and the report's rows are as long."""
    said = json.loads(run('steal', '-i', session, '--json'))
    for g in said['guests']:
        for part in [g] + g['vcpus']:
            # each is rounded down
            assert 0 <= part['total_ns'] - sum(part[f'{s}_ns'] for s in STATES) <= len(STATES), part
        for s in STATES:
            assert 0 <= g[f'{s}_ns'] - sum(v[f'{s}_ns'] for v in g['vcpus']) <= len(g['vcpus']), (g['name'], s)
        rows = next(m for m in report['guests'] if m['name'] == g['name'])['host_time']
        for s in STATES[1:]:
            ns = sum(r['time_ns'] for r in rows if r['function'] == f'[{s}]')
            assert ns == g[f'{s}_ns'], (g['name'], s, ns, g[f'{s}_ns'])
    print('steal', ', '.join(f"{g['name']} {100 * g['steal_ns'] / g['total_ns']:.1f} %" for g in said['guests']))
    return said


def timeline(session, steal):
    """Every stretch of the timeline, by guest and state."""
    sums = {}
    rows = list(csv.DictReader(io.StringIO(run('timeline', '-i', session, '--csv'))))
    for r in rows:
        key = r['guest'], r['state']
        sums[key] = sums.get(key, 0) + float(r['seconds'])
    for g in steal['guests']:
        parts = {'preempted': g['parts']['preempted_ns'], 'woken': g['parts']['woken_ns'],
                 'on-cpu': sum(v['on_cpu_ns'] for v in g['vcpus']), 'blocked': g['blocked_ns'],
                 'unknown': g['unknown_ns']}
        for state, ns in parts.items():
            ours = sums.get((g['name'], state), 0)
            assert abs(ours - ns / 1e9) < 1e-8 * len(rows) + 1e-6, (g['name'], state, ours, ns)
    print(f'timeline, {len(rows)} stretches')


class Terminal:
    """A tmux with the panels."""
    def __init__(self, session, work):
        self.tmux = ['tmux', '-u', '-S', f'{work}/tmux', '-f', '/dev/null']
        self.do('new-session', '-d', '-x', '200', '-y', '60',
                f'exec "{os.environ["VMMPROF"]}" report --tui -i "{session}" 2> "{work}/tui.err"')

    def do(self, *args):
        return subprocess.run([*self.tmux, *args], check=True, stdout=subprocess.PIPE).stdout.decode()

    def wait(self, *regexes):
        """The lines of the first screen on which each matches a line, and which stands still."""
        last = None
        for _ in range(300):
            lines = self.do('capture-pane', '-p').splitlines()
            if lines == last and all(any(re.search(r, line) for line in lines) for r in regexes):
                return lines
            last = lines
            time.sleep(0.1)
        raise AssertionError('\n'.join([f'no {regexes} on the screen:', *last]))

    def end(self):
        subprocess.run([*self.tmux, 'kill-server'], check=False)


def lower(lines):
    """(seconds or samples, function, module) of the lower pane's rows."""
    begin = max(i for i, line in enumerate(lines) if line.startswith(('Samples', 'Seconds')))
    name, column = lines[begin].index('Function'), lines[begin].index('Module')
    return [(line[:7].strip(), line[name:column - 1].strip(), line[column:].strip())
            for line in lines[begin + 1:-1] if line.strip()]


def panels(session, report, steal, work):
    t = Terminal(session, work)
    compared = 0
    try:
        lines = t.wait(rf"\b{report['account']['taken']} samples")
        for m in report['guests']:
            g = next(g for g in steal['guests'] if g['name'] == m['name'])
            row = next(line for line in lines if line.startswith(m['name'] + ' '))
            shown = [float(x) for x in re.findall(r' (\d+\.\d)(?= |$)', row)[:len(STATES)]]
            want = [100 * g[f'{s}_ns'] / g['total_ns'] for s in STATES]
            assert all(abs(a - b) <= 0.0501 for a, b in zip(shown, want, strict=True)), (row, want)
            t.do('send-keys', '-l', f"/{m['name']}")
            t.wait(f"^filter: {m['name']}_")
            t.do('send-keys', 'Enter')
            # of time where there are switch records
            amount = (lambda r: f"{r['time_ns'] / 1e9:.3f}") if 'time' in m else (lambda r: str(r['samples']))
            want = [(amount(r), r['function'], r['module']) for r in m['rows'] + m.get('host_time', [])]
            want.sort(key=lambda r: -float(r[0]))
            rows = lower(t.wait(f"filter: {m['name']}$", f"^ *{want[0][0]} "))
            assert rows and [r[0] for r in rows] == [r[0] for r in want[:len(rows)]], (m['name'], rows, want)
            # names may be cut on the right
            for a in rows:
                assert any(a[0] == b[0] and b[1].startswith(a[1]) and b[2].startswith(a[2]) for b in want), a
            compared += len(rows)
            t.do('send-keys', 'Escape')
            t.wait('^host ')
    finally:
        t.end()
    print(f'panels, {compared} rows')


def main():
    session = sys.argv[1]
    with tempfile.TemporaryDirectory() as work:
        files(session, work)
        report = json.loads(run('report', '-i', session, '--json'))
        text(session, report)
        steal = states(session, report)
        timeline(session, steal)
        panels(session, report, steal, work)


if __name__ == '__main__':
    main()
