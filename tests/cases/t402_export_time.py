#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t402_export_time.py SESSION DESCRIPTION: the firefox export has samples of
guests at the times of `script`, and vCPUs' states at those of `timeline --csv`,
to a bin (a 512th of the time); the speedscope export has the same in the same
order."""
import collections
import csv
import io
import json
import os
import re
import subprocess
import sys


def run(*args):
    return subprocess.run([os.environ['VMMPROF'], *args], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


session, description = sys.argv[1:]
with open(description, encoding='utf-8') as f:
    text = f.read()
start, stop = (int(v) / 1e6 for v in re.search(
    r'^  stop start=(\d+) stop=(\d+)', text, re.M).groups())
khz = int(re.search(r'tsc_khz=(\d+)', text)[1])
assert khz == 1000000
BIN = (stop - start) / 512

said = json.loads(run('export', '-i', session, '-f', 'firefox'))
shared, period = said['shared'], said['meta']['interval']
names = shared['stringArray']


def function(stack):
    """Its name; of a halt what it is, too; of a thief what he did."""
    below = shared['stackTable']['prefix'][stack]
    if below is not None and function(below) == '[steal]':
        thieves.add(stack)
        return '[steal]'
    func = shared['frameTable']['func'][shared['stackTable']['frame'][stack]]
    name = names[shared['funcTable']['name'][func]]
    module = shared['funcTable']['resource'][func]
    if name == '[halt]':
        name += ' ' + names[shared['resourceTable']['name'][module]]
    return name


thieves = set()
# weights are milliseconds, else samples
ms_weights = said['threads'][0]['samples']['weightType'] == 'tracing-ms'
threads = {}  # name -> [(ms, function or None, weight)]
for t in said['threads']:
    s = t['samples']
    name = t['processName']
    if t['name'] != name:
        name += ' ' + t['name']
    threads[name] = [(ms, None if st is None else function(st), w) for
                     ms, st, w in zip(s['time'], s['stack'], s['weight'])]
    assert s['time'] == sorted(s['time'])
    assert all(w == 0 if st is None else w > 0
               for st, w in zip(s['stack'], s['weight']))
    assert s['stack'][-1] is None  # and nobody goes on for ever

# Samples
event = said['meta']['arguments']
want = collections.defaultdict(list)
for line in run('script', '-i', session, '-F',
                'type,tsc,event,guest,vcpu,gsym').splitlines():
    r = dict(w.split('=', 1) for w in line.split())
    if r['type'] == 'sample' and r['event'] == event and r['gsym'] != '-':
        want[f'{r["guest"]} vCPU {r["vcpu"]}', r['gsym']].append(
            int(r['tsc']) / 1e6 - start)
checked = 0
for (thread, sym), times in want.items():
    got = [(ms, w) for ms, f, w in threads.get(thread, ()) if f == sym]
    # of a vCPU's time each sample of a function has as much
    each = sum(w for _, w in got) / len(times) if ms_weights else 1
    got = [ms for ms, w in got for _ in range(round(w / each))]
    if len(got) != len(times):
        continue  # of several processes, or names that are told apart otherwise
    checked += len(got)
    for a, b in zip(got, sorted(times)):
        assert abs(a - b) <= BIN + 1e-3, (thread, sym, a, b)

# States
STATES = {'[steal]': ('woken', 'preempted'), '[halt] (asleep)': ('halt',),
          '[blocked]': ('blocked',)}
stretches = collections.defaultdict(list)
timed = any(f in STATES for s in threads.values() for _, f, _ in s)
for r in csv.DictReader(io.StringIO(run('timeline', '-i', session, '--csv')
                                    if timed else '', newline='')):
    begin = float(r['begin_s']) * 1e3
    stretches[f'{r["guest"]} {r["vcpu"]}', r['state']].append(
        (begin, begin + float(r['seconds']) * 1e3))
for thread, state in ((t, f) for t in threads for f in STATES):
    merged = []  # stretches that touch are one
    for a, b in sorted(s for k in STATES[state]
                       for s in stretches[thread, k]):
        if merged and a <= merged[-1][1] + BIN:
            merged[-1][1] = b
        else:
            merged.append([a, b])
    left = [(ms, w) for ms, f, w in threads[thread] if f == state]
    for a, b in merged:
        here = [x for x in left if a - BIN <= x[0] <= b + BIN]
        left = [x for x in left if x not in here]
        n = sum(w for _, w in here)
        assert abs(n - (b - a)) <= 2 * BIN, (thread, state, a, b, n)
        checked += len(here)
    assert not left, (thread, state, left)

# A while in which a thread had nothing has no stack
for thread, samples in threads.items():
    for (a, f, w), (b, *_) in zip(samples, samples[1:]):
        if f is not None:
            long = w if ms_weights else w * period
            assert b - a <= long + BIN + 1.5 * period + 1e-3, (a, b, w)

# The same in speedscope
other = json.loads(run('export', '-i', session, '-f', 'speedscope'))
frames = other['shared']['frames']
assert len(other['profiles']) == len(threads)
for p in other['profiles']:
    # a thief has no file
    got = [(f['name'] + f' {f["file"]}' * (f['name'] == '[halt]'), w)
           for f, w in ((next(frames[x] for x in reversed(s)
                              if 'file' in frames[x]), w)
                        for s, w in zip(p['samples'], p['weights']) if s)]
    assert p['unit'] == 'nanoseconds'
    # where each begins on the axis: in its bin, or late behind what is too long
    here = [x for x in threads[p['name']] if x[2]]
    begins, at = [], 0
    for s, w in zip(p['samples'], p['weights']):
        if s:
            begins.append(at / 1e6)
        at += w
    assert at == p['endValue']
    unit = sum(w for _, w in got) / sum(n for _, _, n in here)
    assert all(abs(w - n * unit) <= 1 for (_, w), (_, _, n) in zip(got, here))
    got = [(f, n) for (f, _), (_, _, n) in zip(got, here)]
    late = [begin - ms for begin, (ms, *_) in zip(begins, here)]
    # samples of a session without states are made up closer than a period
    assert min(late) > -BIN - 1e-3 and (
        not timed or max(late) <= 10 * period + BIN), (
            p['name'], min(late), max(late))
    assert got == [(f, w) for _, f, w in threads[p['name']] if w], p['name']

print(f'{session}: {checked} samples where they belong')
assert checked >= 200, checked
