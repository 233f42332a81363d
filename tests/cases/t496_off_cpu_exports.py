# SPDX-License-Identifier: GPL-2.0-only
"""t496_off_cpu_exports.py SESSION [--time RANGES]: the stacks of time in which
vCPUs did not run are the same in folded and pprof, in speedscope and firefox, and
in perf-script by samples; with what stands beside them they sum to steal's
numbers, state by state."""
import collections
import gzip
import json
import os
import re
import subprocess
import sys

from protofields import profile

session, *when = sys.argv[1:]
SLEPT = 'steal', 'halt', 'blocked'
STATES = ['vmm', 'steal', 'halt', 'blocked', 'unknown']


def run(*args):
    return subprocess.run([os.environ['VMMPROF'], *args, '-i', session, *when],
                          check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def state(frames):
    """What KVM did for a vCPU is [vmm], too."""
    return next((s for s in STATES if f'[{s}]' in frames),
                'vmm' if any(f.startswith('[exit') for f in frames) else
                'guest')


def folded():
    for line in run('export', '-f', 'folded').decode().splitlines():
        stack, n = line.rsplit(' ', 1)
        guest, vcpu, process, *frames = stack.split(';')
        if guest == 'host':
            continue
        # beside the stacks: module, function, thief
        if re.match(r'\(.*\)$', frames[0]):
            frames = [frames[1], frames[0], *frames[2:]]
        yield (guest, vcpu, process, *frames), int(n)


def pprof():
    samples, places, modules = profile(
        gzip.decompress(run('export', '-f', 'pprof')))
    for at, labels, values in samples:
        if labels['guest'] == 'host':
            continue
        frames = [places[x] for x in reversed(at)]
        if re.match(r'\(.*\)$', modules[at[-1]]):
            frames.insert(1, modules[at[-1]])
        assert labels['state'] == state(frames), (labels, frames)
        # of a state only what a sample tells has a mode
        assert ('mode' in labels) == (labels['state'] in ('guest', 'vmm') and
                                      'no record' not in frames)
        yield (labels['guest'], f'vCPU {labels["vcpu"]}',
               labels.get('process', '-'), *frames), values[1] + values[2]


def speedscope():
    """Stacks as lists, by vCPU, with nanoseconds."""
    said = json.loads(run('export', '-f', 'speedscope'))
    names = [f['name'] for f in said['shared']['frames']]
    for p in said['profiles']:
        for stack, n in zip(p['samples'], p['weights']):
            yield p['name'], [names[f] for f in stack], n, None


def firefox():
    said = json.loads(run('export', '-f', 'firefox'))
    shared = said['shared']
    names, table = shared['stringArray'], shared['stackTable']
    frames = shared['frameTable']
    states = [c['name'] for c in said['meta']['categories']]
    for t in said['threads']:
        for at, n in zip(t['samples']['stack'], t['samples']['weight']):
            stack, category = [], None
            if at is not None:
                category = states[frames['category'][table['frame'][at]]]
            while at is not None:
                func = frames['func'][table['frame'][at]]
                stack.insert(0, names[shared['funcTable']['name'][func]])
                at = table['prefix'][at]
            yield (f'{t["processName"]} {t["name"]}', stack[1:],
                   round(n * 1000000), category)


def off_cpu(stacks):
    """Sums of stolen and slept time, and of how many parts; of vCPUs by state."""
    ret, parts = collections.Counter(), collections.Counter()
    states = collections.Counter()
    for vcpu, stack, n, category in stacks:
        if vcpu.startswith('host') or not stack:
            continue
        of = state(stack)
        states[vcpu, of] += n
        if of in SLEPT:
            assert category in (None, of), (category, stack)
            ret[vcpu, *stack] += n
            parts[vcpu, *stack] += 1
    return ret, parts, states


def perf_script():
    """Samples of time by their stacks."""
    for text in run('export', '-f', 'perf-script').decode().split('\n\n'):
        frames = re.findall(r'^\t *[0-9a-f]+ (.*) \(.*\)$', text, re.M)
        if state(frames) in SLEPT:
            yield tuple(reversed(frames))


def sums(stacks):
    ret = collections.Counter()
    for stack, n in stacks:
        ret[stack] += n
    return ret


have = sums(folded())
assert have == sums(pprof()), (have, sums(pprof()))
by_state = collections.Counter()
for (guest, vcpu, _, *frames), n in have.items():
    by_state[guest, vcpu, state(frames)] += n
want = collections.Counter()
said = json.loads(run('steal', '--json'))
for g in said['guests']:
    for v in g['vcpus']:
        for s in ['guest', *STATES]:
            want[g['name'], f'vCPU {v["vcpu"]}', s] += v[f'{s}_ns']
assert +by_state == +want, (by_state, want)

spent = {(f'{guest} {vcpu}', s): n for (guest, vcpu, s), n in want.items()}
want = {(f'{guest} {vcpu}', *([] if process == '-' else [process]), *frames): n
        for (guest, vcpu, process, *frames), n in have.items()
        if state(frames) in SLEPT}
for over in speedscope, firefox:
    time, parts, states = off_cpu(over())
    assert states == +collections.Counter(spent), (states, spent)
    assert set(time) == set(want), set(time) ^ set(want)
    for stack, n in time.items():
        assert abs(n - want[stack]) <= 1 + parts[stack], (stack, n, want)

samples = collections.Counter(perf_script())
owed = collections.Counter()
for (guest, vcpu, _, *frames), n in have.items():
    if state(frames) in SLEPT:
        owed[(guest, vcpu, *frames)] += n
# a sample for each period, of whichever wait ends it
period = json.loads(run('export', '-f', 'json'))['period_ns']
assert set(samples) <= set(owed), set(samples) - set(owed)
for stack, n in owed.items():
    assert samples[stack] * period <= n + period + 1, (stack, n)
assert abs(sum(samples.values()) * period - sum(owed.values())) <= \
    period * len(said['guests'][0]['vcpus']) * len(SLEPT), (samples, owed)
assert all(any(state(f) == x for f in samples) for x in SLEPT)
