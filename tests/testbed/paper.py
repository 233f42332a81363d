#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The evaluation of the method's paper: what we measured against what must hold, and beside the paper's numbers.

paper.py read NAME[:GUEST]...        all views of session NAME (with GUEST.bundle) into NAME.json, NAME.svg
paper.py report OUT SCENARIO         OUT/paper/report.md with figures, of all scenarios whose results are in OUT; if
                                     SCENARIO ends in -amd, OUT/paper-amd/report.md, of those that do
Checks of NAME.json; a bound is the larger of points given here and four standard deviations of a count of samples:
paper.py sum NAME                    each vCPU's states sum to its time
paper.py schedstat NAME              steal and time on a CPU agree with the scheduler's (by switch records)
paper.py native NAME GUEST PERF.TXT  the five functions hottest under perf have the same share in the guest
paper.py equal NAME MACHINE COMM     the machine's two processes COMM have equal shares
paper.py rest NAME GUEST [VCPU CPU]  samples alone: what the host, or that CPU, spent elsewhere is the guest's steal
paper.py off NAME GUEST              switch records: time without a CPU against the samples of everyone else
paper.py halves NAME GUEST           samples alone: each of two vCPUs lost half to the other one
paper.py halved NAME GUEST           the same by switch records
paper.py idle NAME GUEST             samples alone: the guest's halt is the host's idle time, and its work meanwhile
paper.py halt NAME GUEST             switch records: the same, the host's idle time by cycles not counted
paper.py moved NAME GUEST            each vCPU ran on both CPUs, 20 % of its time or more; no switch record is missing
"""
import json
import os
import re
import subprocess
import sys

BED = os.path.dirname(os.path.abspath(__file__))
# where vCPUs take turns a whole recording has more turns than pixels
ZOOM = dict.fromkeys(('table8', 'table12', 'thief'), ('--from', '2', '--to', '2.25'))
COLUMNS = 'guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown'


def percent(part, whole):
    return 100 * part / whole if whole else 0


def plain(function):
    """Without what the compiler appended to a loop that OpenMP runs."""
    return re.sub(r'\._omp_fn\.\d+$', '', function)


def deviation(share, n):
    """Of a share of n samples, both in percent."""
    return (share * (100 - share) / n) ** 0.5 if n else 100


class View:
    """One machine's table: rows (function, module, samples), host time included.  Where that is time, it is in
    sampling periods."""
    def __init__(self, machine, period=None):
        time = [dict(r, samples=round(r['time_ns'] / period) if 'time_ns' in r else r['samples'])
                for r in machine.get('host_time', [])]
        self.time = sum(r['samples'] for r in time)
        self.total = machine['samples'] + self.time
        self.own = machine['samples']
        self.rows = sorted(((plain(r.get('function', '')), r.get('module', ''), r['samples']) for r in machine['rows'] + time),
                           key=lambda r: -r[2])
        self.modes = {'OS': machine['os'], 'USER': machine['user']}
        for r in time:
            name = {'[idle]': 'IDLE'}.get(r['function'], r['function'][1:-1])
            self.modes[name] = self.modes.get(name, 0) + r['samples']
        if machine.get('in_guests'):
            self.modes['VM'] = machine['in_guests']
        self.processes = machine['processes']

    def share(self, function, module=''):
        return percent(sum(n for f, m, n in self.rows if f == function and module in m), self.total)

    def by_function(self):
        sums = {}
        for f, _, n in self.rows:
            if f[0] != '[':
                sums[f] = sums.get(f, 0) + n
        return sums


class Recording:
    """NAME.json, as made by read()."""
    def __init__(self, name, folder='.'):
        self.name, self.folder = name, folder
        with open(f'{folder}/{name}.json', encoding='utf-8') as f:
            self.data = json.load(f)
        self.steal, self.sampled = self.data['steal'], self.data['sampled']
        self.exact = self.steal['method'] == 'exact'

    def host(self, cpu=None):
        if cpu is None:
            return View(self.data['report']['host'])
        cpus = self.data['cpus']
        there = {g['name']: sum(r['samples'] for r in g['rows'] if r['cpu'] == str(cpu)) for g in cpus['guests']}
        rows = [r for r in cpus['host']['rows'] if r['cpu'] == str(cpu)] + [
            {'function': f'[{name}]', 'samples': n} for name, n in there.items()]
        return View({**cpus['host'], 'rows': rows, 'samples': sum(r['samples'] for r in rows)})

    def guest(self, name, vcpu=None, kind='paper'):
        report = self.data[kind] if vcpu is None else self.data['vcpus'][f'{kind} {name} {vcpu}']
        return View(next(g for g in report['guests'] if g['name'] == name), self.steal['period_ns'])

    def times(self, name, method='steal'):
        """A guest of `vmmprof steal`."""
        return next(g for g in self.data[method]['guests'] if g['name'] == name)


def read(names):
    def vmmprof(*args):
        out = subprocess.run([os.environ['VMMPROF'], *args], check=True, stdout=subprocess.PIPE, text=True).stdout
        return json.loads(out) if '--json' in args else out

    for name, _, guest in (n.partition(':') for n in names):
        bundle = ['--guest-bundle', f'{guest}={guest}.bundle'] if guest else []
        report = 'report', '-i', name, '--json', *bundle
        data = {'report': vmmprof(*report), 'paper': vmmprof(*report, '--classify=paper'),
                'cpus': vmmprof(*report, '--sort', 'cpu,vcpu,function,module'),
                'steal': vmmprof('steal', '-i', name, '--json'),
                'sampled': vmmprof('steal', '-i', name, '--json', '--method=samples'), 'vcpus': {}}
        for g in data['steal']['guests']:
            for v in g['vcpus'] if len(g['vcpus']) > 1 else []:
                one = *report, '--guest', g['name'], '--vcpu', str(v['vcpu'])
                key = f"{g['name']} {v['vcpu']}"
                data['vcpus'][f'report {key}'] = vmmprof(*one)
                data['vcpus'][f'paper {key}'] = vmmprof(*one, '--classify=paper')
        with open(f'{name}.json', 'w', encoding='utf-8') as f:
            json.dump(data, f)
        if data['steal']['method'] == 'exact' and data['steal']['guests']:
            with open(f'{name}.svg', 'w', encoding='utf-8') as f:
                f.write(vmmprof('timeline', '-i', name, '--svg', *ZOOM.get(name, [])))
    return True


def perf_counts(path, modes='.k'):
    """{function: samples} of a perf report, of user (.) or kernel (k) alone if so asked."""
    counts = {}
    with open(path, encoding='utf-8') as f:
        for line in f:
            m = re.match(r'\s*[\d.]+%\s+(\d+)\s+\[([.k])\]\s+(\S+)', line)
            if m and m[2] in modes:
                counts[plain(m[3])] = counts.get(plain(m[3]), 0) + int(m[1])
    return counts


def near(what, a, b, points, sigma=0):
    """One comparison, told."""
    bound = max(points, 4 * sigma)
    why = 'four sigma' if 4 * sigma > points else 'the bound set'
    print(f'{what}: {a:.2f} and {b:.2f} %, apart {abs(a - b):.2f}, at most {bound:.2f} ({why})')
    return abs(a - b) <= bound


def check_sum(r):
    vcpus = [v for g in r.steal['guests'] for v in g['vcpus']]
    print(f"{len(vcpus)} vCPUs, method {r.steal['method']}")
    return bool(vcpus) and all(
        0 <= v['total_ns'] - sum(v[f'{c}_ns'] for c in COLUMNS) <= len(COLUMNS) for v in vcpus)  # each is rounded down


def check_schedstat(r):
    known = good = 0
    for g in r.steal['guests']:
        for v in g['vcpus']:
            for kind, c in v.get('checks', {}).items():
                if c:
                    known, good = known + 1, good + c['agrees']
                    if kind == 'run-delay' or not c['agrees']:
                        print(f"{g['name']} vCPU {v['vcpu']} {kind}: {c['ours_ns'] / 1e6:.1f} and "
                              f"{c['theirs_ns'] / 1e6:.1f} ms, at most {c['tolerance_ns'] / 1e6:.1f} apart")
    print(f'{good} of {known} agree, method {r.steal["method"]}')
    return r.exact and known > 0 and good == known


def check_native(r, guest, perf):
    theirs, view = perf_counts(perf), r.guest(guest)
    ours, n, good = view.by_function(), sum(theirs.values()), True
    for f in sorted(theirs, key=theirs.get, reverse=True)[:5]:
        a, b = percent(theirs[f], n), percent(ours.get(f, 0), view.own)
        good &= near(f, a, b, 2.5, deviation(a, n * view.own / (n + view.own)))
    print(f'{n} and {view.own} samples')
    return good and n > 5000 and view.own > 5000


def check_equal(r, machine, comm):
    view = r.host() if machine == 'host' else r.guest(machine)
    two = [p for p in view.processes if p['process'] == comm and p['user'] > view.own / 10]
    if len(two) != 2:
        print(f'{len(two)} processes {comm}')
        return False
    n = two[0]['user'] + two[1]['user']
    return near('of both', percent(two[0]['user'], n), 50, 0.5, deviation(50, n))


def check_rest(r, guest, vcpu=None, cpu=None):
    host, view = r.host(cpu), r.guest(guest, vcpu)
    others, steal = 100 - host.share(f'[{guest}]'), view.share('[steal]')
    if cpu is None:
        return near('host without it, steal', others, steal, 0.5) and view.own > 1000
    # With two CPUs the emulator's TSC runs ahead of its cycles: slots stay empty in which nobody else ran.
    slots = r.steal['duration_ns'] / r.steal['period_ns']
    empty = 100 - percent(host.own, slots)
    print(f'host without it, steal: {others:.2f} and {steal:.2f} %, {empty:.2f} % of the slots have no sample at all')
    return view.own > 1000 and empty < 4 and others - 0.5 <= steal <= others + max(empty, 0) + 0.5


def check_off(r, guest):
    exact, sampled = r.times(guest), r.times(guest, 'sampled')
    there = exact['vmm_ns'] + exact['guest_ns']
    others = 100 - percent(sampled['guest_ns'] + sampled['vmm_ns'], sampled['total_ns'])
    own = percent(there, exact['total_ns'])
    n = sampled['total_ns'] / r.steal['period_ns']
    away = exact['steal_ns'] + exact['halt_ns'] + exact['blocked_ns']
    return near('steal, all others', percent(away, exact['total_ns']), others, 0.5,
                deviation(own, n)) and r.exact and exact['steal_ns'] > 0


def check_halves(r, guest):
    good = True
    for vcpu, other in ((0, 1), (1, 0)):
        view = r.guest(guest, vcpu)
        good &= near(f'vCPU {vcpu}', view.share('[steal]', f'vcpu{other}'), 50, 2.5, deviation(50, view.total))
    return good


def check_halved(r, guest):
    good = r.exact
    for vcpu, other in ((0, 1), (1, 0)):
        view = r.guest(guest, vcpu, 'report')
        good &= near(f'vCPU {vcpu}', view.share('[steal]', f'vcpu{other}'), 50, 2.5)
    return good


def worked_while_halted(name):
    """Samples of the host's work whose last exit was HLT; of the idle host, while the last exit that samples know was another."""
    out = subprocess.run([os.environ['VMMPROF'], 'script', '-i', name], check=True, stdout=subprocess.PIPE, text=True).stdout
    worked = missed = 0
    halted = False
    for line in out.splitlines():
        if not line.startswith('type=sample '):
            continue
        if m := re.search(r' exit=\w+:(\w+)', line):
            halted = m[1] == 'HLT'
            worked += halted and ' mode=host-' in line and ' tid=0 ' not in line
        elif ' tid=0 ' in line:
            missed += not halted
    return worked, missed


def check_idle(r, guest):
    # The host also works while the guest halts (kcompactd, the recorder's end): more or less of it from run to run.
    # A sample that hits the guest on its way into a halt is the last known exit: samples alone cannot tell that halt.  The
    # guest's timer has a multiple of the samples' period, so it happens never or often, by their phase.
    idle, view = sum(c['idle_samples'] for c in r.sampled['cpus']), r.guest(guest)
    worked, missed = worked_while_halted(r.name)
    print(f'{idle} samples of the idle host, {missed} of them after another exit, {worked} of its work meanwhile')
    # What remains is each gap's rounding to whole periods.
    return near('halt, host idle or at work meanwhile', view.share('[idle]'), percent(idle - missed + worked, r.host().total), 0.5) and (
        idle > 1000 and worked < idle / 10 and missed < idle / 5)


def check_halt(r, guest):
    exact, host, (worked, _) = r.times(guest), r.host(), worked_while_halted(r.name)
    elapsed = r.steal['duration_ns']
    counted = (host.total - worked) * r.steal['period_ns']
    # The emulator counts half a point fewer cycles than there are: steps of REP.
    return near('halt, host idle or at work meanwhile', percent(exact['halt_ns'], exact['total_ns']), 100 - percent(counted, elapsed),
                1) and r.exact


def check_moved(r, guest):
    rows = next(g for g in r.data['cpus']['guests'] if g['name'] == guest)['rows']
    good = r.exact
    for v in r.times(guest)['vcpus']:
        own = [x for x in rows if x['vcpu'] == str(v['vcpu'])]
        n = sum(x['samples'] for x in own)
        there = percent(sum(x['samples'] for x in own if x['cpu'] == '0'), n)
        print(f"vCPU {v['vcpu']}: {there:.1f} % of {n} samples on CPU 0, at least 20, at most 80; {v['missing']} records missing")
        good &= 20 <= there <= 80 and n > 1000 and not v['missing']
    return good


def main():
    what, *args = sys.argv[1:]
    if what == 'read':
        return read(args)
    if what == 'report':
        sys.dont_write_bytecode = True
        import paperreport
        return paperreport.write(*args)
    return globals()[f'check_{what}'](Recording(args[0]), *args[1:])


if __name__ == '__main__':
    sys.exit(not main())
