#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""schedule.py SEED DIR [--lose|--hold|--drop|--skew] [--events=N]: a session of a
random but valid schedule of vCPUs, processes and idle CPUs, and DIR/truth.json, which
says who really ran when, as far as the records can tell it.

--lose: stretches in which a CPU's records are lost, with their LOST records.
--hold: SWITCH records are left out, with their LOST records.
--drop: single records are missing and nothing says so.
--skew: the TSC of CPU n is ahead by n * 20 us.
schedule.py --check SEED...: runs `vmmprof steal` over such sessions and
compares its numbers with the truth."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mksession  # noqa: E402  (this folder's)

KHZ = 1000000
PERIOD = 1000000
BEGIN = 5000000
SKEW = 20000
STATES = ['on_cpu', 'preempted', 'woken', 'halt', 'blocked', 'unknown']


class Task:
    def __init__(self, pid, tid, comm, vcpu=None):
        self.pid, self.tid, self.comm, self.vcpu = pid, tid, comm, vcpu
        self.state, self.cpu = 'blocked', 0
        self.records = 0
        self.first = 'asleep'
        # of a vCPU: what is true, and since when the present piece lasts
        self.since = BEGIN
        self.told = False       # its first record has come
        self.ticks = dict.fromkeys(STATES, 0)
        self.by = {}
        self.waits_still = 0    # at the end
        self.entered = BEGIN    # its present state

    def words(self, prefix=''):
        return (f'{prefix}pid={self.pid} {prefix}tid={self.tid} '
                f'{prefix}comm={self.comm.replace(" ", "%20")}')


class Host:
    def __init__(self, seed, cpus):
        self.r = random.Random(seed)
        self.now = BEGIN
        self.nr = cpus
        self.idle = [Task(0, 0, f'swapper/{c}') for c in range(cpus)]
        self.on = list(self.idle)
        self.known = [0] * cpus     # when a record told who is on the CPU
        self.lines = [[] for _ in range(cpus)]
        vms = [(500, 2), (600, 1), (700, self.r.randint(1, 3))]
        self.vcpus = [Task(p, p + 1 + i, f'CPU {i}/KVM', i)
                      for p, n in vms for i in range(n)]
        others = [Task(900, 900, 'make'), Task(901, 901, 'cc1'),
                  Task(11, 11, 'ksoftirqd/0'), Task(12, 12, 'kworker/0:1'),
                  Task(500, 520, 'qemu-system-x86')]
        self.tasks = self.vcpus + others
        for t in self.tasks:
            t.cpu = self.r.randrange(cpus)
            t.state = self.r.choice(['halt', 'blocked', 'waiting'])
            if t.state == 'waiting':
                t.state = 'preempted'
                if self.on[t.cpu] is self.idle[t.cpu]:
                    t.state = 'on_cpu'
                    self.on[t.cpu] = t
            t.first = {'halt': 'halted', 'blocked': 'asleep'}.get(
                t.state, 'runnable')

    def waiters(self, cpu):
        return [t for t in self.tasks
                if t.cpu == cpu and t.state in ('preempted', 'woken')]

    # -- the truth

    def thief(self, t, who):
        if who is None:
            return 'unknown'
        if not who.tid:
            return 'wake-up' if t.state == 'woken' else 'nobody'
        if who.vcpu is not None:
            return f'vcpu {who.tid}'
        return who.comm

    def settle(self, t, who=None):
        """t's state lasted until now; who: had the CPU it waited for."""
        d = self.now - t.since
        t.since = self.now
        if t.vcpu is None or not d:
            return
        t.ticks[t.state] += d
        if t.state in ('preempted', 'woken'):
            key = self.thief(t, who if t.told else None)
            t.by[key] = t.by.get(key, 0) + d

    def told(self, t):
        t.told = True

    # -- records

    def put(self, cpu, text):
        self.lines[cpu].append((self.now, text))

    def switch(self, cpu, new, state=None):
        """What is on the CPU leaves it, to be in a state."""
        old = self.on[cpu]
        if old is new:
            return
        watched = [t for t in self.waiters(cpu) if t.vcpu is not None]
        flags = {'preempted': 'R'}.get(state, '-')
        mp = 3 if state == 'halt' else 0
        for t in watched:
            self.settle(t, old)
        if old.vcpu is not None:
            inside = state == 'halt' or self.r.random() < .7
            vcpu = f'vcpu={old.vcpu}' if inside else ''
            self.put(cpu, f'out tsc={self.now} {old.words()} {vcpu} mp={mp} '
                     f'flags={flags} {new.words("o")}')
            self.told(old)
        if new.vcpu is not None:
            self.put(cpu, f'in tsc={self.now} {new.words()} {old.words("o")}')
        if old.vcpu is None and new.vcpu is None and watched:
            self.put(cpu, f'switch tsc={self.now} {old.words()} '
                     f'{new.words("o")}')
        if old.vcpu is not None or new.vcpu is not None or watched:
            self.known[cpu] = self.now
        self.settle(old)
        if old.tid:
            old.state, old.entered = state, self.now
        if new.vcpu is not None:
            self.settle(new, old)
            self.told(new)
        if new.tid:
            new.state = 'on_cpu'
        self.on[cpu] = new

    def wake(self, t, cpu):
        self.settle(t)
        t.state, t.cpu, t.entered = 'woken', cpu, self.now
        if t.vcpu is not None:
            self.told(t)
            self.put(self.r.randrange(self.nr),
                     f'wake tsc={self.now} pid={t.pid} tid={t.tid} cpu={cpu}')

    def still_on(self, t):
        """Who has t's CPU, if a record or its being a vCPU tells."""
        who = self.on[t.cpu]
        if who.vcpu is not None and who.told:
            return who
        return who if self.known[t.cpu] >= t.since else None

    def migrate(self, t, cpu):
        if t.vcpu is not None and cpu != t.cpu:
            self.settle(t, self.still_on(t))
            self.put(self.r.randrange(self.nr),
                     f'migrate tsc={self.now} pid={t.pid} tid={t.tid} '
                     f'cpu={cpu} from={t.cpu}')
        t.cpu = cpu

    def sample(self, tsc):
        """One interrupt of every CPU that is not idle."""
        for cpu, t in enumerate(self.on):
            if t.vcpu is not None:
                t.told = True
                text = (f'flags=NVMSOG vcpu={t.vcpu} gip=0x400000 '
                        f'cpl={3 * (tsc // PERIOD % 2)} vpid=1 cr3=0x1000')
            else:
                text = 'flags=NU'
            if t.tid:
                self.lines[cpu].append((tsc, f'sample tsc={tsc} pid={t.pid} '
                                        f'tid={t.tid} {text}'))

    def step(self):
        then = self.now + self.r.choice([1, 100, 5000, 200000, 3000000])
        first = self.now - self.now % PERIOD + PERIOD
        for tsc in range(first, then, PERIOD):
            self.sample(tsc)
        self.now = then
        cpu = self.r.randrange(self.nr)
        waiting = self.waiters(cpu)
        kind = self.r.random()
        if kind < .55:
            new = self.idle[cpu]
            if waiting and self.r.random() < .9:
                new = self.r.choice(waiting)
            state = self.r.choice(['preempted', 'preempted', 'halt',
                                   'blocked'])
            self.switch(cpu, new, state)
        elif kind < .85:
            asleep = [t for t in self.tasks if t.state in ('halt', 'blocked')]
            if asleep:
                self.wake(self.r.choice(asleep), cpu)
        elif waiting:
            self.migrate(self.r.choice(waiting), self.r.randrange(self.nr))

    def finish(self):
        self.now += 777
        for t in self.vcpus:
            if t.state in ('preempted', 'woken'):
                t.waits_still = self.now - t.entered
            self.settle(t, self.still_on(t)
                        if t.state in ('preempted', 'woken') else None)
            # Without a record nothing tells running from waiting.
            if not t.told and t.first == 'runnable':
                t.ticks = {**dict.fromkeys(STATES, 0),
                           'unknown': self.now - BEGIN}
                t.by = {}
                t.waits_still = 0


def lose(host):
    """Cut stretches out of each CPU's records."""
    for cpu, lines in enumerate(host.lines):
        kept, gone = [], 0
        for tsc, text in lines:
            if gone and host.r.random() < .3:
                kept.append((tsc, f'lost tsc={tsc} lost=0 other={gone}'))
                gone = 0
            if gone or host.r.random() < .02:
                gone += 1
            else:
                kept.append((tsc, text))
        if gone:
            kept.append((host.now, f'lost tsc={host.now} lost=0 other={gone}'))
        host.lines[cpu] = kept


def hold(host):
    """Leave out most SWITCH records, and tell before the next of a switch."""
    for cpu, lines in enumerate(host.lines):
        kept, held = [], []
        for tsc, text in lines:
            kind = text.split(' ')[0]
            if kind == 'switch' and host.r.random() < .7:
                held.append(tsc)
                continue
            if held and kind != 'sample':
                kept.append((tsc, f'lost tsc={tsc} lost=0 other={len(held)} '
                             f'names=1 first={held[0]} last={held[-1]}'))
                held = []
            kept.append((tsc, text))
        if held:
            kept.append((host.now, f'lost tsc={host.now} lost=0 '
                         f'other={len(held)} names=1 first={held[0]} '
                         f'last={held[-1]}'))
        host.lines[cpu] = kept


def drop(host):
    host.lines = [[x for x in lines if host.r.random() > .05]
                  for lines in host.lines]


def skew(host):
    for cpu, lines in enumerate(host.lines):
        host.lines[cpu] = [
            (tsc + cpu * SKEW, text.replace(f'tsc={tsc}',
                                            f'tsc={tsc + cpu * SKEW}'))
            for tsc, text in lines]


def describe(host, lost):
    yield 'file info'
    yield f'text hostname=model release=6.1.0 tsc_khz={KHZ}'
    yield f'event index=0 type=0 config=9 period={PERIOD} name=ref-cycles'
    for pid, name in ((500, 'alpha'), (600, 'beta'), (700, 'gamma')):
        yield f'vm pid={pid} name={name}'
    yield 'switches on=1'
    for t in host.vcpus:
        yield f'vcpu pid={t.pid} tid={t.tid} id={t.vcpu}'
        yield (f'vcpu_state pid={t.pid} tid={t.tid} when=start '
               f'state={t.first} tsc={BEGIN}')
        # Run delay is counted when a wait is over.
        wait = t.ticks['preempted'] + t.ticks['woken'] - t.waits_still
        yield (f'vcpu_state pid={t.pid} tid={t.tid} when=stop state=unknown '
               f'tsc={host.now} run={t.ticks["on_cpu"]} delay={wait}')
    for cpu in range(host.nr):
        yield f'cpu cpu={cpu} samples=0 lost_other={int(lost)}'
    yield f'stop start={BEGIN} stop={host.now}'
    yield 'end'
    for cpu in range(host.nr):
        yield f'file cpu-{cpu}.rec'
        for _, text in host.lines[cpu]:
            yield text


def make(seed, path, mode=None, events=1500):
    host = Host(seed, 1 + seed % 4)
    for _ in range(events):
        host.step()
    host.finish()
    if mode == '--lose':
        lose(host)
    elif mode == '--hold':
        hold(host)
    elif mode == '--drop':
        drop(host)
    elif mode == '--skew':
        skew(host)
    os.makedirs(path)
    mksession.parse(list(describe(host, mode in ('--lose', '--hold'))), path)
    truth = {t.tid: {'ticks': t.ticks, 'by': t.by} for t in host.vcpus}
    with open(os.path.join(path, 'truth.json'), 'w', encoding='utf-8') as f:
        json.dump({'elapsed': host.now - BEGIN, 'vcpus': truth,
                   'cpus': host.nr,
                   'records': sum(map(len, host.lines))}, f)


def differences(a, b):
    return {k: (a.get(k, 0), b.get(k, 0)) for k in {*a, *b}
            if a.get(k, 0) != b.get(k, 0)}


def numbers(path):
    """What `vmmprof steal` says, in the form of the truth."""
    said = {}
    for args in ([], ['--by=thief']):
        run = subprocess.run([os.environ['VMMPROF'], 'steal', '-i', path,
                              '--json', *args], check=True,
                             stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        said[len(args)] = json.loads(run.stdout)
        said['warns'] = b'impossible order' in run.stderr
    vcpus = {}
    for g in said[0]['guests']:
        for v in g['vcpus']:
            p = v['parts']
            vcpus[v['tid']] = {
                'ticks': {'on_cpu': v['on_cpu_ns'],
                          'preempted': p['preempted_ns'],
                          'woken': p['woken_ns'], 'halt': p['asleep_ns'],
                          'blocked': v['blocked_ns'],
                          'unknown': v['unknown_ns'] -
                          p['not_sampled_ns']},
                'by': {}, 'total': v['total_ns'],
                'missing': v['missing'],
                'guest': v['guest_ns'],
                'checks': v['checks']}
    for c in said[1]['thieves']:
        key = c['kind']
        if key == 'vcpu':
            key = f'vcpu {c["tid"]}'
        elif key in ('process', 'kernel-thread', 'irq'):
            key = c['text'].split(' ', 2 if key[0] == 'k' else 1)[-1]
            key = key.split(' (')[0].split(' of ')[0]
        vcpus[c['victim_tid']]['by'][key] = \
            c['preempted_ns'] + c['woken_ns']
    check_matrix(said[0])
    return vcpus, said['warns']


def check_matrix(said):
    """Both sides of the matrix of VMs sum to the accounts."""
    m = said['matrix']
    for line, sums, total in (('victim', 'victims', 'lost_ns'),
                              ('thief', 'thieves', 'took_ns')):
        got = [0] * len(m[sums])
        for c in m['cells']:
            got[c[line]] += c['took_ns']
        assert got == [x[total] for x in m[sums]], (line, got)
    lost = {v['pid']: v['lost_ns'] for v in m['victims']}
    assert lost == {g['pid']: g['steal_ns'] for g in said['guests']}, lost


def compare(seed, mode, path):
    make(seed, path, mode)
    with open(os.path.join(path, 'truth.json'), encoding='utf-8') as f:
        truth = json.load(f)
    wrong, missing = [], 0
    vcpus, warns = numbers(path)
    for tid, v in vcpus.items():
        want = truth['vcpus'][str(tid)]
        missing += v['missing']
        if v['total'] != truth['elapsed'] or \
                sum(v['ticks'].values()) != v['total'] or \
                sum(v['by'].values()) != v['ticks']['preempted'] + \
                v['ticks']['woken']:
            wrong.append(f'{tid}: sums: {v}')
        if mode is None:
            by = {k: n for k, n in v['by'].items() if n}
            if v['ticks'] != want['ticks'] or by != want['by']:
                wrong.append(f'{tid}: is, should be: '
                             f'{differences(v["ticks"], want["ticks"])} '
                             f'{differences(by, want["by"])}')
            if v['guest'] != v['ticks']['on_cpu']:
                wrong.append(f'{tid}: guest {v["guest"]}')
            if not all(c['agrees'] for c in v['checks'].values()
                       if isinstance(c, dict)):
                wrong.append(f'{tid}: {v["checks"]}')
        elif mode == '--lose':
            # What is not known may be unknown, but nothing else.
            wrong += [f'{tid}: {k} {n} > {want["ticks"][k]}'
                      for k, n in v['ticks'].items()
                      if k != 'unknown' and n > want['ticks'][k]]
        elif mode == '--hold':
            # Who took it may be unknown; nothing else is.
            if v['ticks'] != want['ticks']:
                wrong.append(f'{tid}: is, should be: '
                             f'{differences(v["ticks"], want["ticks"])}')
            wrong += [f'{tid}: by {k} {n} > {want["by"].get(k, 0)}'
                      for k, n in v['by'].items()
                      if k != 'unknown' and n > want['by'].get(k, 0)]
        elif mode == '--skew':
            # Off by the clocks' difference at each end of a stretch.
            most = 3 * SKEW * truth['records']
            wrong += [f'{tid}: {k} {n} > {want["ticks"][k]}'
                      for k, n in v['ticks'].items()
                      if k != 'unknown' and n > want['ticks'][k] + most]
    if mode != '--drop' and \
            warns != (mode == '--skew' and truth['cpus'] > 1):
        wrong.append(f'warned: {warns}')
    if mode == '--drop' and not missing:
        wrong.append('no missing record was noticed')
    if mode in (None, '--hold') and missing:
        wrong.append(f'{missing} records are said to be missing')
    return wrong


def main():
    args = sys.argv[1:]
    modes = [a for a in args if a in ('--lose', '--hold', '--drop',
                                          '--skew')]
    mode = modes[0] if modes else None
    events = [int(a[9:]) for a in args if a.startswith('--events=')]
    rest = [a for a in args if not a.startswith('--')]
    if '--check' not in args:
        make(int(rest[0]), rest[1], mode, *events)
        return 0
    bad = 0
    for seed in rest:
        with tempfile.TemporaryDirectory() as tmp:
            wrong = compare(int(seed), mode, os.path.join(tmp, 's'))
        for line in wrong:
            print(f'seed {seed} {mode or ""}: {line}')
        bad += bool(wrong)
    print(f'{len(rest) - bad} of {len(rest)} schedules agree')
    return 1 if bad or not rest else 0


if __name__ == '__main__':
    sys.exit(main())
