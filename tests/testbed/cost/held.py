#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""held.py COST.TXT WINDOW: how far SVM's samples of guests are too many.

With GIF 0, from CLGI on, an NMI waits.  VMRUN sets GIF: one that was raised before it leaves the guest at once, and
its sample is the guest's.  Line "entry N": instructions from CLGI to VMRUN, that is, of the host but counted as the
guest's, at each entry; then how many NMIs waited so, and how many for STGI, which are the host's."""
import sys

path, window = sys.argv[1:]
lines = iter(open(path))
for line in lines:
    if line.split()[:2] == ['window', window]:
        f = next(lines).split()
        break
else:
    sys.exit(f'no window {window}')
count = {f[k]: int(f[k + 1]) for k in range(0, len(f), 2)}
per_entry = count['gif0_entering'] / count['exits'] if count['exits'] else 0
print(f"entry {per_entry:.1f} instructions from CLGI to VMRUN: {100 * count['gif0_entering'] / count['ins']:.2f} % of all")
print(f"held {count['held_entering']} of {count['pmi']} NMIs waited there, {count['held_exiting']} from #VMEXIT to STGI")
