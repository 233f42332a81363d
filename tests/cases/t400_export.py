#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t400_export.py SESSION [OPTIONS]: sum each export of $VMMPROF by everything
it tells apart and compare with what `report --json` says: nanoseconds where the
session has vCPUs' time, else samples."""
import collections
import csv
import functools
import gzip
import io
import json
import os
import re
import subprocess
import sys

from protofields import fields

STATES = {'[vmm]': 'vmm', '[steal]': 'steal', '[halt]': 'halt',
          '[blocked]': 'blocked', '[unknown]': 'unknown'}


def run(*args):
    done = subprocess.run([os.environ['VMMPROF'], *args], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout


def table(machine, name, sums, samples, sample):
    """Rows of a table of the report: (guest, vcpu, process, pid, module,
    function, mode, state) -> what exports have of it, and samples."""
    host = 'vm' not in machine
    for row in machine['rows']:
        if host and row['process'].startswith('(VM'):
            continue
        # behind the module stands the number of its process
        number = re.search(r'\(\d+\)$', row['process'])
        module = row['module']
        if number:
            assert module.endswith(number.group()), row
            module = module[:-len(number.group())]
        key = (name, '-' if host else row['vcpu'], row['process'], row['pid'],
               module, row['function'], row['mode'],
               'host' if host else 'guest')
        sums[key] += row.get('time_ns', row['samples'] * sample)
        samples[key] += row['samples']
    for row in machine.get('host_time', ()):
        bare = re.match(r'\((kernel|user|)', row['module'])[1] or 'unknown'
        key = (name, '', '-', '-', row['module'], row['function'],
               '-' if row['function'] in STATES else bare,
               STATES.get(row['function'], 'guest'))
        sums[key] += row['time_ns']
        samples[key] += row['samples']


def report(session, options):
    """What each has, in the exports' unit and in samples."""
    said = json.loads(run('report', '-i', session, '--json', '--sort',
                          'vcpu,process,pid,module,function,mode', *options))
    sums, samples = collections.Counter(), collections.Counter()
    timed, period, _ = axis()
    sample = period if timed else 1
    if 'host' in said:
        table(said['host'], 'host', sums, samples, sample)
    for guest in said['guests']:
        table(guest, guest['name'], sums, samples, sample)
    return sums, samples


def without_vcpu(sums):
    """The report has the time of a guest's vCPUs together."""
    ret = collections.Counter()
    for key, n in sums.items():
        vcpu = '' if key[7] not in ('guest', 'host') else key[1]
        ret[key[:1] + (vcpu,) + key[2:]] += n
    return ret


def state(function, guest):
    return STATES.get(function, 'host' if guest == 'host' else 'guest')


# (guest, vCPU, thief) -> samples, of the format that is read
stolen = collections.Counter()


def steals(guest, vcpu, thieves, n):
    for thief in thieves:
        stolen[guest, vcpu, thief] += n


def folded(data):
    for line in data.decode().splitlines():
        stack, n = line.rsplit(' ', 1)
        guest, vcpu, process, module, function, *thief = (
            x.replace('\\x3b', ';') for x in stack.split(';'))
        steals(guest, vcpu.replace('vCPU ', ''), thief, int(n))
        yield (guest, vcpu.replace('vCPU ', ''), process, None, module,
               function, None, state(function, guest)), int(n)


def csv_rows(data):
    for r in csv.DictReader(io.StringIO(data.decode(), newline='')):
        n = int(weight(r['samples'], r['time_ns']))
        steals(r['guest'], r['vcpu'], [r['thief']] * bool(r['thief']), n)
        yield tuple(r[k] or '-' for k in ('guest', 'vcpu', 'process', 'pid',
                                          'module', 'function', 'mode',
                                          'state')), n


def json_rows(data):
    said = json.loads(data)
    assert said['samples'] == sum(e['samples'] for e in said['entries'])
    for e in said['entries']:
        n = weight(e['samples'], e['time_ns'])
        steals(e['guest'], str(e['vcpu']), [x for x in [e.get('thief')] if x],
               n)
        yield tuple('-' if e[k] is None else str(e[k]) for k in (
            'guest', 'vcpu', 'process', 'pid', 'module', 'function', 'mode',
            'state')), n


@functools.lru_cache
def axis():
    """Have guests time; the period; CPUs."""
    session = sys.argv[1]
    said = json.loads(run('export', '-i', session, '-f', 'json',
                          *sys.argv[2:]))
    cpus = json.loads(run('report', '-i', session, '--json'))['session']['cpus']
    return said['host_time'], said['period_ns'], cpus


def weight(samples, ns):
    return ns if axis()[0] else samples


def whole(profile, n):
    """What speedscope shows of it, on an axis that the host's CPUs share."""
    timed, period, cpus = axis()
    host = profile['name'] == 'host'
    if profile['unit'] == 'none' or (timed and not host):
        return n
    n, rest = divmod(n, period // (cpus if host else 1))
    assert not rest
    return n * period if timed else n


def speedscope(data):
    said = json.loads(data)
    ends = [p['endValue'] for p in said['profiles']]
    # one axis; what is in the last bin may be longer than the bin
    assert said['profiles'][0]['unit'] == 'none' or \
        max(ends) <= min(ends) * 1.2, ends
    frames = said['shared']['frames']
    for p in said['profiles']:
        assert p['endValue'] == sum(p['weights'])
        assert len(p['samples']) == len(p['weights'])
        guest, _, vcpu = p['name'].partition(' vCPU ')
        for stack, n in zip(p['samples'], p['weights']):
            assert n > 0
            if not stack:
                assert p['unit'] == 'nanoseconds'
                continue
            n = whole(p, n)
            stack = [frames[i] for i in stack]
            thief = [x['name'] for x in stack[-1:] if 'file' not in x]
            *process, f = stack[:-1] if thief else stack
            steals(guest, vcpu or '-', thief, n)
            yield (guest, vcpu or '-', process[0]['name'] if process else '-',
                   None, f['file'], f['name'], None,
                   state(f['name'], guest)), n


def columns(table, **kinds):
    """Are all columns as long as the table says, and each number in them one
    of the rows there are (-1, None: if these may be there)?"""
    for name, column in table.items():
        assert name in ('length', 'weightType') or \
            len(column) == table['length'], name
    for name, (rows, *more) in kinds.items():
        for v in table[name]:
            assert v in more or 0 <= v < rows, (name, v)


def firefox_tables(said):
    """As CHANGELOG-formats.md of Firefox Profiler has version 60."""
    assert said['meta']['preprocessedProfileVersion'] == 60
    t = said['shared']
    strings = len(t['stringArray'])
    categories = said['meta']['categories']
    assert any(c['color'] == 'grey' for c in categories)
    assert all(c['subcategories'][0] == 'Other' for c in categories)
    columns(t['stackTable'], frame=(t['frameTable']['length'],),
            prefix=(t['stackTable']['length'], None))
    assert all(p is None or p < i
               for i, p in enumerate(t['stackTable']['prefix']))
    columns(t['frameTable'], func=(t['funcTable']['length'],),
            category=(len(categories), None))
    for c, s in zip(t['frameTable']['category'],
                    t['frameTable']['subcategory']):
        assert s < len(categories[c]['subcategories'] if c is not None
                       else ['Other'])
    columns(t['funcTable'], name=(strings,),
            resource=(t['resourceTable']['length'], -1))
    columns(t['resourceTable'], name=(strings,))
    columns(t['nativeSymbols'])
    columns(t['sources'])
    assert len({p['tid'] for p in said['threads']}) == len(said['threads'])
    for p in said['threads']:
        columns(p['samples'], stack=(t['stackTable']['length'], None))
        columns(p['markers'])
        times = p['samples']['time']
        assert times == sorted(times) and times[0] >= 0
    return t


def firefox(data):
    said = json.loads(data)
    t = firefox_tables(said)
    names, stacks, frames = t['stringArray'], t['stackTable'], t['frameTable']

    def func(frame):
        f = frames['func'][frame]
        r = t['funcTable']['resource'][f]
        return (names[t['funcTable']['name'][f]],
                '-' if r < 0 else names[t['resourceTable']['name'][r]])

    for p in said['threads']:
        vcpu = re.fullmatch(r'vCPU (\d+)', p['name'])
        for stack, n in zip(p['samples']['stack'], p['samples']['weight']):
            where = []
            if stack is None:
                assert n == 0
                continue
            if axis()[0]:
                n = round(n * 1e6)
            while stack is not None:
                where.append(stacks['frame'][stack])
                stack = stacks['prefix'][stack]
            if len(where) > 2 and func(where[1])[0] == '[steal]':
                steals(p['processName'], vcpu[1], [func(where.pop(0))[0]], n)
            function, module = func(where[0])
            assert func(where[-1])[0] == p['processName']
            category = said['meta']['categories'][
                frames['category'][where[0]]]
            mode = category['subcategories'][frames['subcategory'][where[0]]]
            yield (p['processName'], vcpu[1] if vcpu else '-',
                   func(where[1])[0] if len(where) == 3 else '-', None,
                   module, function, '-' if mode == 'Other' else mode,
                   category['name']), n


def pprof(data):
    parts = collections.defaultdict(list)
    for field, value in fields(gzip.decompress(data)):
        parts[field].append(value)
    text = [t.decode() for t in parts[6]]
    functions, places, mappings = {}, {}, {}
    for f in map(dict, map(fields, parts[5])):
        functions[f[1]] = text[f[2]]
    for m in map(dict, map(fields, parts[3])):
        mappings[m[1]] = text[m[5]]
    for m in map(dict, map(fields, parts[4])):
        places[m[1]] = mappings[m[2]], functions[dict(fields(m[4]))[1]]
    period = parts[12][0] if parts[12] else None
    kinds = [tuple(text[n] for _, n in fields(x)) for x in parts[1]]
    assert kinds == [('samples', 'count'), ('cpu', 'nanoseconds'),
                     ('off_cpu', 'nanoseconds')][
                         :3 if axis()[0] else 2 if period else 1], kinds
    for sample in parts[2]:
        at, values, labels = [], [], {}
        for field, value in fields(sample):
            if field == 3:
                label = dict(fields(value))
                labels[text[label[1]]] = text[label[2]]
            else:
                (at if field == 1 else values).append(value)
        place = at.pop()
        timed = axis()[0]
        assert len(at) <= 1 and len(values) == (3 if timed else
                                                2 if period else 1)
        if timed:
            # what had no CPU is no time of one
            off = labels['state'] in ('steal', 'halt', 'blocked', 'unknown')
            assert values[1 if off else 2] == 0, (labels, values)
            values[1:] = [values[1] + values[2]]
        steals(labels['guest'], labels.get('vcpu', '-'),
               [places[x][1] for x in at], values[-1])
        assert not period or timed and labels['guest'] != 'host' or \
            values[1] == values[0] * period
        yield (labels['guest'], labels.get('vcpu', '-'),
               labels.get('process', '-'), labels.get('pid', '-'),
               *places[place], labels.get('mode', '-'),
               labels['state']), values[timed]


def perfetto(data):
    """Ticks of each guest's steal, by its vCPUs' slices; and of each function
    of a guest."""
    names, parents, open_at = {}, {}, {}
    sums, functions = collections.Counter(), collections.Counter()
    for _, packet in fields(data):
        p = dict(fields(packet))
        if 60 in p:
            d = dict(fields(p[60]))
            names[d[1]] = d[2] if 2 in d else dict(fields(d[3]))[6]
            parents[d[1]] = d.get(5)
            continue
        e = dict(fields(p[11]))
        guest = names.get(parents[e[11]])
        if not guest or e[9] == 4:
            continue
        if e[9] == 1:
            name = e[23].decode()
            open_at[e[11]] = p[8], (
                name if names[e[11]].endswith(b' functions') else
                name.partition(':')[0])
            continue
        begin, what = open_at.pop(e[11])
        if names[e[11]].endswith(b' functions'):
            functions[guest.decode(), what] += p[8] - begin
            slices[guest.decode(), what] += 1
            continue
        if what in ('preempted', 'woken'):
            sums[guest.decode()] += p[8] - begin
    return sums, functions


slices = collections.Counter()  # of each function


def check_perfetto(session, want, taken, period):
    trace = run('export', '-i', session, '-f', 'perfetto')
    assert trace == run('timeline', '-i', session, '--perfetto')
    sums, functions = perfetto(trace)
    samples = collections.Counter()
    for k, n in taken.items():
        if k[7] == 'guest' and n:
            # longer names are cut in the trace, and say so
            name = k[5] if len(k[5]) < 256 else k[5][:252] + '...'
            samples[k[0], name] += n
    assert functions.keys() == samples.keys()
    for k, n in samples.items():
        # a sample's period may be cut short by the next one, and samples up
        # to two periods apart are one slice
        assert slices[k] <= n
        assert abs(functions[k] / period - n) <= n, (
            k, functions[k] / period, n)
    for guest in {k[0] for k in want} | set(sums):
        steal = sum(n for k, n in want.items()
                    if k[0] == guest and k[7] == 'steal')
        # beginnings and ends are whole nanoseconds
        assert abs(steal - sums[guest]) < 1e4, (guest, steal, sums[guest])
    assert not want or sums


FORMATS = {'folded': folded, 'csv': csv_rows, 'json': json_rows,
           'speedscope': speedscope, 'firefox': firefox, 'pprof': pprof}


def kind(name):
    """Without call chains, which t492_export_chains and t496_off_cpu_exports
    look at."""
    return '-f', name, *([] if name in ('csv', 'json') else ['-G'])


def main():
    session, *options = sys.argv[1:]
    want, taken = report(session, options)
    assert want
    failed = False
    first = None
    khz = json.loads(run('steal', '-i', session, '--json'))['tsc_khz']
    for name, parse in FORMATS.items():
        data = run('export', '-i', session, *kind(name), *options)
        stolen.clear()
        rows = list(parse(data))
        first = first if first is not None else +stolen
        # each part of [steal] has its thief, the same in every format
        steal = sum(n for key, n in rows if key[7] == 'steal')
        # where a tick is no nanosecond, each part in time is rounded
        off = 0 if khz == 1000000 else 512
        wrong = [(k, stolen[k], first[k]) for k in stolen.keys() | first.keys()
                 if abs(stolen[k] - first[k]) > off]
        if wrong or sum(stolen.values()) != steal:
            print(f'{session} {name}: {wrong[:9]}, of {steal}')
            failed = True
        lacks = {i for key, _ in rows for i in range(8) if key[i] is None}
        # what the format does not have is not compared
        expected, got = collections.Counter(), collections.Counter()
        for sums, items in ((expected, want.items()), (got, rows)):
            for key, n in items:
                sums[tuple(None if i in lacks else k
                           for i, k in enumerate(key))] += n
        got = without_vcpu(got)
        for key in expected.keys() | got.keys():
            # of vCPUs' nanoseconds each was rounded
            if abs(expected[key] - got[key]) > (
                    0 if khz == 1000000 else len(rows)):
                print(f'{session} {name}: {key}: {got[key]}, the report has '
                      f'{expected[key]}')
                failed = True
        if not rows or lacks - {3, 6}:
            print(f'{session} {name}: {len(rows)} entries, lacks {lacks}')
            failed = True
    said = json.loads(run('export', '-i', session, '-f', 'json', *options))
    if said['host_time'] and not options:
        check_perfetto(session, want, taken, said['period_ns'])
    sys.exit(failed)


if __name__ == '__main__':
    main()
