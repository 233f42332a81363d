#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""exits.py WINDOW KALLSYMS COST.TXT: instructions that counting a VM exit costs.

"exits N INSTRUCTIONS": probes of kvm_exit in WINDOW, and the mean of one with that of kvm_entry: what is executed in the
module and in what calls it (WINDOW.hist), NMIs not.  Then by function.
"whole INSTRUCTIONS": root-mode instructions for each exit in the window, less those of the window none-WINDOW, in which
nothing is counted."""
import bisect
import collections
import re
import sys

OURS = re.compile(r'\[vmmprof\]|^__traceiter_kvm_(exit|entry)\b|^__SCT__tp_func_kvm_(exit|entry)\b')
window, kallsyms, cost = sys.argv[1:]
symbols = {int(f[0], 16): ' '.join(f[2:]) for f in map(str.split, open(kallsyms)) if f[1] in 'tTwW'}
addresses = sorted(symbols)

count, calls = collections.Counter(), 0
for line in open(f'{window}.hist'):
    stage, address, n, *_ = line.split()
    if stage != 'none':
        continue
    address = int(address, 16)
    at = bisect.bisect_right(addresses, address) - 1
    name = symbols[addresses[at]] if at >= 0 else '?'
    if OURS.search(name):
        count[name] += int(n)
        if name.startswith('probe_exit') and address == addresses[at]:
            calls = int(n)
if not calls:
    sys.exit(f'no exit in window {window}')
print(f'exits {calls} {sum(count.values()) / calls:.1f} instructions each')
for name, k in count.most_common(12):
    print(f'  {k / calls:8.1f}  {name}')

each = {}
for line in open(cost):
    f = line.split()
    if f[0] == 'window':
        name, root = f[1], 0
    elif f[0] == 'time':
        exits = int(f[f.index('exits') + 1])
    elif f[0] == 'root':
        root += int(f[4])
        each[name] = root / exits if exits else 0
print(f'whole {each[window] - each["none-" + window]:.1f} instructions: {each[window]:.1f} less {each["none-" + window]:.1f}')
