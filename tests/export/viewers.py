#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""viewers.py pprof SESSION PPROF
viewers.py folded SESSION INFERNO-FLAMEGRAPH
viewers.py schema FILE SCHEMA
viewers.py speedscope FILE INDEX.HTML
viewers.py firefox SESSION PROFILER-CLI.JS

Give an export to the program it is for and compare what that shows with the
report of the session (pprof, folded, firefox); or check it by a schema, or by loading
it.  Ends non-zero if something differs."""
import base64
import collections
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import time


def run(*args, **more):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, **more).stdout.decode()


def report(session):
    """What exports have of each (guest, function), the rows of host time too:
    nanoseconds, or samples of a session without vCPUs' time."""
    said = json.loads(run(os.environ['VMMPROF'], 'report', '-i', session,
                          '--json'))
    sample = period(session) if timed(session) else 1
    sums = collections.Counter()
    for m in said['guests'] + [said['host']]:
        for row in m['rows'] + m.get('host_time', []):
            if 'vm' in m or not row['module'].startswith('(VM'):
                sums[m['name'], row['function']] += row.get(
                    'time_ns', row['samples'] * sample)
    return sums


def timed(session):
    with open(f'{session}.json', encoding='utf-8') as f:
        return json.load(f)['host_time']


def period(session):
    with open(f'{session}.json', encoding='utf-8') as f:
        return json.load(f)['period_ns']


def tops(pprof, session, *options):
    """What pprof -top says of each function, and its total, of all kinds of time."""
    functions, total = collections.Counter(), 0
    for kind in ['cpu', 'off_cpu'] if timed(session) else ['samples']:
        got, n = top(pprof, session, f'-sample_index={kind}', *options)
        functions.update(got)
        total += n
    return +functions, total


def top(pprof, session, *options):
    """The same of one kind."""
    text = run(pprof, '-top', '-nodefraction=0', '-unit=ns',
               '-nodecount=1000000', *options, f'{session}.pprof')
    text = re.sub(r'(\d)ns\b', r'\1', text)
    rows = re.findall(r'^ *(\d+) +\S+% +\S+% +(\d+) +\S+% +(.*)$', text, re.M)
    # above [steal] stand the thieves, who have all of it
    steal = [int(cum) for _, cum, name in rows if name == '[steal]']
    assert all(flat == cum for flat, cum, name in rows if name != '[steal]')
    assert all(flat == '0' for flat, _, name in rows if name == '[steal]')
    thieves = re.findall(r'^ *\d\S* +\S+% \|   (.*)$', run(
        pprof, '-peek=^\\[steal\\]$', '-nodefraction=0',
        *options, f'{session}.pprof'), re.M) if steal else []
    return ({name: int(cum) for _, cum, name in rows if name not in thieves},
            int(re.search(r'Total samples = (\d+)', text)[1]))


def same(what, got, want):
    if dict(got) != dict(want):
        sys.exit(f'{what}: {dict(got)}, the report has {dict(want)}')


def check_pprof(session, pprof):
    want = report(session)
    everything = collections.Counter()
    for guest in {g for g, _ in want}:
        mine = {f: n for (g, f), n in want.items() if g == guest}
        everything.update(mine)
        got, total = tops(pprof, session, f'-tagfocus=guest=^{guest}$')
        same(guest, got, mine)
    got, total = tops(pprof, session)
    same('all', got, everything)
    same('total', {'': total}, {'': sum(want.values())})
    # A label becomes a frame: the guest's sum is its function's.
    text = ''.join(run(pprof, '-top', '-cum', '-nodefraction=0',
                       '-unit=ns', '-tagroot=guest',
                       f'-sample_index={kind}', f'{session}.pprof')
                   for kind in (['cpu', 'off_cpu'] if timed(session)
                                else ['samples']))
    text = re.sub(r'(\d)ns\b', r'\1', text)
    for guest in {g for g, _ in want}:
        sums = re.findall(rf'(\d+) +\S+%  {guest}$', text, re.M)
        same('root', {guest: [sum(int(n) for n in sums)]},
             {guest: [sum(n for k, n in want.items() if k[0] == guest)]})


def check_folded(session, flamegraph):
    want = report(session)
    with open(f'{session}.folded', encoding='utf-8') as f:
        svg = run(flamegraph, '--minwidth', '0', stdin=f)
    titles = collections.Counter()
    for name, n in re.findall(r'<title>(.*?) \(([\d,]+) samples?, ', svg):
        titles[html.unescape(name)] += int(n.replace(',', ''))
    same('all', {'all': titles['all']}, {'all': sum(want.values())})
    for guest in {g for g, _ in want}:
        same('guest', {guest: titles[guest]},
             {guest: sum(n for (g, _), n in want.items() if g == guest)})
    for function in {f for _, f in want}:
        n = sum(n for (_, f), n in want.items() if f == function)
        # a process or module may have the same name
        if titles[function] < n or (function[0] in '[(' and
                                    titles[function] != n):
            sys.exit(f'{function}: {titles[function]}, not {n}')


def check_schema(file, schema):
    import jsonschema  # pylint: disable=import-outside-toplevel
    with open(file, encoding='utf-8') as f, \
            open(schema, encoding='utf-8') as s:
        data, rules = json.load(f), json.load(s)
    jsonschema.Draft7Validator.check_schema(rules)
    jsonschema.validate(data, rules)
    # A schema that takes everything would take this too.
    for key in rules.get('required', ['profiles']):
        broken = {k: v for k, v in data.items() if k != key}
        if jsonschema.Draft7Validator(rules).is_valid(broken):
            sys.exit(f'the schema does not ask for {key}')


def check_speedscope(file, index):
    with open(file, 'rb') as f:
        data = f.read()
    name = json.loads(data)['name']
    with tempfile.TemporaryDirectory() as tmp:
        with open(f'{tmp}/load.js', 'w', encoding='ascii') as f:
            f.write('speedscope.loadFileFromBase64("x.json", '
                    f'"{base64.b64encode(data).decode()}")')
        page = run('chromium', '--headless', '--no-sandbox', '--disable-gpu',
                   f'--user-data-dir={tmp}/chromium', '--dump-dom',
                   '--virtual-time-budget=5000',
                   f'file://{index}#localProfilePath={tmp}/load.js')
    if f'<title>{name} - speedscope' not in page:
        sys.exit(f'not loaded: {page[:1000]}')


def check_firefox(session, cli):
    """By the commands that Firefox Profiler's own importer is in."""
    want, got = report(session), collections.Counter()
    with tempfile.TemporaryDirectory() as home:
        def ask(*args):
            return run('node', cli, *args, env=dict(os.environ, HOME=home))

        for left in reversed(range(60)):
            try:  # it wants its server within half a second
                ask('load', f'{session}.firefox')
                break
            except subprocess.CalledProcessError:
                if not left:
                    raise
                # the one that came too late may still be beginning
                time.sleep(2)
        try:
            for t in json.loads(ask('thread', 'list', '--limit', '0',
                                    '--json'))['threads']:
                said = json.loads(ask('thread', 'functions', '--thread',
                                      t['threadHandle'], '--include-idle',
                                      '--limit', '0', '--json'))
                for f in said['functions']:
                    name = f['name']
                    if f.get('library'):
                        name = name.removeprefix(f['library'] + '!')
                    if f['selfSamples']:
                        got[t['processName'], name] += f['selfSamples']
        finally:
            ask('stop')
    # time is in milliseconds there
    if timed(session):
        got = collections.Counter({k: round(n * 1e6) for k, n in got.items()})
    # what was stolen has a thief above it
    stolen = {k: n for k, n in want.items() if k[1] == '[steal]'}
    for (guest, _), n in stolen.items():
        thieves = [k for k in got if k[0] == guest and k not in want]
        same(guest, {'[steal]': sum(got.pop(k) for k in thieves)},
             {'[steal]': n})
    same('all', got, want - collections.Counter(stolen))


{'firefox': check_firefox, 'pprof': check_pprof, 'folded': check_folded, 'schema': check_schema,
 'speedscope': check_speedscope}[sys.argv[1]](*sys.argv[2:])
