# SPDX-License-Identifier: GPL-2.0-only
"""t492_export_chains.py SESSION: the stacks of SESSION.folded, .perf-script and
.pprof are the same, and so they are in .speedscope and .firefox; VM exits are in
their guests; all samples of the report are in them; with vCPUs' time they
and what stands beside them sum to that of steal."""
import collections
import gzip
import json
import re
import sys

from protofields import profile

session = sys.argv[1]
TIME = re.compile(r'\[(vmm|steal|halt|blocked|unknown)\]')

everything = collections.Counter()  # by vCPU, time beside stacks too


def folded():
    for line in open(f'{session}.folded', encoding='utf-8'):
        stack, n = line.rsplit(' ', 1)
        guest, vcpu, _, *frames = stack.split(';')
        everything[guest, vcpu] += int(n)
        if not TIME.match(frames[1] if len(frames) > 1 else ''):
            yield (guest, vcpu, *frames), int(n)


def perf_script():
    for text in open(f'{session}.perf-script',
                     encoding='utf-8').read().split('\n\n'):
        lines = text.split('\n')
        if len(lines) < 2 or '[steal]' in text:
            continue
        frames = [re.match(r'\t *[0-9a-f]+ (.*) \(.*\)$', x).group(1)
                  for x in lines[1:] if x]
        guest, vcpu = 'host', '-'
        if lines[-1].endswith('([guest])') and 'vCPU' in lines[-2]:
            guest, vcpu = frames.pop(), frames.pop()
        yield (guest, vcpu, *reversed(frames)), 1


def pprof():
    samples, places, _ = profile(gzip.open(f'{session}.pprof').read())
    for at, labels, values in samples:
        if 'mode' not in labels:
            continue
        vcpu = f'vCPU {labels["vcpu"]}' if 'vcpu' in labels else '-'
        yield (labels['guest'], vcpu,
               *(places[x] for x in reversed(at))), values


def over_time(name, stack, n):
    """(guest, vcpu, frames...), samples: as folded has them, without time."""
    guest, _, vcpu = name.partition(' vCPU ')
    # no process is below time, but one may be called [unknown]
    if TIME.match(stack[0]) and (stack[0] != '[unknown]' or len(stack) == 1):
        return
    assert guest != 'host' or not any(f.startswith('[exit') for f in stack)
    yield (guest, f'vCPU {vcpu}' if vcpu else '-', *stack[1:]), n


def speedscope():
    said = json.load(open(f'{session}.speedscope', encoding='utf-8'))
    names = [f['name'] for f in said['shared']['frames']]
    for p in said['profiles']:
        assert sum(p['weights']) == p['endValue']
        for stack, n in zip(p['samples'], p['weights']):
            if stack:
                yield from over_time(p['name'], [names[f] for f in stack], n)


def firefox():
    said = json.load(open(f'{session}.firefox', encoding='utf-8'))
    shared = said['shared']
    names, table = shared['stringArray'], shared['stackTable']
    funcs = [names[shared['funcTable']['name'][f]]
             for f in shared['frameTable']['func']]
    for t in said['threads']:
        name = t['processName'] + (f' {t["name"]}'
                                   if t['name'].startswith('vCPU') else '')
        for at, n in zip(t['samples']['stack'], t['samples']['weight']):
            stack = []
            while at is not None:
                stack.insert(0, funcs[table['frame'][at]])
                at = table['prefix'][at]
            if stack:
                yield from over_time(name, stack[1:], n)


def sums(stacks):
    ret = collections.Counter()
    for stack, n in stacks:
        # what has no function is told apart by its reason in one of them
        ret[tuple(re.sub(r'^(\\x28|\().*', '[unknown]', x)
                  for x in stack)] += n
    return ret


report = json.load(open(f'{session}.json', encoding='utf-8'))
timed = any('time' in g for g in report['guests'])
have = sums(folded())
stacks = list(pprof())
samples = sums((stack, values[0]) for stack, values in stacks)
assert sum(samples.values()) == report['host']['samples']
assert samples == sums(perf_script())
assert have == sums((stack, sum(values[1:]) if timed else values[0]) for stack, values in stacks)
over = {f.__name__: sums(f()) for f in (speedscope, firefox)}
assert set(samples) == set(over['speedscope']) == set(over['firefox'])
if not timed:
    assert over['firefox'] == samples, over['firefox'] - samples
    # the host's two CPUs share a profile's time
    assert over['speedscope'] == {
        k: n * (500000 if k[0] == 'host' else 1000000)
        for k, n in samples.items()}
if timed:
    steal = json.load(open(f'{session}.steal', encoding='utf-8'))
    callees = json.load(open(f'{session}.children', encoding='utf-8'))
    for g in steal['guests']:
        ns = sum(n for k, n in over['speedscope'].items() if k[0] == g['name']
                 and not any(f.startswith('[exit') for f in k))
        # what no sample tells is [guest]
        assert g['guest_ns'] * 0.5 < ns <= g['guest_ns'], (ns, g['guest_ns'])
        # a halt in which the host polls is not [vmm], and what has no chain of
        # an exit, as QEMU's own code, has its part of it
        for halts, module in ((False, '(host)'), (True, '(host polls)')):
            def exits(stacks):
                return sum(n for k, n in stacks.items() if k[0] == g['name']
                           and any(f.startswith('[exit') for f in k)
                           and ('[exit: HLT]' in k) == halts)
            whole, = [r for c in callees['guests'] for r in c['host_time']
                      if c['name'] == g['name'] and r['module'] == module]
            want = whole['time_ns'] * exits(samples) / whole['samples']
            assert want > 0
            assert halts or whole['time_ns'] == g['vmm_ns']
            for name, stacks in (('folded', have), *over.items()):
                ns = exits(stacks) * (1000000 if name == 'firefox' else 1)
                assert abs(ns - want) < 1000, (name, ns, want)
        states = collections.Counter()
        for _, labels, values in profile(
                gzip.open(f'{session}.pprof').read())[0]:
            if labels['guest'] == g['name']:
                states[labels['state']] += values[1] + values[2]
        assert all(abs(n - g[f'{s}_ns']) < 6 for s, n in states.items()), states
    for g, c in zip(steal['guests'], callees['guests']):
        for v in g['vcpus']:
            key = g['name'], f'vCPU {v["vcpu"]}'
            # each of six states is rounded
            assert v['total_ns'] - 6 < everything[key] <= v['total_ns'], (
                key, everything[key], v['total_ns'])
        bare = sum(r['time_ns'] for r in c['host_time']
                   if r['function'] == '[guest]')
        assert sum(r['self_ns'] for r in c['rows']) + bare == g['guest_ns']
        assert all(r['self_ns'] <= r['time_ns'] <= g['guest_ns']
                   for r in c['rows'])
