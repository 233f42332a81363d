# SPDX-License-Identifier: GPL-2.0-only
"""t496_off_cpu_exports.py SESSION [--time RANGES]: the stacks of time in which
vCPUs did not run are the same in folded and pprof, and in perf-script by samples;
with what stands beside them they sum to steal's numbers, state by state."""
import collections
import gzip
import json
import os
import re
import subprocess
import sys

from protofields import profile

session, *when = sys.argv[1:]
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
               labels.get('process', '-'), *frames), values[1]


def perf_script():
    """Samples of stolen time by their stacks."""
    for text in run('export', '-f', 'perf-script').decode().split('\n\n'):
        frames = re.findall(r'^\t *[0-9a-f]+ (.*) \(.*\)$', text, re.M)
        if '[steal]' in frames:
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

samples = collections.Counter(perf_script())
owed = collections.Counter()
for (guest, vcpu, _, *frames), n in have.items():
    if state(frames) == 'steal':
        owed[(guest, vcpu, *frames)] += n
# a sample for each period, of whichever wait ends it
period = json.loads(run('export', '-f', 'json'))['period_ns']
assert set(samples) <= set(owed), set(samples) - set(owed)
for stack, n in owed.items():
    assert samples[stack] * period <= n + period + 1, (stack, n)
assert abs(sum(samples.values()) * period - sum(owed.values())) <= \
    period * len(said['guests'][0]['vcpus']), (samples, owed)
