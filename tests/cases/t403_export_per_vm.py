# SPDX-License-Identifier: GPL-2.0-only
"""t403_export_per_vm.py SESSION ARCHIVE [folded]: each profile is what a
store takes, within its limits, and says what it is; cpu and off_cpu of a VM sum
to what steal has, and all of them to what the one file of pprof has.  "folded":
there was too much."""
import collections
import gzip
import json
import os
import re
import subprocess
import sys
import tarfile

from protofields import fields, profile

session, archive, *much = sys.argv[1:]
STACKS, BYTES = 16000, 4 << 20
OFF = ('steal', 'halt', 'blocked', 'unknown')


def run(*args):
    return subprocess.run([os.environ['VMMPROF'], *args, '-i', session],
                          check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def parts(data):
    found = collections.defaultdict(list)
    for field, value in fields(data):
        found[field].append(value)
    return found


def check_one(said, data):
    """Types, times, limits; the sum."""
    got = parts(data)
    text = [t.decode() for t in got[6]]
    assert text[0] == ''
    kind = [[text[n] for _, n in fields(x)] for x in got[1] + got[11]]
    assert kind == [[said['type'], 'nanoseconds']] * 2, kind
    assert got[9] == [said['time_ns']] and got[9][0] >= 17 * 10 ** 17
    assert got[10] == [said['duration_ns']] and got[10][0] > 0
    assert len(got[12]) == 1 and got[12][0] > 0
    assert len(data) <= BYTES and len(got[2]) <= STACKS
    assert len(got[2]) == said['stacks'] > 0
    # no place, function, mapping or text twice, and none that is not there
    ids = {f: [dict(fields(x))[1] for x in got[f]] for f in (3, 4, 5)}
    assert all(sorted(x) == list(range(1, len(x) + 1)) for x in ids.values())
    assert len(text) == len(set(text))
    samples, places, _ = profile(data)
    total, other = 0, 0
    root = said.get('vm', 'host')
    for at, labels, values in samples:
        assert not labels and len(values) == 1 and values[0] > 0
        stack = [places[x] for x in reversed(at)]
        assert stack[0] == root, stack
        if stack == [root, '[other]']:
            other += values[0]
        off = any(re.match(r'\[(steal|halt|blocked|unknown)\]$', f)
                  for f in stack[1:])
        assert said['folded'] or (said['type'] == 'off_cpu') == off or \
            stack[1:2] == ['[unknown]'], stack
        if '[steal]' in stack and said['type'] == 'off_cpu':
            assert stack.index('[steal]') == len(stack) - 2, stack
        total += values[0]
    assert other == said['folded_ns']
    assert (other > 0) == (said['folded'] > 0)
    return total


sums, folded = {}, False
with tarfile.open(archive) as tar:
    files = tar.getmembers()
    assert len(files) % 2 == 0
    for head, body in zip(files[::2], files[1::2]):
        assert head.name.endswith('.json') and \
            body.name == head.name[:-4] + 'pb.gz'
        about = json.load(tar.extractfile(head))
        unpacked = gzip.decompress(tar.extractfile(body).read())
        key = about.get('vm', 'host'), about['type']
        assert key not in sums
        sums[key] = check_one(about, unpacked)
        folded |= about['folded'] > 0 and about['stacks'] == STACKS

timed = json.loads(run('export', '-f', 'json'))['host_time']
if timed:
    for guest in json.loads(run('steal', '--json'))['guests']:
        want = collections.Counter()
        for vcpu in guest['vcpus']:
            for state in ('guest', 'vmm', *OFF):
                want['off_cpu' if state in OFF else 'cpu'] += \
                    vcpu[f'{state}_ns']
        for kind, ns in want.items():
            assert sums.get((guest['name'], kind), 0) == ns, (
                guest['name'], kind, sums, want)
one = collections.Counter()
for _, labels, values in profile(gzip.decompress(
        run('export', '-f', 'pprof')))[0]:
    one[labels['guest'], 'cpu'] += values[1]
    one[labels['guest'], 'off_cpu'] += sum(values[2:])
assert +one == collections.Counter(sums), (+one, sums)
assert folded == bool(much)
