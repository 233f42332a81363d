#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""switches.py WINDOW KALLSYMS [SESSION]: instructions of the scheduler's probes, from WINDOW.hist.

Without SESSION: "switches N INSTRUCTIONS": all switches of the window, and the mean of one.
With it: "records N INSTRUCTIONS": switch records with a TSC in the window (WINDOW.out says which), and the mean of one.
Counted is what is executed because of the probes, in the module and in the tracepoints; NMIs not.  Then by function."""
import re
import struct
import sys

import hist

OURS = re.compile(r'\[vmmprof\]|^__traceiter_sched_|^__SCT__tp_func_sched_')
window, kallsyms, *session = sys.argv[1:]
count, calls = hist.by_function(window, kallsyms, OURS, 'probe_switch')


def records():
    """Switch records between the window's TSCs."""
    begin, end = map(int, re.search(r'TSC (\d+) to (\d+)', open(f'{window}.out').read()).groups())
    data = open(f'{session[0]}/cpu-0.rec', 'rb').read()
    at, n = struct.unpack_from('<H', data, 14)[0], 0
    while at + 16 <= len(data):
        kind, size, _, tsc = struct.unpack_from('<HHIQ', data, at)
        n += 16 <= kind <= 20 and begin <= tsc <= end
        at += size
    return n


what, n = ('records', records()) if session else ('switches', calls)
if not n:
    sys.exit(f'no {what} in window {window}')
print(f'{what} {n} {sum(count.values()) / n:.1f} instructions each, {calls} switches in all')
for name, k in count.most_common(20):
    print(f'  {k / n:8.1f}  {name}')
