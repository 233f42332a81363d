#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t440_html.py PAGE SESSION [NAME]: the page is whole and needs nothing else,
its data are the sums of report and steal, slice by slice, and no name, NAME
least, is more than text.  tests/export/page.py looks at it in a browser."""
import base64
import collections
import html.parser
import json
import os
import re
import subprocess
import sys


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.data = collections.Counter(), [], ''
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        # nothing is loaded, nothing runs by an attribute
        for key, _ in attrs:
            assert key not in ('src', 'href', 'srcset'), (tag, attrs)
            assert not key.startswith('on'), (tag, attrs)
        if tag not in ('meta', 'input'):
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1][1].get('id') == 'data':
            self.data += data


def vmmprof(*args):
    done = subprocess.run([os.environ['VMMPROF'], *args], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)


def report(session):
    said = vmmprof('report', '-i', session, '--json')
    sums = collections.Counter()
    for vm, m in enumerate([said['host']] + said['guests']):
        for row in m['rows']:
            if vm or not row['module'].startswith('(VM'):
                sums[vm, row['function']] += row['samples']
    return sums


def unpacked(text):
    """The numbers of analyzer/view/packed.h."""
    n = shift = 0
    for byte in base64.b64decode(text, validate=True):
        n |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield n
            n = shift = 0
    assert not shift, 'a number has no end'


def samples(data):
    """Samples by machine and function, from what each slice has of them."""
    words = unpacked(data['samples'])
    nr, nr_parts = next(words), next(words)
    sums, path = collections.Counter(), [0] * 5
    for _ in range(nr):
        differs = next(words)
        for level in range(differs, 5):
            path[level] = next(words)
            if level == 2:
                next(words)  # its PID
        assert next(words) <= 2, 'mode'
        at = 0
        for _ in range(next(words)):
            word = next(words)
            at += word // 2
            nr_parts -= 1
            assert at < data['time']['slices'], at
            sums[path[0], data['names'][path[4]]] += \
                next(words) if word % 2 else 1
    assert not nr_parts and next(words, None) is None, 'parts'
    return sums


def ticks(data):
    """Of each vCPU: ticks by what they are of."""
    words = unpacked(data['time']['counts'])
    sums = collections.Counter()
    for vcpu in words:
        what, thief, at = next(words), next(words), 0
        assert thief < max(len(data['time']['thieves']), 1)
        for _ in range(next(words)):
            at += next(words)
            assert at < data['time']['slices'], at
            sums[vcpu, what] += next(words)
    return sums


def states(sums, i):
    """Of vCPU i, as vcpus.js has them."""
    idle = min(sums[i, 5], sums[i, 0])
    guest = sum(sums[i, k] for k in (11, 12, 13))
    vmm, poll = sums[i, 14], sums[i, 15]
    return {'guest': guest, 'vmm': vmm, 'steal': sums[i, 1],
            'halt': sums[i, 2] + poll + idle, 'blocked': sums[i, 3],
            'unknown': sums[i, 4] + max(
                sums[i, 0] - idle - guest - vmm - poll, 0)}


def check_time(data, session):
    """The states of each vCPU are those of its account, to the tick."""
    sums = ticks(data)
    if not data['time']['exact']:
        assert 'no switch records' in data['why']
        return
    said = vmmprof('steal', '-i', session, '--json')
    vcpus = {v['tid']: v for g in said['guests'] for v in g['vcpus']}

    def same(i, what, where, key):
        n = sums[i, what]
        if key + '_ns' in where:
            assert abs(n * 1e6 / data['time']['khz'] -
                       where[key + '_ns']) <= 1, (i, key)
        else:
            assert n == where[key], (i, key, n, where[key])

    for i, (_, _, tid, *_) in enumerate(data['time']['vcpus']):
        same(i, 0, vcpus[tid], 'on_cpu')
        same(i, 1, vcpus[tid], 'steal')
        same(i, 2, vcpus[tid]['parts'], 'asleep')
        same(i, 3, vcpus[tid], 'blocked')
    for vm in data['time'].get('grid', {'vms': []})['vms']:
        for key in 'waited', 'ran':
            pairs = list(unpacked(vm[key]))
            assert all(share < 256 for share in pairs[::2])
            assert sum(pairs[1::2]) == data['time']['grid']['columns'] * \
                data['time']['grid']['rows']


def check_code(data, session):
    """Lines of the first functions are those of annotate."""
    for place in data['code'][:3]:
        said = vmmprof('annotate', '-i', session, '--json', place['function'])
        machine = data['machines'][place['machine']]
        lines = [[int(line['address'], 16), line['samples'],
                  line['instruction'] or ''] for p in said['places']
                 if p['machine'] == machine and p['module'] == place['module']
                 and p['samples'] == place['samples']
                 for line in p['lines']]
        first = lines[0][0] - place['lines'][0][0]
        got = [[first + line[0], *line[1:3]] for line in place['lines']]
        assert got == lines[:len(got)], (place['function'], got, lines)
        assert len(got) + place['left_out'] <= len(lines)


def main():
    page, session, *names = sys.argv[1:]
    with open(page, encoding='utf-8') as f:
        text = f.read()
    parsed = Page(text)
    assert not parsed.open and text.endswith('</html>\n'), parsed.open
    assert parsed.tags['script'] == 2 and parsed.tags['style'] == 1
    assert '@' not in re.sub(r'@media|@page', '', re.sub(
        r'<script type.*?</script>', '', text, flags=re.S)), 'a mark is left'
    assert set('<>&') & set(parsed.data) == set()
    assert parsed.data.isascii()
    data = json.loads(parsed.data)
    sums = samples(data)
    assert sums == report(session), (sums, report(session))
    check_time(data, session)
    check_code(data, session)
    for name in names:
        assert name in data['names'] and name in data['machines'], name


if __name__ == '__main__':
    main()
