#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""exits.py counts JSON TRUTH CPUIDS | guest JSON TRUTH | functions JSON FUNCTION MODULE

counts: `vmmprof exits --json` of tinyvm against what tinyvm printed and the CPUIDs that it was told to run.
guest: of a guest against what `exits` printed there, first of CPUID, then of OUT; the guest does a few itself.
functions: at least 90 % of the samples of both reasons are in that function."""
import json
import os
import re
import sys

# Intel SDM 3, "VMX basic exit reasons"; APM 2, "SVM intercept codes"
CPUID, HLT, OUT = (0x72, 0x78, 0x7b) if os.environ.get('HOST_CPU') == 'amd' else (10, 12, 30)
what, path, *args = sys.argv[1:]
guests = json.load(open(path))['guests']
whole = next(g for g in guests if (g['guest'] == 'one') != (what == 'counts'))
reasons = {r['reason']: r for r in whole['reasons']}


def number(reason):
    return reasons[reason]['exits'] + reasons[reason]['not_ended']


def same(name, a, b):
    print(f'{name} {a} {b}')
    if a != b:
        sys.exit(f'{name}: {a}, not {b}')


if what == 'counts':
    outs, halts, known = map(int, re.findall(r'-?\d+', open(args[0]).read()))
    same('CPUID', number(CPUID), int(args[1]))
    same('OUT', number(OUT), outs + 1)  # the last one says that it is done
    same('HLT', number(HLT), halts)
    same('all', whole['exits'] + whole['not_ended'], known)
    same('missed', json.load(open(path))['missed'], 0)
elif what == 'guest':
    for reason, own in zip((CPUID, OUT), map(int, open(args[0]).read().split())):
        print(f'{reasons[reason]["name"]} {number(reason)} {own}')
        if not own <= number(reason) <= own * 1.02 + 200:
            sys.exit('too far apart')
else:
    function, module = args
    for reason in CPUID, OUT:
        r = reasons[reason]
        n = sum(f['samples'] for f in r['functions'] if f['function'] == function and f['module'].startswith(module))
        print(f'{r["name"]} {n} of {r["samples"]}')
        if r['samples'] < 20 or n < 0.9 * r['samples']:
            sys.exit('too few')
