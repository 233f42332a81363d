#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t450_tui.py SESSION: page through the panels of `report --tui` in a real
terminal: every guest and vCPU is there with the shares of `steal --json`, and
the rows of the functions of the host and of the last guest add up to their
samples in `report --json`."""
import json
import os
import re
import subprocess
import sys
import time

COLUMNS = ('guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown')
ROW = re.compile(r'(\S.*?|  vCPU \d+) +[A-Z.█?-]+ +' +
                 ' +'.join([r'([\d.]+)'] * len(COLUMNS)) + r'(?: |$)')


class Terminal:
    """The panels in tmux."""

    def __init__(self, *command):
        self.tmux('-f', '/dev/null', 'new-session', '-d', '-x', '200', '-y',
                  '250', *command)
        self.at = self.settle(lambda: self.upper())

    @staticmethod
    def tmux(*args):
        return subprocess.run(['tmux', '-u', '-S', 'panels', *args],
                              check=True, stdout=subprocess.PIPE).stdout

    def screen(self):
        """With its colours: by these alone the chosen row is told."""
        return self.tmux('capture-pane', '-p', '-e').decode().split('\n')

    def settle(self, done=lambda: True):
        """The screen when it shows what is wanted and stands still."""
        self.at = None
        for _ in range(300):
            now = self.screen()
            if now == self.at and done():
                return now
            self.at = now
            time.sleep(.1)
        raise SystemExit('\n'.join(self.lines()))

    def lines(self):
        return [re.sub('\x1b\\[[0-9;]*m|[\x0e\x0f]', '', s) for s in self.at]

    def chosen(self):
        """The row that is shown in reverse."""
        return next((t for s, t in zip(self.at, self.lines())
                     if re.search('\x1b\\[([0-9]+;)*7m', s)), None)

    def key(self, key):
        """False: nothing changes, however long one waits."""
        before = self.at
        self.tmux('send-keys', key)
        for _ in range(100):
            time.sleep(.1)
            if self.screen() != before:
                self.settle()
                return True
        return False

    def upper(self):
        return [m.groups() for m in map(ROW.match, self.lines()) if m]

    def lower(self):
        """The rows below the heading, and the keys' line."""
        lines = self.lines()
        top = max(i for i, s in enumerate(lines)
                  if s.startswith(('Samples ', 'Seconds ')))
        return [s for s in lines[top + 1:] if re.match(r' *[\d.]+ ', s)]

    def cells(self):
        """(seconds or samples, function, module) of these rows."""
        lines = self.lines()
        top = max(i for i, s in enumerate(lines)
                  if s.startswith(('Samples ', 'Seconds ')))
        name, module = (lines[top].index(s) for s in ('Function', 'Module'))
        return [(s[:7].strip(), s[name:module - 1].strip(),
                 s[module:].strip()) for s in self.lower()]


def run(*args):
    return json.loads(subprocess.run([os.environ['VMMPROF'], *args],
                                     check=True,
                                     stdout=subprocess.PIPE).stdout)


def page_down(t, rows, done):
    """All rows of a pane, whose pages overlap."""
    found = rows()
    while not done(found) and t.key('PageDown'):
        page = rows()
        # the longest end of what was found that this page begins with
        same = max(n for n in range(len(page) + 1)
                   if found[len(found) - n:] == page[:n])
        found += page[same:]
    return found


def check_vcpus(t, steal):
    want = []
    for g in steal['guests']:
        want.append((None, g))
        want += [(f"  vCPU {v['vcpu']}", v) for v in g['vcpus']]
    rows = page_down(t, t.upper, lambda found: len(found) >= len(want))
    assert len(rows) == len(want), (len(rows), len(want))
    for (name, *shares), (label, of) in zip(rows, want):
        assert label is None or name == label, (name, label)
        for share, column in zip(shares, COLUMNS):
            exact = 100 * of[column + '_ns'] / of['total_ns']
            assert abs(float(share) - exact) < .0501 or (
                share == '100' and exact > 99.9), (name, column, share, exact)


def total(rows):
    """Samples of functions, where rows are of time beside it."""
    rows = [s for s in rows if not re.search(
        r' \[(guest|vmm|steal|halt|blocked|unknown)\] +\(', s)]
    return sum(int(re.match(r' *\d+\.\d+ +[\d.]+ [^ ]* *(\d+) |^ *(\d+) ',
                            s)[1] or s.split()[0]) for s in rows)


def check_functions(t, samples):
    t.key('Tab')
    rows = page_down(t, t.lower, lambda found: total(found) >= samples)
    assert total(rows) == samples, (len(rows), total(rows), samples)
    # past the bar of time
    t.key('Tab')
    t.key('Tab')


def main():
    session = sys.argv[1]
    steal = run('steal', '-i', session, '--json')
    report = run('report', '-i', session, '--json')
    t = Terminal(os.environ['VMMPROF'], 'report', '--tui', '-i', session)
    try:
        check_functions(t, report['host']['samples'])
        check_vcpus(t, steal)
        t.tmux('send-keys', 'End')
        # from the last vCPU to its guest
        for _ in steal['guests'][-1]['vcpus']:
            t.tmux('send-keys', 'Up')
        t.settle(lambda: t.chosen() and not t.chosen().startswith('  vCPU'))
        check_functions(t, report['guests'][-1]['samples'])
    finally:
        t.tmux('kill-server')


if __name__ == '__main__':
    main()
