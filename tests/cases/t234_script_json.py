#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t234_script_json.py SESSION [OPTIONS]: each line of `script --json` is as its
schema says and has the words of the line that `script` prints."""
import json
import os
import subprocess
import sys

import schema

KEYS = {'t': 't_ns', 'gns': 'guest_ns', 'tsc': 'tsc_value'}


def lines(*args):
    done = subprocess.run([os.environ['VMMPROF'], 'script', *sys.argv[1:], *args],
                          check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return done.stdout.decode().splitlines()


def word(value):
    return '-' if value is None else str(value).replace(' ', '\\x20')


with open(f'{os.environ["TOP"]}/analyzer/view/script.schema.json',
          encoding='utf-8') as f:
    rules = json.load(f)
text, objects = lines(), lines('--json')
assert len(text) == len(objects) and (text or '--time' in sys.argv)
for line, object_line in zip(text, objects):
    got = json.loads(object_line, object_pairs_hook=schema.once)
    schema.check(rules, rules, got)
    assert (got.pop('schema'), got.pop('kind')) == (1, 'vmmprof-script')
    want = dict(w.split('=', 1) for w in line.split(' '))
    if 't' in want and want['t'] != '-':
        assert abs(float(want.pop('t')) * 1e9 - got.pop('t_ns')) < 1.01, line
    # in the order of the text, numbers as numbers
    assert [(KEYS.get(k, k), v) for k, v in want.items()] == [
        (k, word(v)) for k, v in got.items()], (line, object_line)
    for key in 'cpu', 'tsc_value', 'pid', 'vcpu':
        assert got.get(key) is None or isinstance(got[key], int), object_line
