#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t440_html.py PAGE SESSION [NAME]: the page is whole and needs nothing else,
its data are the report's sums, and no name, NAME least, is more than text.
tests/export/page.py looks at it in a browser."""
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


def report(session):
    done = subprocess.run([os.environ['VMMPROF'], 'report', '-i', session,
                           '--json'], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    said = json.loads(done.stdout)
    sums = collections.Counter()
    for vm, m in enumerate([said['host']] + said['guests']):
        for row in m['rows'] + m.get('host_time', []):
            if vm or not row['module'].startswith('(VM'):
                sums[vm, row['function']] += row['samples']
    return sums


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
    sums = collections.Counter()
    for e in data['entries']:
        sums[e[0], data['names'][e[5]]] += e[8]
    assert sums == report(session), (sums, report(session))
    for v in data.get('timeline', {}).get('vcpus', ()):
        assert sum(s[0] for s in v['slots']) == data['timeline']['width']
    for name in names:
        assert name in data['names'] and name in data['machines'], name


main()
