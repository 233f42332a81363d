#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t342_tui_one_number.py SESSION [--time RANGES]: the panels of `report --tui`
have the numbers of `steal` and of `report`: of each guest and of each vCPU the
shares of its states, and each row of its time, with thieves below [steal]."""
import os
import re
import sys

import t450_tui
from t450_tui import run

session, *when = sys.argv[1:]
steal = run('steal', '-i', session, '--json', *when)
t = t450_tui.Terminal(os.environ['VMMPROF'], 'report', '--tui', '-i', session,
                      *when)


def seconds(ns):
    return f'{ns / 1e9:.3f}'


def check_rows(*of):
    """The lower pane's rows are those of report."""
    table, = run('report', '-i', session, '--json', *of, *when)['guests']
    want = [(seconds(r['time_ns']), r['function'], r['module'])
            for r in table['rows'] + table['host_time']]
    got = t.cells()
    assert sorted(got) == sorted(want), (of, got, want)
    assert [float(r[0]) for r in got] == sorted(
        (float(r[0]) for r in got), reverse=True), got


def check_thieves(guest):
    """Unfolded: who took the time of the rows [steal]."""
    stolen = [s for s in guest['thieves']
              if s['preempted_ns'] + s['woken_ns']]
    if not any(r[1] == '[steal]' for r in t.cells()):
        assert not stolen
        return
    assert t.key('E')
    took = [re.match(r' *([\d.]+) +[\d.-]+ .*?[├└]─[ +-] (.*?)(?:  |$)', s)
            for s in t.lower()]
    got = sorted((m[1], m[2]) for m in took if m)
    assert t.key('C')
    assert got == sorted((seconds(s['preempted_ns'] + s['woken_ns']),
                          s['text']) for s in stolen), (got, stolen)


try:
    t450_tui.check_vcpus(t, steal)
    for guest in steal['guests']:
        assert t.key('Down')
        check_rows('--guest', guest['name'])
        check_thieves(guest)
        for vcpu in guest['vcpus']:
            assert t.key('Down')
            check_rows('--guest', guest['name'], '--vcpu', str(vcpu['vcpu']))
finally:
    t.tmux('kill-server')
print(f'{session} {when}: {len(steal["guests"])} guests')
