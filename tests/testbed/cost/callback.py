#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""callback.py COST.TXT WINDOW KALLSYMS: instructions of the NMI path by function, from WINDOW.hist beside COST.TXT.

Line "callback N": those per sample whose function lies in [vmmprof]; then the functions, most expensive first."""
import collections
import os
import sys

import hist

cost, window, kallsyms = sys.argv[1:]
name_of = hist.names(kallsyms)

samples = 0
for line in open(cost):
    f = line.split()
    if f[0] == 'window':
        name = f[1]
    elif f[0] == 'time' and name == window:
        samples = int(f[f.index('pmi') + 1])
if not samples:
    sys.exit(f'no samples in window {window}')

count = collections.Counter()
for line in open(os.path.join(os.path.dirname(cost), f'{window}.hist')):
    f = line.split()
    if f[0] in ('host_nmi', 'guest_nmi'):
        count[name_of(int(f[1], 16))[0]] += int(f[2])
ours = sum(n for s, n in count.items() if s.endswith('[vmmprof]'))
print(f'callback {ours / samples:.1f} instructions per sample in [vmmprof], of {sum(count.values()) / samples:.1f} from NMI to return')
for name, n in count.most_common(40):
    print(f'  {n / samples:8.1f}  {name}')
