#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Was it guest or host?  Decisions in the output of `vmmprof script` against other evidence.

hostmode.py emulator COST.TXT WINDOW.TXT SCRIPT.TXT   the emulator's own count of NMIs by what they hit
hostmode.py preempted SCRIPT.TXT                    samples of other tasks while a VMCS was current
hostmode.py forwarded SCRIPT.TXT                    NMIs while KVM handled an interrupt out of the guest
"""
import os
import re
import sys

# SDM 3, "VMX basic exit reasons"; APM 2, "SVM intercept codes"
NMI, INTERRUPT = (0x61, 0x60) if os.environ.get('HOST_CPU') == 'amd' else (0, 1)


def samples(path):
    for line in open(path, encoding='utf-8'):
        if line.startswith('type=sample '):
            yield dict(f.split('=', 1) for f in line.split() if '=' in f)


def emulator(cost, window, script):
    m = re.search(r'window (\S+): .* TSC (\d+) to (\d+)', open(window).read())
    begin, end = int(m[2]), int(m[3])
    inside = [s for s in samples(script) if begin <= int(s['tsc']) <= end]
    guest = sum('G' in s['flags'] for s in inside)
    lines = iter(open(cost))
    for line in lines:
        if line.split()[:2] == ['window', m[1]]:
            f = next(lines).split()
            break
    else:
        sys.exit(f'no window {m[1]}')
    count = {f[k]: int(f[k + 1]) for k in range(0, len(f), 2)}
    print(f"emulator: {count['nmi_guest']} in guest, {count['nmi_host']} in host; "
          f'samples: {guest} in guest, {len(inside) - guest} in host')
    # The program that delimits the window runs a little before and after its TSCs.
    return (count['nmi_guest'] > 1000 and abs(guest - count['nmi_guest']) <= 1 and
            0 <= count['nmi_host'] - (len(inside) - guest) <= 5)


def preempted(script):
    seen = wrong = 0
    for s in samples(script):
        if 'M' in s['flags'] and 'V' not in s['flags']:
            seen += 1
            wrong += 'G' in s['flags'] or not s['mode'].startswith('host')
    print(f'{seen} samples of tasks without a vCPU while a VMCS was current, {wrong} called guest')
    return seen > 1000 and wrong == 0


def forwarded(script):
    handler = window = wrong = naive = 0
    for s in samples(script):
        if 'V' not in s['flags'] or s.get('handling', '0') == '2':
            continue
        guest = 'G' in s['flags']
        reason = int(s.get('exit', '-1').split(':')[0], 0)
        naive += reason in (NMI, INTERRUPT) and s.get('handling') == '1'
        if s.get('handling') == '1':
            handler += reason == INTERRUPT
            window += reason != INTERRUPT
        wrong += guest
    print(f'{handler} samples in forwarded interrupts, {window} in the window after other exits, {wrong} called guest; '
          f'a rule that only asks for an NMI or interrupt and "handling" would have called {naive} guest')
    return handler > 0 and window > 0 and wrong == 0


what, *args = sys.argv[1:]
sys.exit(not {'emulator': emulator, 'preempted': preempted, 'forwarded': forwarded}[what](*args))
