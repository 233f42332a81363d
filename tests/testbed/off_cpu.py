#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""off_cpu.py VMMPROF SESSION: where guest one's vCPU was when it did not run, by the
stacks of an export: stolen time of deep is below chains that deep is built to have, with
the thief as the leaf; it halts in its kernel's idle loop."""
import collections
import json
import re
import subprocess
import sys

vmmprof, session = sys.argv[1:]
# leaf is below 13 or 5 calls of down, ask below 7 of level; the kernel's frames are above
KNOWN = re.compile(r'main(?:(?:;down){13};leaf|(?:;down){5};leaf|(?:;level){7};ask|(?:;down){0,13}|(?:;level){0,7})'
                   r'((?:;(?!main;|down;|leaf;|level;|ask;|\[broken)[^;]+)*);$')
wrong = []


def run(*args):
    return subprocess.run([vmmprof, *args], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout


def known(frames):
    return KNOWN.match(re.sub('^__libc_start_call_main;', '', ''.join(f + ';' for f in frames)))


def idle(frames):
    return 'cpu_startup_entry' in frames and 'idle' in ''.join(frames[-3:]) and not frames[0].startswith('[broken')


def share(what, counts, least, of):
    whole = counts[True] + counts[False]
    print(f'{what}: {counts[True]} of {whole} ns: {100 * counts[True] / max(whole, 1):.2f} %')
    if whole < of * 1e9 or counts[True] < least * whole:
        wrong.append(what)


steal, halt, thieves, bad = (collections.Counter() for _ in range(4))
total = collections.Counter()
chained = 0  # but polling and idle in the guest, which are no switches
for line in run('export', '-f', 'folded', session).splitlines():
    stack, ns = line.rsplit(' ', 1)
    guest, _, process, *frames = stack.split(';')
    if guest != 'one':
        continue
    # a halt in which the host polls, or is on its way to sleep, is below its exit
    if '[exit: HLT]' in frames and '[halt]' not in frames:
        total['[halt]'] += int(ns)
    for state in '[steal]', '[halt]', '[blocked]':
        if state not in frames:
            continue
        at = frames.index(state)
        total[state] += int(ns)
        chained += not frames[0].startswith('(') and int(ns)
        if state == '[steal]' and process == 'deep':
            good = bool(known(frames[:at]))
            steal[good] += int(ns)
            thieves[frames[at + 1]] += int(ns)
            if not good:
                bad[';'.join(frames[:at])] += int(ns)
        elif state == '[halt]' and not frames[0].startswith('('):
            halt[idle(frames[:at])] += int(ns)
print(*(f'{n} {k}' for k, n in bad.most_common(6)), sep='\n')
print(thieves.most_common(4))
share('steal below the known chains', steal, 0.97, 0.5)
share('halt in the idle loop', halt, 0.97, 0.01)
# another deep, on the host, is what it mostly waits for
if thieves['deep'] < sum(thieves.values()) / 2:
    wrong.append('thieves')
one, = (g for g in json.loads(run('steal', '--json', session))['guests'] if g['name'] == 'one')
print(total, {s: one[f'{s}_ns'] for s in ('steal', 'halt', 'blocked')})
if any(total[f'[{s}]'] != one[f'{s}_ns'] for s in ('steal', 'halt', 'blocked')):
    wrong.append('sums')
time = json.loads(run('report', '--json', '-g', 'caller', session))['account']['chains']['time']
print(time, chained)
# of each state it is rounded by itself
if abs(chained - time['total_ns']) > 6 or time['no_guest_code_ns'] > 0.01 * chained:
    wrong.append('account')
if wrong:
    sys.exit('wrong: ' + ', '.join(wrong))
