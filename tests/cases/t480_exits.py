#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t480_exits.py VM VCPU: sums of reasons, histograms and vCPUs are the whole; and
the text of the session s on wide and narrow terminals."""
import fcntl
import json
import os
import pty
import struct
import sys
import termios

KEYS = 'exits', 'time_ns', 'not_ended'


def same(what, a, b):
    if a != b:
        sys.exit(f'{what}: {a} and {b}')


def inside(what, rows):
    for r in rows:
        same(f'{what}: histogram', sum(s['exits'] for s in r['histogram']), r['exits'])
        if not r['min_ns'] <= r['mean_ns'] <= r['max_ns']:
            sys.exit(f'{what}: {r["min_ns"]} {r["mean_ns"]} {r["max_ns"]}')
        if not r['min_ns'] <= r['p50_ns'] <= r['p90_ns'] <= r['p99_ns'] <= r['max_ns']:
            sys.exit(f'{what}: percentiles {r}')


vm, vcpu = (json.load(open(name))['guests'] for name in sys.argv[1:])
for table in vm, vcpu:
    for g in table:
        inside(g['guest'], [g] + g['reasons'])
        for key in KEYS:
            # each was rounded down on its own
            d = g[key] - sum(r[key] for r in g['reasons'])
            if not 0 <= d <= len(g['reasons']):
                sys.exit(f'{g["guest"]}: {key} of all reasons differs by {d}')
        for r in g['reasons']:
            same('functions', sum(f['samples'] for f in r['functions']), r['samples'])
for g in vm:
    parts = [v for v in vcpu if v['guest'] == g['guest']]
    for key in KEYS:
        same(f'{g["guest"]}: {key} of vCPUs', sum(v[key] for v in parts), g[key])
    same('largest', max(v['max_ns'] for v in parts), g['max_ns'])
print('sums agree')


def on_terminal(columns):
    """The text's lines there."""
    pid, fd = pty.fork()
    if not pid:
        os.execv(os.environ['VMMPROF'], ['vmmprof', 'exits', '-i', 's', '--no-pager', '--color=never'])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    data = b''
    try:
        while more := os.read(fd, 65536):
            data += more
    except OSError:
        pass
    os.waitpid(pid, 0)
    return data.decode().replace('\r', '').splitlines()


for columns, fits, quantiles in (120, 120, True), (80, 80, False), (40, 80, False):
    lines = on_terminal(columns)
    if max(map(len, lines)) > fits or any('p99.9' in line for line in lines) != quantiles:
        sys.exit(f'{columns} columns: {lines}')
