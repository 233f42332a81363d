#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The names that guests' memory gave, against those of bundles from inside the guests: `vmmprof script` of one session.

agentless.py debug DIR FILE...             DIR/.build-id: a link to each FILE, for --debug-dir
agentless.py table MEMORY.TXT              per guest and mode: samples, with a process, with a function
agentless.py named MEMORY.TXT KERNEL USER FILE...
                                           of each guest's samples (of 100 or more) in kernel and in user mode that many percent
                                           have a process and a function, from the first on that says who ran; of all of them in kernel
                                           mode 95 % have a function.  FILEs
                                           have no debug data on the host: of them the file is enough
agentless.py stripped MEMORY.TXT COMM REGEX PERCENT
                                           of COMM's samples in user mode that many are in functions so called
agentless.py brief MEMORY.TXT PERCENT CAUSE FILE...
                                           processes too short to be read: of the samples in kernel mode that many percent
                                           have a function; in user mode each that says who ran has one, lacks it by CAUSE
                                           or is of a FILE; of 1 % the mappings may have been read while execve() made them
agentless.py made MEMORY.TXT PERCENT COMM...
                                           code that each COMM made itself has no function, and that is said of it; of all
                                           other samples from the first on that says who ran, that many percent have one
agentless.py same MEMORY.TXT BUNDLE.TXT [PERCENT]
                                           where both know a process or a function, it is the same one; of 90 % of those
                                           that are later than the first that says who ran, both know it (of PERCENT of
                                           them the function)
"""
import os
import re
import subprocess
import sys


def samples(path):
    """Samples of guests by CPU and TSC."""
    found = {}
    with open(path, encoding='utf-8') as f:
        for line in f:
            if line.startswith('type=sample '):
                s = dict(m.groups() for m in re.finditer(r'(\S+?)=(\S*)', line))
                if 'G' in s['flags']:
                    found[s['cpu'], s['tsc']] = s
    return found


def known(s, what):
    value = s.get(what, '-')
    return None if value in ('-', '') or what == 'gsym' and s.get('unresolved') else value


def later(found):
    """Those of each guest from the first one on that says who ran."""
    begun, late = set(), []
    for _, s in sorted(found.items(), key=lambda item: int(item[0][1])):
        if s.get('who', '').isdigit():
            begun.add(s['pid'])
        if s['pid'] in begun:
            late.append(s)
    return late


def counts(path, files=(), since=False):
    table = {}
    for s in later(samples(path)) if since else samples(path).values():
        n = table.setdefault((s.get('guest', s['pid']), 'user' if s['cpl'] == '3' else 'kernel'), [0, 0, 0])
        n[0] += 1
        n[1] += known(s, 'gpid') is not None
        n[2] += known(s, 'gsym') is not None or s.get('gmod') in files
    return table


def table(path):
    for (vm, mode), (n, process, function) in sorted(counts(path).items()):
        print(f'{vm:8} {mode:6} {n:8} samples, {100 * process / n:6.2f} % with a process, {100 * function / n:6.2f} % with a function')
    return True


def named(path, kernel, user, *files):
    table(path)
    least, good = {'kernel': float(kernel), 'user': float(user)}, True
    every = counts(path, files)
    busy = {vm for vm, _ in every if sum(n for (of, _), (n, *_) in every.items() if of == vm) >= 100}
    modes = {key: n for key, n in counts(path, files, True).items() if key[0] in busy}
    good &= 0 < len(modes) == 2 * len(busy)
    for (_, mode), (n, process, function) in modes.items():
        good &= n >= 100 and 100 * min(process, function) >= least[mode] * n
    for (_, mode), (n, _, function) in every.items():
        good &= mode == 'user' or 100 * function >= 95 * n
    return good


def same(memory, bundle, percent=90):
    ours, theirs = samples(memory), samples(bundle)
    good = ours.keys() == theirs.keys()
    for what, least in ('gpid', 90), ('gsym', float(percent)):
        both = wrong = 0
        for key, s in ours.items():
            a, b = known(s, what), known(theirs.get(key, {}), what)
            if a is None or b is None:
                continue
            both += 1
            if a != b:
                wrong += 1
                if wrong <= 5:
                    print(f"{what}: {a}, and {b} by the bundle: CPL {s['cpl']} {s.get('gcomm')} {s.get('gip')} {s.get('gsym')}")
        print(f'{what}: {both} samples of {len(ours)} have one by both, {wrong} another one')
        good &= 100 * both >= least * len(later(ours)) and not wrong
    return good


def stripped(path, comm, regex, percent):
    mine = [s for s in later(samples(path)) if s['cpl'] == '3' and s.get('gcomm') == comm]
    good = sum(bool(re.fullmatch(regex, known(s, 'gsym') or '')) for s in mine)
    print(f'{good} of {len(mine)} samples in {regex}')
    return len(mine) >= 500 and 100 * good >= float(percent) * len(mine)


def made(path, percent, *comms):
    late = [s for s in later(samples(path)) if s.get('who', '').isdigit()]
    theirs = {c: [s for s in late if s.get('gmod') == '[anon]' and s.get('gcomm') == c] for c in comms}
    for comm, mine in theirs.items():
        print(f'{comm}: {len(mine)} samples in what it made')
    rest = [s for s in late if s.get('gmod') != '[anon]' or s.get('gcomm') not in comms]
    good = sum(known(s, 'gsym') is not None for s in rest)
    print(f'{good} of {len(rest)} others have a function')
    return all(len(mine) >= 1000 and {(known(s, 'gsym'), s.get('unresolved')) for s in mine} == {(None, 'anonymous')}
               for mine in theirs.values()) and len(rest) >= 1000 and 100 * good >= float(percent) * len(rest)


def brief(path, percent, cause, *files):
    table(path)
    late, causes = later(samples(path)), {}
    for s in late:
        if s['cpl'] == '3' and not known(s, 'gsym'):
            why = s.get('gmod') if s.get('gmod') in files else s.get('unresolved')
            causes[why] = causes.get(why, 0) + 1
    for why, n in sorted(causes.items()):
        print(f'user mode: {n} samples without a function: {why}')
    kernel = [bool(known(s, 'gsym')) for s in late if s['cpl'] != '3']
    if causes.get('not-mapped', 0) * 100 <= sum(s['cpl'] == '3' for s in late):
        causes.pop('not-mapped', 0)
    return len(kernel) >= 1500 and 100 * sum(kernel) >= float(percent) * len(kernel) and set(causes) <= {cause, *files}


def has_symbols(file):
    out = subprocess.run(['readelf', '-SW', file], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    return ' .symtab ' in out


def debug(to, *files):
    for file in filter(has_symbols, files):
        out = subprocess.run(['readelf', '-n', file], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
        m = re.search(r'Build ID: ([0-9a-f]{2})([0-9a-f]+)', out)
        if m:
            os.makedirs(f'{to}/.build-id/{m[1]}', exist_ok=True)
            link = f'{to}/.build-id/{m[1]}/{m[2]}.debug'
            if not os.path.lexists(link):
                os.symlink(os.path.abspath(file), link)
    return True


sys.exit(not {'table': table, 'named': named, 'stripped': stripped, 'brief': brief, 'made': made, 'same': same, 'debug': debug}[sys.argv[1]](*sys.argv[2:]))
