#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t498_perfetto_chains.py TRACE FOLDED SKIP: the slices of functions of each vCPU
nest in the order of time, and are the stacks of FOLDED, but for the first SKIP
of what it has in each; those of time in which vCPUs did not run take that time."""
import collections
import sys

from protofields import fields

trace, folded, skip = sys.argv[1], sys.argv[2], int(sys.argv[3])
BEGIN, END = 1, 2
names, stacks, last = {}, collections.defaultdict(list), {}
seen, time = set(), collections.Counter()
for _, packet in fields(open(trace, 'rb').read()):
    packet = dict(fields(packet))
    if 60 in packet:
        track = dict(fields(packet[60]))
        if 2 in track:
            names[track[1]] = track[2].decode()
    if 11 not in packet:
        continue
    event = dict(fields(packet[11]))
    uuid = event[11]
    if not names[uuid].endswith(' functions'):
        continue
    # in the order of time, as it is written
    assert packet[8] >= last.get(uuid, 0), (packet[8], last)
    stack = stacks[uuid]
    if stack:
        time[tuple(stack)] += packet[8] - last[uuid]
    last[uuid] = packet[8]
    if event[9] == BEGIN:
        stack.append(event[23].decode())
        opened = True
    else:
        assert event[9] == END
        if opened:
            seen.add(tuple(stack))
        opened = False
        stack.pop()
assert not any(stacks.values()), stacks
SLEPT = {'[steal]', '[halt]', '[blocked]'}
spent = collections.Counter()
for line in open(folded, encoding='utf-8'):
    stack, ns = line.rsplit(' ', 1)
    stack = tuple(stack.split(';')[skip:])
    if SLEPT & {*stack} or not any(f.startswith(('[exit', '[vmm', '(no'))
                                   for f in stack):
        spent[stack] += int(ns)
want = set(spent)
# a stack that goes on from another one is only seen where slices end
assert seen <= want and len(seen) > 3, (seen - want)
missing = want - seen
assert all(any(s[:len(m)] == m for s in seen | set(time)) for m in missing), \
    missing
assert sum(time.values()) > 0
for stack in want:
    if SLEPT & {*stack}:
        assert abs(time[stack] - spent[stack]) < 10, (stack, time, spent)
