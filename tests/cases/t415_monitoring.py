#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t415_monitoring.py METRICS: dashboards and rules ask for metrics and labels that
METRICS, a file of the agent's, has; what dashboards refer to is there."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ['TOP'], 'tests', 'fleet'))
import metrics  # noqa: E402  pylint: disable=wrong-import-position

HAVE = metrics.labels_of(sys.argv[1])
NR = 0


def names(text):
    return set(re.findall(r'[a-z_]+', text))


def check(where, query, says):
    """@says: a text with the labels of what comes out."""
    global NR  # pylint: disable=global-statement
    NR += 1
    used = re.findall(r'\b(vmmprof_\w+)(\{[^}]*\})?', query)
    assert used, where
    known = set(metrics.SCRAPED)
    for name, selector in used:
        assert name in HAVE, f'{where}: there is no metric {name}'
        known |= HAVE[name]
        for label, value in re.findall(r'([a-z_]+) *[=!]~? *"([^"]*)"', selector):
            assert label in HAVE[name] | metrics.SCRAPED, \
                f'{where}: {name} has no label {label}'
            if '$' in value or re.search(label + ' *!', selector):
                continue
            there = {labels.get(label) for n, labels, _ in SERIES if n == name}
            assert there >= set(value.split('|')), f'{where}: {selector}'
    for total in re.finditer(r'vmmprof_\w+_total', query):
        assert re.search(r'(rate|increase|label_values|count by \(\w+, \w+\) )\($',
                         query[:total.start()]), f'{where}: it only grows'
    grouped = re.findall(r'\b(?:by|on|group_left) *\(([^)]*)\)', query)
    for label in names(' '.join(grouped)):
        assert label in known, f'{where}: by {label}'
    for label in re.findall(r'\{\{ *(?:\$labels\.)?([a-z_]+) *\}\}', says):
        assert label in known, f'{where}: says {label}'
        assert not re.search(r'\bby *\(', query) or label in \
            names(' '.join(grouped)), f'{where}: {label} is summed away'


def check_dashboard(name, d, uids):
    variables = {v['name'] for v in d['templating']['list']}
    text = str(d)
    for used in re.findall(r'\$\{?([a-z_A-Z]+)', text):
        assert used in variables or used.startswith('__'), f'{name}: ${used}'
    for uid in re.findall(r"'/d/([a-z-]+)", text):
        assert uid in uids, f'{name}: a link to {uid}'
    for variable in d['templating']['list']:
        if variable['type'] == 'query':
            query = variable['query']['query']
            metric, label = re.fullmatch(r'label_values\((.*), (\w+)\)',
                                         query).groups()
            check(f'{name}: ${variable["name"]}', query,
                  '{{%s}}' % label)
            assert label in HAVE[metric.split('{')[0]] | metrics.SCRAPED, query
    cells = [(x, y) for p in d['panels'] for g in [p['gridPos']]
             for x in range(g['x'], g['x'] + g['w'])
             for y in range(g['y'], g['y'] + g['h'])]
    assert len(cells) == len(set(cells)), f'{name}: panels lie on others'
    assert max(x for x, _ in cells) < 24, f'{name}: a panel is outside'
    ids = [p['id'] for p in d['panels']]
    assert len(ids) == len(set(ids)), name


SERIES = metrics.read(sys.argv[1])
DASHBOARDS = metrics.dashboards()
UIDS = [d['uid'] for _, d in DASHBOARDS]
assert sorted(UIDS) == ['vmmprof-fleet', 'vmmprof-host', 'vmmprof-vm'], UIDS
for file, dashboard in DASHBOARDS:
    assert file == dashboard['uid'] + '.json', file
    check_dashboard(file, dashboard, UIDS)
for where, query, legend in metrics.targets():
    check(where, query, legend)
for alert, query, says in metrics.rules():
    check(alert, query, says)
print(NR, 'queries')
