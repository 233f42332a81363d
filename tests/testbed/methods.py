#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Steal by switch records, in `vmmprof steal --json`, against other ways to tell it.

methods.py delay EXACT.JSON VCPUS       so many vCPUs, and steal of each is its thread's run delay, within 1 % of the
                                        time and 30 us a switch, and less than 1 % of its time is unknown
methods.py samples EXACT.JSON SAMPLES.JSON POINTS
                                        prints the shares of both methods and their difference; steal of a vCPU that
                                        did not sleep differs by at most POINTS
"""
import json
import sys

STATES = 'guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown'
SWITCH_NS = 30000


def vcpus(data):
    return {f"{g['name']} {v['vcpu']}": v for g in data['guests'] for v in g['vcpus']}


def delay(data, count):
    good = True
    for name, v in vcpus(data).items():
        check = v.get('checks', {}).get('run-delay')
        if not check:
            print(f'{name}: no run delay to compare with')
            good = False
            continue
        part, unknown = v['total_ns'] / 100, v['unknown_ns']
        # vmmprof's own tolerance is the same, and what is unknown
        switches = max(0, check['tolerance_ns'] - part - unknown) // SWITCH_NS
        may, diff = part + SWITCH_NS * switches, check['ours_ns'] - check['theirs_ns']
        good &= abs(diff) <= may and unknown < part
        print(f"{name}: steal {check['ours_ns'] / 1e6:.2f} ms, run delay {check['theirs_ns'] / 1e6:.2f}, apart "
              f'{diff / 1e6:+.2f} of {may / 1e6:.2f}, {switches:.0f} switches, unknown {unknown / 1e6:.2f}')
    return good and len(vcpus(data)) == int(count)


def samples(data, file, points):
    with open(file, encoding='utf-8') as f:
        other = json.load(f)
    good = data['method'] == 'exact' and other['method'] == 'samples'
    for name, v in vcpus(data).items():
        w = vcpus(other)[name]
        for state in STATES:
            a, b = 100 * v[f'{state}_ns'] / v['total_ns'], 100 * w[f'{state}_ns'] / w['total_ns']
            print(f'{name:10} {state:8} {a:6.2f} % exact {b:6.2f} % by samples {b - a:+6.2f}')
            if state == 'steal' and v['halt_ns'] + v['blocked_ns'] < v['total_ns'] / 100:
                good &= abs(a - b) <= float(points)
    return good


what, file, *args = sys.argv[1:]
with open(file, encoding='utf-8') as f:
    sys.exit(not {'delay': delay, 'samples': samples}[what](json.load(f), *args))
