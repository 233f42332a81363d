#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mariadb.py SCRIPT: the samples of mariadbd in user mode, of what `vmmprof script` printed.

Its files are stripped: each sample has to have a function all the same, by its bounds in .eh_frame, `FILE+0x...`, or by
a name of .dynsym.
"""
import collections
import re
import sys

FIELD = re.compile(r'(\w+)=(\S*)')
LEAST = 1000


def main():
    whole, without, named = collections.Counter(), collections.Counter(), collections.Counter()
    for line in open(sys.argv[1]):
        s = dict(FIELD.findall(line)) if line.startswith('type=sample') else {}
        if s.get('gcomm') != 'mariadbd' or s.get('mode') != 'guest-user':
            continue
        module = s.get('gmod', '-')
        whole[module] += 1
        if s.get('unresolved') or s.get('gsym', '-') in ('', '-'):
            without[module, s.get('unresolved')] += 1
        elif '+0x' not in s['gsym']:
            named[module] += 1
    total = sum(whole.values())
    for module, n in whole.most_common():
        print(f'{module}: {n} samples, {named[module]} with a name')
    for (module, why), n in without.most_common():
        print(f'{module}: {n} without a function: {why}')
    print(f'{total} samples of mariadbd, {sum(without.values())} without a function, {sum(named.values())} with a name')
    return total < LEAST or bool(without)


sys.exit(main())
