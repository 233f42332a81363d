# SPDX-License-Identifier: GPL-2.0-only
"""t323_perfetto_cpus.py TRACE CSV: the tracks of CPUs have the stretches on a CPU of
`timeline --csv`, as Perfetto reads them: by time, what has the same in the order
of the file; an end is that of the slice that began last."""
import collections
import csv
import sys

from protofields import fields

BEGIN, END = 1, 2
names, events = {}, []
with open(sys.argv[1], 'rb') as f:
    packets = [dict(fields(packet)) for _, packet in fields(f.read())]
for packet in packets:
    if 60 in packet:
        track = dict(fields(packet[60]))
        if 2 in track:
            names[track[1]] = track[2].decode()
    if 11 in packet:
        event = dict(fields(packet[11]))
        if names[event[11]].startswith('CPU '):
            events.append((packet[8], event))
events.sort(key=lambda e: e[0])  # a stable one
have, stacks = [], collections.defaultdict(list)
for ns, event in events:
    stack = stacks[event[11]]
    if event[9] == BEGIN:
        stack.append((names[event[11]], ns, event[23].decode()))
    else:
        assert event[9] == END
        have.append((*stack.pop(), ns))
assert not any(stacks.values()), stacks

want = []
with open(sys.argv[2], encoding='utf-8', newline='') as f:
    for r in csv.DictReader(f):
        if r['state'] == 'on-cpu':
            begin = round(float(r['begin_s']) * 1e9)
            want.append((f'CPU {r["cpu"]}', begin, f'{r["guest"]} {r["vcpu"]}',
                         begin + round(float(r['seconds']) * 1e9)))
assert sorted(have) == sorted(want), (
    sorted(set(have) - set(want))[:3], sorted(set(want) - set(have))[:3])
assert len(have) > 100, len(have)
