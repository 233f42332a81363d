#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Whose were the guest's samples?  `vmmprof script` against the emulator's truth (pmu/truth.cc).

storm.py table TRUTH.TXT SCRIPT.TXT...    per CPL: right (pid and name), process unknown, wrong
storm.py check TRUTH.TXT SCRIPT.TXT       the bounds of scenario storm
storm.py memory TRUTH.TXT SCRIPT.TXT      from the first sample on whose process was read from memory: at CPL 3 all right,
                                          at CPL 0 99.9 %, none wrong

Two moments have two answers, each counted by itself:
at a switch   in __switch_to the stack is the next task's already and `current` still the last one's; named after the
              stack's owner, known from the samples at which that task was current.
renamed       exec writes the new name and perf's record of it takes its time some hundred instructions later: the right
              process, by the name of its sample before.  From the next sample on the old name is wrong.
"""
import bisect
import re
import sys

NEAR = 20000    # cycles from the VM exit to the module's reading of the TSC, at most
STACK = 16384   # THREAD_SIZE of x86-64
KINDS = 'right', 'at a switch', 'renamed', 'unknown', 'wrong', 'no truth'


class Truth:
    def __init__(self, path):
        self.tscs, self.lines, self.stacks, last = [], [], {}, {}
        for line in open(path, encoding='ascii'):
            tsc, cr3, rip, cpl, rsp, *who = line.split()
            if who[0] == '-':
                continue
            stack, tgid, _, *comm = who
            who = int(tgid), bytes.fromhex(''.join(comm)).decode('latin-1')
            self.stacks.setdefault(int(stack, 16), []).append((int(tsc), who))
            self.tscs.append(int(tsc))
            self.lines.append((int(cr3, 16), int(rip, 16), int(cpl), int(rsp, 16), int(stack, 16), who, last.get(who[0])))
            last[who[0]] = who

    def at(self, sample):
        k = bisect.bisect(self.tscs, int(sample['tsc'])) - 1
        if k < 0 or int(sample['tsc']) - self.tscs[k] > NEAR or \
                self.lines[k][:2] != (int(sample['cr3'], 16), int(sample['gip'], 16)):
            return None
        return self.lines[k]

    def owners(self, rsp, tsc):
        """Who was current on that stack next before and next after tsc."""
        seen = self.stacks.get(rsp & ~(STACK - 1), [])
        k = bisect.bisect(seen, (tsc,))
        return [who for _, who in seen[max(k - 1, 0):k + 1]]


def samples(path):
    for line in open(path, encoding='utf-8'):
        if line.startswith('type=sample '):
            s = dict(m.groups() for m in re.finditer(r'(\S+?)=(\S*)', line))
            if 'G' in s['flags']:
                yield s


def judge(truth, s):
    t = truth.at(s)
    if not t:
        return 'no truth'
    _, _, cpl, rsp, stack, who, before = t
    if s.get('gpid', '-') == '-':
        return 'unknown'
    ours = int(s['gpid']), s.get('gcomm')
    if ours == who:
        return 'right'
    if not cpl and not stack <= rsp < stack + STACK and ours in truth.owners(rsp, int(s['tsc'])):
        return 'at a switch'
    return 'renamed' if not cpl and ours == before else 'wrong'


def compare(truth, path):
    count, wrong = {cpl: dict.fromkeys(KINDS, 0) for cpl in (0, 3)}, {}
    for s in samples(path):
        how = judge(truth, s)
        count[int(s['cpl'])][how] += 1
        if how == 'wrong':
            what = f"CPL {s['cpl']}, {s.get('gsym')}: {s['gpid']} {s.get('gcomm')}, was {truth.at(s)[5]}"
            wrong[what] = wrong.get(what, 0) + 1
    return count, wrong


def table(truth, paths):
    print(f'{"":24}{"samples":>9}' + ''.join(f'{k:>20}' for k in KINDS))
    for path in paths:
        count, _ = compare(truth, path)
        for cpl, c in count.items():
            n = max(sum(c.values()), 1)
            print(f'{path[:-4] + ", CPL " + str(cpl):24}{n:9}' +
                  ''.join(f'{c[k]:10} ({100 * c[k] / n:5.2f} %)' for k in KINDS))
    return True


def check(truth, paths):
    """At CPL 0 the stacks of interrupts are nobody's: unknown.  Bounds: 4 sigma and more from what is measured."""
    count, wrong = compare(truth, paths[0])
    for what, n in sorted(wrong.items(), key=lambda w: -w[1])[:4]:
        print(n, what)
    good = True
    for cpl, right, bad in (3, .99, .002), (0, .94, .0005):
        c, n = count[cpl], sum(count[cpl].values())
        moments = c['at a switch'] + c['renamed']
        print(f"CPL {cpl}: {n} samples, {c['right']} right, {moments} at a switch or renamed, {c['wrong']} wrong")
        good &= n >= 3000 and c['right'] + moments >= right * n and c['wrong'] <= bad * n and moments <= .01 * n
    return good


def memory(truth, paths):
    count, early, since = {cpl: dict.fromkeys(KINDS, 0) for cpl in (0, 3)}, dict.fromkeys(KINDS, 0), None
    for s in sorted(samples(paths[0]), key=lambda s: int(s['tsc'])):
        how = judge(truth, s)
        if s.get('who', '-').isdigit():
            since = since or int(s['tsc'])
        if since:
            count[int(s['cpl'])][how] += 1
        else:
            early[how] += 1
        if how not in ('right', 'no truth'):
            print(how, s['tsc'], s['cpl'], s.get('gsym'), s.get('gpid'), s.get('gcomm'), s.get('who'), (truth.at(s) or [None] * 6)[5])
    print('before the first that says who ran:', early)
    good = since is not None and not sum(n for how, n in early.items() if how not in ('right', 'unknown', 'no truth'))
    for cpl, share in (3, 1), (0, .999):
        c, n = count[cpl], sum(count[cpl].values()) - count[cpl]['no truth']
        print(f"CPL {cpl}: {n} samples, {c['right']} right, {c['unknown']} unknown, {n - c['right'] - c['unknown']} wrong, "
              f"{c['no truth']} without truth")
        good &= n >= 1500 and c['right'] >= share * n and c['right'] + c['unknown'] == n and c['no truth'] <= .01 * n
    return good


sys.exit(not {'table': table, 'check': check, 'memory': memory}[sys.argv[1]](Truth(sys.argv[2]), sys.argv[3:]))
