#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""table.py [--sums | --only WINDOW COLUMN] COST.TXT: what a sample costs, per window of the emulator's counter.

Instructions.  nmi: delivery of the NMI to its return (hit in the host: IDT to IRET; in a guest: KVM's call to IRET).
exit, entry: VM exit to that call, IRET to the next VM entry.  way: these three.  total: all instructions in root mode
that the windows without sampling ("none-...") do not have, divided by the samples: draining and all else included."""
import sys


def read(path):
    windows = []
    for line in open(path):
        f = line.split()
        if f[0] == 'window':
            w = {'name': f[1], 'root': 0, 'guest': 0, 'seg': {}}
            windows.append(w)
        elif f[0] == 'time':
            w.update({f[k]: int(f[k + 1]) for k in range(0, len(f), 2)})
        elif f[0] == 'guest':
            w['guest'] += int(f[3])
        elif f[0] == 'root':
            w['root'] += int(f[4])
        elif f[0] == 'seg':
            w['seg'][f[1]] = {f[k]: float(f[k + 1]) for k in range(2, len(f), 2)}
    base = [w for w in windows if w['name'].startswith('none')]
    if not base:
        sys.exit('no window without sampling')
    # root-mode instructions per tick without sampling; windows differ in length by some ticks
    rate = sum(w['root'] for w in base) / sum(w['time'] for w in base)
    for w in windows:
        segment = lambda s, what='mean': w['seg'].get(s, {}).get(what, 0)
        w['samples'] = w['pmi']
        count = segment('host_nmi', 'n') + segment('guest_nmi', 'n')
        w['nmi'] = count and (segment('host_nmi') * segment('host_nmi', 'n') +
                              segment('guest_nmi') * segment('guest_nmi', 'n')) / count
        w['exit'], w['entry'] = segment('exit'), segment('after', 'median')
        w['way'] = w['exit'] + w['nmi'] + w['entry']
        w['total'] = (w['root'] - rate * w['time']) / w['pmi'] if w['pmi'] else 0
    return windows


def main():
    windows = read(sys.argv[-1])
    if sys.argv[1] == '--sums':
        for w in windows:
            if w['root'] + w['guest'] != w['ins']:
                sys.exit(f"{w['name']}: {w['root']} + {w['guest']} is not {w['ins']}")
        print(f'{len(windows)} windows')
    elif sys.argv[1] == '--only':
        print(*[f"{w[sys.argv[3]]:.1f}" for w in windows if w['name'] == sys.argv[2]])
    else:
        print(f"{'instructions per sample':24} {'samples':>8} {'in host':>8} {'exit':>6} {'nmi':>7} {'entry':>6} {'total':>7}")
        for w in windows:
            if w['samples']:
                print(f"{w['name']:24} {w['samples']:8} {w['nmi_host']:8} {w['exit']:6.0f} {w['nmi']:7.0f} {w['entry']:6.0f} "
                      f"{w['total']:7.0f}")
            else:
                print(f"{w['name']:24} {'-':>8}   root mode: {100 * w['root'] / w['ins']:.2f} % of all instructions")


main()
