#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What `vmmprof steal --json` says of a guest, against what the scenario did to it.

times.py share STEAL.JSON GUEST STATE PERCENT POINTS    STATE (or a part of one) has PERCENT of its time, give or take
times.py lasted STEAL.JSON GUEST STATE FILE SECONDS     each vCPU was in STATE as long as FILE says, give or take
times.py thief STEAL.JSON GUEST WORDS PERCENT           who is described by WORDS took at least that much of its steal
times.py owner STEAL.JSON GUEST OWNER PERCENT WORDS...  all that is described by WORDS and took steal belongs to OWNER,
                                                        who took at least that much of its steal
times.py reason STEAL.JSON GUEST NAME PERCENT           exits of that NAME had at least that much of its time
times.py sum STEAL.JSON                                 each vCPU's states sum to its time
"""
import json
import sys

STATES = 'guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown'


def guest(data, name):
    return next(g for g in data['guests'] if g['name'] == name)


def share(data, name, state, percent, points):
    g = guest(data, name)
    ns = g[f'{state}_ns'] if state in STATES else g['parts'][f'{state}_ns']
    ours = 100 * ns / g['total_ns']
    print(f'{name}: {state} {ours:.2f} %, {percent} give or take {points}')
    return abs(ours - float(percent)) <= float(points)


def lasted(data, name, state, file, seconds):
    with open(file, encoding='utf-8') as f:
        truth = float(f.read())
    g = guest(data, name)
    ours = g[f'{state}_ns'] / 1e9 / len(g['vcpus'])
    print(f'{name}: {state} {ours:.3f} s, {truth:.3f} give or take {seconds}')
    return abs(ours - truth) <= float(seconds)


def thief(data, name, words, percent):
    g = guest(data, name)
    took = sum(c['preempted_ns'] + c['woken_ns'] for c in g['thieves'] if words in c['text'])
    ours = 100 * took / max(g['steal_ns'], 1)
    print(f'{name}: {words} took {ours:.2f} % of {g["steal_ns"] / 1e9:.3f} s of steal, at least {percent}')
    return g['steal_ns'] > 0 and ours >= float(percent)


def owner(data, name, whose, percent, *words):
    g = guest(data, name)
    took = {}
    for c in g['thieves']:
        took[c['owner']] = took.get(c['owner'], 0) + c['preempted_ns'] + c['woken_ns']
    ours = 100 * took.get(whose, 0) / max(g['steal_ns'], 1)
    print(f'{name}: {whose} took {ours:.2f} % of {g["steal_ns"] / 1e9:.3f} s of steal, at least {percent}')
    good = ours >= float(percent)
    for w in words:
        found = [c for c in g['thieves'] if w in c['text']]
        print(f'  {w}:', *(f"{c['text']} ({c['owner']}) {(c['preempted_ns'] + c['woken_ns']) / 1e6:.3f} ms" for c in found))
        good &= bool(found) and all(c['owner'] == whose for c in found)
    return good


def reason(data, name, what, percent):
    g = guest(data, name)
    ns = sum(r['time_ns'] for r in g['vmm_by_exit_reason'] if r['name'] == what)
    ours = 100 * ns / g['total_ns']
    print(f'{name}: {what} {ours:.2f} %, at least {percent}')
    return ours >= float(percent)


def total(data):
    good = bool(data['guests'])
    for g in data['guests']:
        for v in g['vcpus']:
            # each is rounded down
            good &= 0 <= v['total_ns'] - sum(v[f'{s}_ns'] for s in STATES) <= len(STATES)
    print(f"{sum(len(g['vcpus']) for g in data['guests'])} vCPUs, method {data['method']}")
    return good


what, file, *args = sys.argv[1:]
with open(file, encoding='utf-8') as f:
    sys.exit(not {'share': share, 'lasted': lasted, 'thief': thief, 'owner': owner, 'reason': reason, 'sum': total}[what](json.load(f), *args))
