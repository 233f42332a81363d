#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t496_diff_chains.py A B [OPTION...]: the stacks of `diff -g` as text, as JSON and
in the page are the same; A's and B's are those of their own folded stacks."""
import collections
import json
import os
import re
import subprocess
import sys

import t440_html

a, b, *options = sys.argv[1:]
times = [o for i, o in enumerate(options) if options[i - 1:i] == ['--time']]
of = [options[i:i + 2] for i in range(0, len(options), 2)
      if options[i] != '--time']


def run(*args):
    return subprocess.run([os.environ['VMMPROF'], *args], check=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode()


def folded(session, more):
    """A session's stacks, without vCPUs and modules, by programs' names."""
    sums = collections.Counter()
    for line in run('export', '-f', 'folded', session, '--levels', 'vm,comm',
                    *more).splitlines():
        stack, n = line.rsplit(' ', 1)
        frames = stack.split(';')
        frames[1] = re.sub(r'\(\d+\)$', '', frames[1])
        if frames[1] == '-' and frames[3] in ('[steal]', '[vmm]', '[halt]',
                                              '[blocked]', '[unknown]'):
            frames = [frames[0], frames[3], *(frames[4:] or frames[2:3])]
        sums[tuple(frames)] += int(n)
    return +sums


text = [collections.Counter(), collections.Counter()]
for line in run('diff', a, b, '-g', *options).splitlines():
    stack, *numbers = line.rsplit(' ', 2)
    for s, n in enumerate(numbers):
        assert (stack, s) not in text
        text[s][tuple(stack.split(';'))] += int(n)
said = json.loads(run('diff', a, b, '-g', '--json', *options))
timed = said['host_time']
for s, session in enumerate((a, b)):
    more = [o for pair in of for o in pair]
    if times:
        more += ['--time', times[s]]
    if not timed:
        more += ['--samples-only']
    want = folded(session, more)
    assert +text[s] == want, ((+text[s] - want).most_common(3),
                              (want - text[s]).most_common(3))
    key = ('time_%s_ns' if timed else 'samples_%s') % 'ab'[s]
    assert +text[s] == +collections.Counter(
        {tuple(c['frames']): c[key] for c in said['chains']})

run('diff', a, b, '--html', 'page', *options)
page = t440_html.Page(open('page', encoding='utf-8').read())
data = json.loads(page.data)
assert data['timed'] == timed and data['chained']
words = t440_html.unpacked(data['nodes'])
paths, nodes = [()], [collections.Counter(), collections.Counter()]
for delta in words:
    path = paths[len(paths) - delta] + (data['names'][next(words)],)
    paths.append(path)
    for s in range(2):
        samples = next(words)
        nodes[s][path] += next(words) if timed else samples
assert [+n for n in nodes] == [+t for t in text]
