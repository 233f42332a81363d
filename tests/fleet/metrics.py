# SPDX-License-Identifier: GPL-2.0-only
"""Metrics in Prometheus' text form, and the files that ask for them: dashboards and
rules of docs/monitoring."""
import glob
import json
import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILES = os.path.join(TOP, 'docs', 'monitoring')
SERIES = re.compile(r'([a-z_]+)(?:\{(.*)\})? ([0-9.]+)')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')
# of the store, not of the program
SCRAPED = {'instance', 'job'}


def read(path):
    """[(name, {label: value as it is written}, value)]"""
    ret = []
    with open(path, encoding='utf-8') as f:
        for line in f:
            if not line.startswith('#'):
                name, labels, value = SERIES.fullmatch(line.rstrip('\n')).groups()
                ret.append((name, dict(LABEL.findall(labels or '')), value))
    return ret


def labels_of(path):
    """{metric: its labels}"""
    ret = {}
    for name, labels, _ in read(path):
        ret.setdefault(name, set()).update(labels)
    return ret


def dashboards():
    """[(file's name, what it holds)]"""
    ret = []
    for path in sorted(glob.glob(os.path.join(FILES, '*.json'))):
        with open(path, encoding='utf-8') as f:
            ret.append((os.path.basename(path), json.load(f)))
    return ret


def targets():
    """[(where, query, legend)] of all panels"""
    return [(f'{name}: {p["title"]}', t['expr'], t['legendFormat'])
            for name, d in dashboards() for p in d['panels']
            for t in p['targets']]


def rules():
    """[(alert, query, what it says)]: of the form that our file has."""
    with open(os.path.join(FILES, 'vmmprof.rules.yml'), encoding='utf-8') as f:
        text = f.read()
    ret = []
    for part in text.split('- alert: ')[1:]:
        expr = re.search(r'expr: (?:\|\n((?: {6}.*\n)+)|(.*)\n)', part)
        ret.append((part.split('\n')[0], expr[1] or expr[2],
                    part[part.index('annotations:'):]))
    return ret
