#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare what `vmmprof report --json` says of guests with an independent truth.

shares.py native REPORT.JSON GUEST PERF.TXT POINTS   the five functions hottest natively (perf report -n --sort symbol)
                                                     differ by at most POINTS of the total in the guest, or 4 sigma
shares.py equal REPORT.JSON GUEST COMM POINTS        the two processes COMM have equal shares, or 4 sigma
shares.py only REPORT.JSON GUEST COMM PREFIX OTHER   functions PREFIX* are there, in COMM alone, no function OTHER*
shares.py resolved REPORT.JSON PERCENT               of each guest's samples that many have a function
shares.py account REPORT.JSON                        the account adds up, nothing is lost, no contradiction
shares.py same REPORT.JSON OTHER.JSON POINTS         both have the same guests; of the samples of all guests each has the
                                                     same share, and in it its five hottest functions, or 4 sigma
"""
import json
import re
import sys


def guest(report, name):
    return next(g for g in report['guests'] if g['name'] == name)


def rows_by_function(g):
    sums = {}
    for row in g['rows']:
        sums[row['function']] = sums.get(row['function'], 0) + row['samples']
    return sums


def native(report, name, perf, points):
    reference = {}
    for line in open(perf):
        m = re.match(r'\s*[\d.]+%\s+(\d+)\s+\[[.k]\]\s+(\S+)', line)
        if m:
            reference[m[2]] = reference.get(m[2], 0) + int(m[1])
    g = guest(report, name)
    ours, total = rows_by_function(g), sum(reference.values())
    worst, good, n = 0, True, total * g['samples'] / (total + g['samples'])
    for function in sorted(reference, key=reference.get, reverse=True)[:5]:
        a, b = 100 * reference[function] / total, 100 * ours.get(function, 0) / g['samples']
        worst = max(worst, abs(a - b))
        good &= abs(a - b) <= max(float(points), 4 * (a * (100 - a) / n) ** 0.5)
        print(f'{function} {a:.2f} natively, {b:.2f} in the guest')
    print(f"{total} and {g['samples']} samples, worst {worst:.2f} points")
    return total >= 20000 and g['samples'] >= 20000 and good


def equal(report, name, comm, points):
    g = guest(report, name)
    two = [p for p in g['processes'] if p['process'] == comm]
    shares = [100 * p['samples'] / g['samples'] for p in two]
    print(', '.join(f"pid {p['pid']}: {p['samples']} samples, {s:.2f} %" for p, s in zip(two, shares)))
    # of a share of one half, and there are two of them
    sigma = 100 / sum(p['samples'] for p in two) ** 0.5 if two else 0
    return len(two) == 2 and abs(shares[0] - shares[1]) <= max(float(points), 4 * sigma)


def only(report, name, comm, prefix, other):
    functions = rows_by_function(guest(report, name))
    mine = sum(n for f, n in functions.items() if f.startswith(prefix))
    alien = sum(n for f, n in functions.items() if f.startswith(other))
    names = {p['process'] for p in guest(report, name)['processes'] if p['user']}
    print(f'{mine} samples in {prefix}*, {alien} in {other}*, processes {" ".join(sorted(names))}')
    return mine > 1000 and alien == 0 and comm in names


def resolved(report, percent):
    good = True
    for g in report['guests']:
        share = 100 * g['resolved'] / g['samples']
        print(f"{g['name']}: {g['resolved']} of {g['samples']} resolved, {share:.2f} %")
        good &= share >= float(percent)
    return good and bool(report['guests'])


def account_adds_up(report):
    account, lines = report['account'], sum(line['samples'] for line in report['account']['lines'])
    wrong = sum(report['contradictions'].values())
    print(f"{lines} samples in lines, {account['taken']} taken, {account['lost']} lost, {wrong} contradictions")
    return account['adds_up'] and lines == account['taken'] and not account['lost'] and not wrong


def same(report, other, points):
    with open(other, encoding='utf-8') as f:
        other = json.load(f)
    both = report, other
    names = [sorted(g['name'] for g in r['guests']) for r in both]
    all_guests = [sum(g['samples'] for g in r['guests']) for r in both]
    worst, good = 0, names[0] == names[1] and min(all_guests) > 1000

    def near(what, counts, totals):
        nonlocal worst, good
        a, b = (100 * n / total for n, total in zip(counts, totals))
        sigma = (a * (100 - a) * (1 / totals[0] + 1 / totals[1])) ** 0.5
        worst = max(worst, abs(a - b))
        good &= abs(a - b) <= max(float(points), 4 * sigma)
        print(f'{what} {a:.2f} and {b:.2f}')

    for name in names[0] if good else []:
        guests = [guest(r, name) for r in both]
        totals = [g['samples'] for g in guests]
        near(name, totals, all_guests)
        functions = [rows_by_function(g) for g in guests]
        for f in sorted(functions[0], key=functions[0].get, reverse=True)[:5] if min(totals) > 1000 else []:
            near(f'{name} {f}', [fs.get(f, 0) for fs in functions], totals)
    print(f'{names[0]} and {names[1]}, {all_guests[0]} and {all_guests[1]} samples, worst {worst:.2f} points')
    return good


what, file, *args = sys.argv[1:]
with open(file, encoding='utf-8') as f:
    sys.exit(not {'native': native, 'equal': equal, 'only': only, 'resolved': resolved, 'account': account_adds_up,
                  'same': same}[what](json.load(f), *args))
