#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""replay.py [--dashboards] STORE HOSTS KINDS ROUNDS STEP: a fleet in a store.

The agent's own code writes the metrics of KINDS sessions that bigsession makes, of
ROUNDS windows each; HOSTS hosts have them, with labels of their own, a window each STEP
seconds until now.  Of ten hosts one has an agent that has stopped, and of one no more
comes from the middle on.  Asks the store who is stolen from, by whom, and which
agents are gone, and compares that with sums of the files.  --dashboards: asks all that
the dashboards ask, too.  Prints what the store took for it."""
import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import metrics  # noqa: E402  pylint: disable=wrong-import-position
import stores  # noqa: E402  pylint: disable=wrong-import-position

GEN = os.path.join(metrics.TOP, 'build', 'gen')
VMMPROF = os.environ.get('VMMPROF', os.path.join(metrics.TOP, 'build', 'vmmprof'))
STEAL = 'vmmprof_steal_seconds_total'
END = 'vmmprof_agent_window_end_timestamp_seconds'
CPUS, GUESTS, HZ, WINDOW = 32, 20, 19, 5


def make_kind(folder, seed, rounds):
    """The files of one agent's windows."""
    session = os.path.join(folder, 'session')
    out = os.path.join(folder, str(seed))
    spool = os.path.join(out, 'spool')
    os.makedirs(spool)
    if os.getuid() == 0:
        os.chown(spool, -1, 65534)
    os.chmod(spool, 0o770)
    # push has a book, so that its metrics are there, too
    subprocess.run([VMMPROF, 'push', '--once', '--url', 'http://127.0.0.1:1',
                    '--spool-dir', spool], check=False, capture_output=True)
    for args in (['bigsession', '-n', CPUS * HZ * WINDOW * rounds + CPUS, '-c',
                  CPUS, '-g', GUESTS, '-r', HZ, '-w', 4, '-s', seed, '-f', 200,
                  session],
                 ['agentfeed', '-w', WINDOW, '-g', GUESTS, session, out]):
        subprocess.run([os.path.join(GEN, args[0]), *map(str, args[1:])],
                       check=True, stdout=subprocess.DEVNULL)
    subprocess.run(['rm', '-r', session], check=True)
    return [os.path.join(out, f'{i + 1:04}.prom') for i in range(rounds)]


class Kind:
    """What hosts of one kind write, with @HOST@ and @END@ for their own."""

    def __init__(self, paths):
        self.windows = [metrics.read(path) for path in paths]
        self.series = len(self.windows[-1])
        with open(paths[-1], 'rb') as f:
            self.zipped = len(gzip.compress(f.read()))
        self.texts = []
        for window in self.windows:
            lines = []
            for name, labels, value in window:
                labels = dict(labels, instance='@HOST@')
                if 'host' in labels:
                    labels['host'] = '@HOST@'
                said = ','.join(f'{k}="{v}"' for k, v in labels.items())
                value = '@END@' if name == END else value
                lines.append(f'{name}{{{said}}} {value}')
            self.texts.append(' @AT@\n'.join(lines) + ' @AT@\n')

    def growth(self, first, last, name, **want):
        """{labels: how much they grew}, of series that are there in both."""
        sums = []
        for i in (first, last):
            sums.append({tuple(sorted(labels.items())): float(value)
                         for n, labels, value in self.windows[i] if n == name and
                         want.items() <= labels.items()})
        return {key: sums[1][key] - n for key, n in sums[0].items()
                if key in sums[1]}


class Fleet:
    def __init__(self, kinds, hosts, step):
        self.kinds, self.step = kinds, step
        self.rounds = len(kinds[0].texts)
        self.hosts = [f'host{i:04}' for i in range(hosts)]
        self.end = int(time.time()) // 60 * 60 - 60
        self.begin = self.end - (self.rounds - 1) * step
        self.samples = 0

    def kind(self, i):
        return self.kinds[i % len(self.kinds)]

    @staticmethod
    def stopped(i):
        return i % 10 == 3

    @staticmethod
    def gone(i):
        return i % 10 == 7

    def last(self, i):
        """The last window of a host."""
        return self.rounds // 2 if self.stopped(i) or self.gone(i) else \
            self.rounds - 1

    def parts(self):
        """All of a host, for each."""
        for i, host in enumerate(self.hosts):
            text = []
            for r in range(self.rounds):
                if self.gone(i) and r > self.last(i):
                    break
                # the file of an agent that has stopped stays
                w = min(r, self.last(i))
                at = self.begin + r * self.step
                text.append(self.kind(i).texts[w].replace('@HOST@', host)
                            .replace('@END@', str(self.begin + w * self.step))
                            .replace('@AT@', str(at * 1000)))
                self.samples += self.kind(i).series
            yield ''.join(text)

    def stolen(self):
        """{(host, vm): seconds} of all that are there now."""
        ret = {}
        for i, host in enumerate(self.hosts):
            if not self.gone(i):
                grew = self.kind(i).growth(
                    0, self.last(i), 'vmmprof_vcpu_time_seconds_total',
                    state='steal')
                for key, n in grew.items():
                    ret[host, dict(key)['vm']] = n
        return ret


def same(what, got, want):
    assert abs(got - want) <= 1e-6 * max(1, abs(want)), f'{what}: {got}, not {want}'


def ask(fleet, store):
    """Compares the store's answers with what is true."""
    day = f'{fleet.end - fleet.begin}s'
    true = fleet.stolen()
    time_of = 'vmmprof_vcpu_time_seconds_total{state="steal"}'
    alive = 'and on (instance) vmmprof_agent_info'
    got = store.query(f'topk(10, sum by (instance, vm) (increase({time_of}[{day}]))'
                      f' {alive})', fleet.end)
    want = sorted(true.values(), reverse=True)[:10]
    assert len(got) == len(want)
    for (_, n), m in zip(sorted(got, key=lambda s: -s[1]), want):
        same('the most stolen-from VMs', n, m)
    for labels, n in got:
        same(labels, n, true[labels['instance'], labels['vm']])

    host, vm = max(true, key=true.get)
    i = fleet.hosts.index(host)
    got = {(s['thief_kind'], s['thief']): n for s, n in store.query(
        f'sum by (thief_kind, thief) (increase({STEAL}'
        f'{{instance="{host}", vm="{vm}"}}[{day}]))', fleet.end)}
    nr = 0
    for key, n in fleet.kind(i).growth(0, fleet.last(i), STEAL, vm=vm).items():
        labels = dict(key)
        same(f'{labels["thief"]} takes of {vm}',
             got[labels['thief_kind'], labels['thief']], n)
        nr += 1
    assert nr > 3, nr

    got = store.query(f'time() - {END} > {fleet.step * 1.5}', fleet.end)
    assert {s['instance'] for s, _ in got} == {
        h for i, h in enumerate(fleet.hosts) if fleet.stopped(i)}, got
    got = store.query(f'vmmprof_agent_info offset {day} unless on (instance) '
                      'vmmprof_agent_info', fleet.end)
    assert {s['instance'] for s, _ in got} == {
        h for i, h in enumerate(fleet.hosts) if fleet.gone(i)}, got
    print(f'{store.name}: the 10 VMs that most is taken from, {nr} thieves of one, '
          'stopped agents and hosts that are gone are right')


def ask_all(fleet, store):
    """Each query of the dashboards has an answer, with the labels of its legend."""
    nr = 0
    for where, query, legend in metrics.targets():
        text = query.replace('=~"$instance"', '=~".*"')
        for name, value in (('$instance', fleet.hosts[0]), ('$vm', 'vm1'),
                            ('$__range', f'{fleet.end - fleet.begin}s')):
            text = text.replace(name, value)
        got = store.query(text, fleet.end)
        assert got, f'{store.name}: {where}: nothing is the answer to {text}'
        for part in legend.split('{{')[1:]:
            label = part.split('}}')[0]
            assert label in got[0][0], f'{where}: no {label} in {got[0]}'
        nr += 1
    for alert, query, _ in metrics.rules():
        store.query(query, fleet.end)
    print(f'{store.name}: {nr} queries of the dashboards have answers')


def tell_cost(fleet, store, seconds):
    cpu, peak, size = store.cost()
    series = fleet.kinds[0].series
    each = size / fleet.samples
    print(f'{store.name}: {len(fleet.hosts)} hosts of {series} series, '
          f'{fleet.samples} samples in {seconds:.1f} s: {cpu:.1f} s of CPU time, '
          f'{peak:.0f} MiB at most, {size / 1e6:.1f} MB on disk')
    day = f'{fleet.kinds[0].zipped * 1440 / 1e6:.1f} MB to send (gzip)'
    if fleet.step == 60:
        day += f', {each * series * 1440 / 1e6:.2f} MB on disk at {each:.2f} ' \
            'bytes a sample'
    print(f'{store.name}: a host and day of a window a minute: {day}')


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--dashboards', action='store_true')
    p.add_argument('store', choices=stores.STORES)
    for name in ('hosts', 'kinds', 'rounds', 'step'):
        p.add_argument(name, type=int)
    o = p.parse_args()
    try:
        stores.program(o.store)
    except RuntimeError as e:
        print(f'skipped: {e}')
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        kinds = [Kind(make_kind(folder, seed + 1, o.rounds))
                 for seed in range(o.kinds)]
        fleet = Fleet(kinds, o.hosts, o.step)
        with stores.STORES[o.store](o.store, folder) as store:
            begin = time.monotonic()
            store.load(fleet.parts())
            seconds = time.monotonic() - begin
            ask(fleet, store)
            if o.dashboards:
                ask_all(fleet, store)
            tell_cost(fleet, store, seconds)


main()
