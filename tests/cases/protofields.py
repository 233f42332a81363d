# SPDX-License-Identifier: GPL-2.0-only
"""Reads messages of protobuf, and the profile of a pprof file, for the cases that look into one."""
import collections


def fields(data):
    """Field number and value of each field of a protobuf message."""
    i = 0

    def varint():
        nonlocal i
        v = shift = 0
        while True:
            v |= (data[i] & 127) << shift
            shift += 7
            i += 1
            if data[i - 1] < 128:
                return v

    while i < len(data):
        tag = varint()
        if tag & 7 == 1:
            i += 8
            yield tag >> 3, int.from_bytes(data[i - 8:i], 'little')
            continue
        value = varint()
        if tag & 7 == 2:
            i += value
            value = data[i - value:i]
        else:
            assert tag & 7 == 0
        yield tag >> 3, value
    assert i == len(data)


def profile(data):
    """Of a pprof file's bytes: samples as (location ids, labels, values); names of locations; their modules."""
    parts = collections.defaultdict(list)
    for field, value in fields(data):
        parts[field].append(value)
    text = [t.decode() for t in parts[6]]
    names = {f[1]: text[f[2]] for f in map(dict, map(fields, parts[5]))}
    files = {m[1]: text[m[5]] for m in map(dict, map(fields, parts[3]))}
    places, modules = {}, {}
    for m in map(dict, map(fields, parts[4])):
        places[m[1]] = names[dict(fields(m[4]))[1]]
        modules[m[1]] = files.get(m[2]) if 2 in m else None
    samples = []
    for sample in parts[2]:
        at, labels, values = [], {}, []
        for field, value in fields(sample):
            if field == 3:
                label = dict(fields(value))
                labels[text[label[1]]] = text[label[2]]
            else:
                (at if field == 1 else values).append(value)
        samples.append((at, labels, values))
    return samples, places, modules
