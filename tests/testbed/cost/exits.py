#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""exits.py WINDOW KALLSYMS COST.TXT: instructions that counting a VM exit costs.

"exits N INSTRUCTIONS": probes of kvm_exit in WINDOW, and the mean of one with that of kvm_entry: what is executed in the
module and in what calls it (WINDOW.hist), NMIs not.  Then by function.
"whole INSTRUCTIONS": root-mode instructions for each exit in the window, less those of the window none-WINDOW, in which
nothing is counted."""
import re
import sys

import hist

OURS = re.compile(r'\[vmmprof\]|^__traceiter_kvm_(exit|entry)\b|^__SCT__tp_func_kvm_(exit|entry)\b')
window, kallsyms, cost = sys.argv[1:]
count, calls = hist.by_function(window, kallsyms, OURS, 'probe_exit')
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
