# SPDX-License-Identifier: GPL-2.0-only
"""t418_push.py: `vmmprof push` and the spool, with tests/cases/sink.py as store and
tests/gen/spooler.c as the agent."""
import collections
import gzip
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time

VMMPROF, TOP, CASES = (os.environ[x] for x in ('VMMPROF', 'TOP', 'CASES'))
SPOOLER = f'{TOP}/build/gen/spooler'
NOBODY = 65534
root = os.geteuid() == 0
random.seed(7)


def write(name, text):
    with open(name + '.new', 'w', encoding='utf-8') as f:
        f.write(text)
    os.rename(name + '.new', name)


def wait(what, seconds=30):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, 'too late'
        time.sleep(0.05)


class Sink:
    """A store; its port stays when it is down."""

    def __init__(self, name, *tls):
        os.mkdir(name)
        self.name, self.tls, self.port = name, tls, 0
        self.mode('ok')
        self.up()

    def mode(self, how):
        write(f'{self.name}/mode', how)

    def up(self):
        if os.path.exists(f'{self.name}/port'):
            os.remove(f'{self.name}/port')
        self.process = subprocess.Popen(
            [sys.executable, f'{CASES}/sink.py', self.name, *self.tls],
            env={**os.environ, 'SINK_PORT': str(self.port)})
        wait(lambda: os.path.exists(f'{self.name}/port'))
        with open(f'{self.name}/port', encoding='utf-8') as f:
            self.port = int(f.read())

    def down(self):
        self.process.kill()
        self.process.wait()

    def url(self):
        return f'http{"s" if self.tls else ""}://localhost:{self.port}'

    def log(self):
        if not os.path.exists(f'{self.name}/log'):
            return []
        with open(f'{self.name}/log', encoding='utf-8') as f:
            return [json.loads(x) for x in f]


def session(name, real_ns):
    with open(f'{TOP}/tests/data/off_cpu.txt', encoding='utf-8') as f:
        text = f.read()
    text = re.sub('^  stop start=', f'  clock tsc=0 mono=0 real={real_ns}\n\\g<0>',
                  text, flags=re.M)
    write(f'{name}.txt', text)
    subprocess.run([f'{TOP}/tests/gen/mksession.py', f'{name}.txt', name],
                   check=True)


def push(*args, **more):
    return subprocess.run([VMMPROF, 'push', '--retry-max', '1', *args],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, **more)


def check_session(sink):
    """A session: what the store has then; what it refuses; one that is down."""
    write('token', 'secret\n')
    done = push('--url', sink.url() + '/', '--tenant', 'lab', '--token-file',
                'token', '--service', 'mine', 'now')
    assert (done.returncode, done.stdout, done.stderr) == \
        (0, '2 profiles sent\n', ''), done
    said = json.loads(subprocess.run(
        [VMMPROF, 'steal', '--json', 'now'], check=True,
        stdout=subprocess.PIPE).stdout)['guests'][0]['vcpus']
    cpu = sum(v['guest_ns'] + v['vmm_ns'] for v in said)
    want = {'cpu': ('process_cpu', cpu),
            'off_cpu': ('off_cpu', sum(v['total_ns'] for v in said) - cpu)}
    log = sink.log()
    assert len(log) == len({x['id'] for x in log}) == 2
    for x in log:
        name, ns = want.pop(x['type'][0])
        assert x['type'][1] == 'nanoseconds' and abs(x['sum'] - ns) < 20
        assert x['labels'] == {'__name__': name, 'host': 'host1',
                               'vm': 'alpha', 'service_name': 'mine'}
        assert x['headers'] == {'Authorization': 'Bearer secret',
                                'X-Scope-OrgID': 'lab'}
        assert re.fullmatch(r'[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}',
                            x['id'])
    done = push('--url', sink.url(), 'old')
    assert done.returncode == 1
    assert done.stdout == '0 profiles sent, 2 refused\n'
    assert 'dropped: HTTP 422: invalid: too old, or not yet\n' in done.stderr
    # what a store says is no escape of a terminal
    sink.mode('400')
    assert 'HTTP 400: \\x1b]2;no\\x07 such \\xff thing\n' in \
        push('--url', sink.url(), 'now').stderr
    sink.mode('ok')
    sink.down()
    done = push('--url', sink.url(), 'now')
    assert done.returncode == 1 and done.stdout == '0 profiles sent\n'
    sink.up()


def check_parca(sink):
    """The same profiles by Parca's API; what is no name there is refused."""
    before = sink.log()
    done = push('--url', sink.url(), '--api=parca', '--service', 'mine', 'now')
    assert (done.returncode, done.stdout) == (0, '2 profiles sent\n'), done
    new = sink.log()[len(before):]
    assert len(new) == 2
    for x in new:
        was, = (y for y in before if y['answer'] == 200 and
                y['type'] == x['type'] and y['labels'] == x['labels'])
        assert x['sum'] == was['sum'] and x['id'] is None
    done = push('--url', sink.url(), '--api=parca', '--service', b'\xff', 'now')
    assert done.returncode == 2 and '--service wants UTF-8' in done.stderr, done


def check_otlp(sink):
    """The same stacks by OpenTelemetry's API; a refusal in an answer that is no
    error; what is no profile of the agent's."""
    before = sink.log()
    assert push('--url', sink.url(), 'now').returncode == 0
    was = sink.log()[len(before):]
    done = push('--url', sink.url(), '--api=otlp', 'now')
    assert (done.returncode, done.stdout) == (0, '2 profiles sent\n'), done
    new = sink.log()[len(before) + len(was):]
    assert len(new) == len(was) == 2
    for x, y in zip(new, was):
        assert x.pop('id') != y.pop('id')
        assert x.pop('headers') == {'Content-Encoding': 'gzip'}, x
        assert not y.pop('headers')
        assert x == y, (x, y)
    sink.mode('partial')
    done = push('--url', sink.url(), '--api=otlp', 'now')
    assert done.returncode == 1
    assert done.stdout == '0 profiles sent, 2 refused\n', done
    assert 'the store refuses a profile' in done.stderr and \
        'no such profiles!' in done.stderr, done
    sink.mode('ok')
    spool = Spool('otlp')
    with tarfile.open('now.tar') as old, tarfile.open('bad.tar', 'w') as new:
        for n, member in enumerate(old):
            data = old.extractfile(member).read()
            if n == 1:
                data = gzip.compress(gzip.decompress(data)[:-1])
            member.size = len(data)
            new.addfile(member, io.BytesIO(data))
    spool.produce_all('bad.tar', 3, 1)
    done = push('--url', sink.url(), '--spool-dir', spool.name, '--once',
                '--api=otlp')
    assert done.returncode == 1, done
    assert 'otlp: profiles were dropped: push.book counts why' in done.stderr
    sender = spool.audit()[1]
    assert (sender['sent'], sender['dropped_broken']) == (3, 3), dict(sender)


def check_tls():
    if not shutil.which('openssl'):
        print('skipped: there is no openssl to make certificates')
        return
    for name in 'good', 'bad':
        subprocess.run(
            ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes',
             '-keyout', f'{name}.key', '-out', f'{name}.pem', '-days', '2',
             '-subj', '/CN=localhost', '-addext',
             'subjectAltName=DNS:localhost'], check=True,
            stderr=subprocess.DEVNULL)
    sink = Sink('tls', 'good.pem', 'good.key')
    try:
        done = push('--url', sink.url(), '--ca-file', 'good.pem', 'now')
        assert done.returncode == 0, done
        for ca in ('--ca-file', 'bad.pem'), ():
            done = push('--url', sink.url(), *ca, 'now')
            assert done.returncode == 1 and 'certificate' in done.stderr, done
        assert len(sink.log()) == 2
    finally:
        sink.down()


class Spool:
    """A spool with the agent's part of it, and push."""

    def __init__(self, name):
        os.mkdir(name)
        if root:
            os.chown(name, NOBODY, NOBODY)
        self.name, self.agent, self.push = name, None, None
        self.profiles = '2'  # of each window

    def book(self, who):
        """Its numbers and names."""
        path = f'{self.name}/{who}.book'
        if not os.path.exists(path):
            return collections.defaultdict(int)
        with open(path, encoding='utf-8') as f:
            text = f.read()
        assert len(text) in (0, 512)
        lines = [x.partition(' ')[::2] for x in text.strip().splitlines()]
        return collections.defaultdict(int, {
            k: int(v) if v.isdigit() else v for k, v in lines})

    def there(self):
        """Profiles in the directory that neither book has done."""
        agent, sender = self.book('agent'), self.book('push')
        count = 0
        for name in os.listdir(self.name):
            m = re.fullmatch(r'(\.?)(\d{20}-(\d{6})\.tar)(\.\w+)?', name)
            if not m:
                assert name in ('agent.book', 'push.book'), name
                continue
            _, window, n, state = m.groups()
            if state == '.new' and agent['new'] != window or \
                    state == '.drop' and agent['gone'] == window:
                continue
            count += int(n)
            if state == '.push' and sender['window'] == window:
                count -= sender['at']
        return count

    def audit(self):
        """Both sides are dead: does it equal?"""
        assert not self.agent and not self.push
        agent, sender = self.book('agent'), self.book('push')
        dropped = sum(v for b in (agent, sender) for k, v in b.items()
                      if k.startswith('dropped_'))
        assert agent['produced'] == \
            sender['sent'] + dropped + self.there(), (
                dict(agent), dict(sender), os.listdir(self.name))
        return agent, sender

    def produce(self, archive, windows, ms, *kib):
        self.agent = subprocess.Popen(
            [SPOOLER, self.name, archive, self.profiles, str(windows), str(ms),
             *kib],
            stderr=subprocess.DEVNULL)

    def produce_all(self, archive, windows, ms, *kib):
        """Until the agent has ended by itself."""
        self.produce(archive, windows, ms, *kib)
        assert self.agent.wait() == 0
        self.agent = None

    def send(self, url, *options):
        self.push = subprocess.Popen(
            [VMMPROF, 'push', '--retry-max', '1', '--timeout', '1', '--url',
             url, '--spool-dir', self.name, *options],
            stderr=open('push.err', 'a', encoding='utf-8'))

    def end(self, who, how=signal.SIGKILL):
        process = getattr(self, who)
        process.send_signal(how)
        status = process.wait(20)
        setattr(self, who, None)
        return status


def drain(spool, url, status=0):
    """All that is left is sent, or with status 1 some of it dropped."""
    done = push('--url', url, '--spool-dir', spool.name, '--once')
    assert done.returncode == status, done
    assert ('profiles were dropped' in done.stderr) == status, done
    agent, sender = spool.audit()
    assert spool.there() == 0
    return agent, sender


def accepted(sink):
    return {x['id'] for x in sink.log() if x['answer'] == 200}


def check_modes(sink):
    """Each class of an answer: is it later, or dropped?"""
    spool = Spool('modes')
    for mode, later in (('429', True), ('500', True), ('reset', True),
                        ('slow', True), ('400', False)):
        sink.mode(mode)
        before = spool.book('push')
        spool.produce_all('now.tar', 2, 1)
        spool.send(sink.url())
        key = 'failed_tries' if later else 'dropped_refused'
        wait(lambda: spool.book('push')[key] >= before[key] +
             (2 if later else 4))
        assert spool.end('push', signal.SIGTERM) == 0
        spool.audit()
        assert spool.there() == (4 if later else 0), mode
        sink.mode('ok')
        _, sender = drain(spool, sink.url())
        assert sender['sent'] - before['sent'] == (4 if later else 0)
        # one that was slow has been taken, perhaps: it has the same id then
        assert sender['sent'] <= len(accepted(sink))
    sink.down()
    spool.produce_all('now.tar', 2, 1)
    done = push('--url', sink.url(), '--spool-dir', 'modes', '--once')
    assert done.returncode == 1 and 'does not take profiles now' in done.stderr
    assert spool.audit() and spool.there() == 4
    sink.up()
    drain(spool, sink.url())
    # what is too old, or broken, is dropped, and counted
    for archive, why in ('old.tar', 'age'), ('sink/mode', 'broken'):
        spool.produce_all(archive, 3, 1)
        assert drain(spool, sink.url(), 1)[1][f'dropped_{why}'] == 6
    sink.mode('400')
    before = spool.book('push')['dropped_refused']
    spool.produce_all('now.tar', 2, 1)
    assert drain(spool, sink.url(), 1)[1]['dropped_refused'] == before + 4
    sink.mode('ok')


def check_once_ended(sink):
    """A signal ends it between two windows: something is left."""
    spool = Spool('ended')
    spool.profiles = '1'
    with tarfile.open('now.tar') as old, tarfile.open('one.tar', 'w') as new:
        for member in old.getmembers()[:2]:
            new.addfile(member, old.extractfile(member))
    spool.produce_all('one.tar', 300, 0)
    spool.send(sink.url(), '--once')
    wait(lambda: spool.book('push')['sent'] > 1)
    assert spool.end('push', signal.SIGTERM) == 1
    spool.audit()
    assert spool.there() > 0
    with open('push.err', encoding='utf-8') as f:
        assert 'ended: ended by a signal before all was sent' in f.read()
    drain(spool, sink.url())


def check_users(sink):
    """Push as a user of the group, and as another one the next time."""
    if not root or not shutil.which('setpriv'):
        return
    # where that user may run it
    shutil.copy(VMMPROF, 'vmmprof')
    spool = Spool('users')
    for uid in '23456', '23457':
        spool.produce_all('now.tar', 2, 1, '0', '23455')
        assert os.stat('users').st_mode & 0o7777 == 0o770
        for groups, status in ((), 1), (('--groups', '23455'), 0):
            done = subprocess.run(
                ['setpriv', '--reuid', uid, '--regid', uid,
                 *(groups or ['--clear-groups']), './vmmprof', 'push',
                 '--url', sink.url(), '--spool-dir', 'users', '--once'],
                stderr=subprocess.PIPE, text=True, check=False)
            assert done.returncode == status, done
        assert spool.there() == 0
    assert spool.audit()[1]['sent'] == 8


def check_proxy(sink):
    """A token for this machine is sent to no proxy."""
    write('token', 'secret\n')
    proxy = {**os.environ, 'http_proxy': 'http://127.0.0.1:1', 'no_proxy': ''}
    assert push('--url', sink.url(), 'now', env=proxy).returncode == 1
    assert push('--url', sink.url(), '--token-file', 'token', 'now',
                env=proxy).returncode == 0


def check_killed(sink):
    """Either side is killed, again and again, while the store plays all it can."""
    spool = Spool('killed')
    sink.mode('mixed')
    before = accepted(sink)
    kills = collections.Counter()
    spool.produce('now.tar', 10000, 3, '60')
    spool.send(sink.url())
    for _ in range(25):
        time.sleep(random.uniform(0.02, 0.4))
        who = random.choice(['agent', 'push', 'both'])
        kills[who] += 1
        was = {x: getattr(spool, x) for x in ('agent', 'push')}
        for x, process in was.items():
            if who in (x, 'both'):
                process.kill()
                process.wait()
            else:
                os.kill(process.pid, signal.SIGSTOP)
                os.waitpid(process.pid, os.WUNTRACED)
        spool.agent = spool.push = None
        spool.audit()
        spool.agent, spool.push = was['agent'], was['push']
        for x, process in was.items():
            if who not in (x, 'both'):
                os.kill(process.pid, signal.SIGCONT)
        if who in ('agent', 'both'):
            spool.produce('now.tar', 10000, 3, '60')
        if who in ('push', 'both'):
            spool.send(sink.url())
    spool.end('agent')
    spool.end('push')
    spool.audit()
    # What the agent was killed in the midst of is for the next one to finish.
    spool.produce_all('now.tar', 0, 0)
    sink.mode('ok')
    agent, sender = drain(spool, sink.url())
    took = len(accepted(sink) - before)
    assert sender['sent'] and agent['dropped_size'] and \
        sender['dropped_refused'] + sender['failed_tries'], (
            dict(agent), dict(sender))
    # sent is what the store has: at most one more for each kill of push
    assert sender['sent'] <= took <= sender['sent'] + kills['push'] + \
        kills['both'] + 1, (sender['sent'], took, kills)
    print(f'# {agent["produced"]} produced, {sender["sent"]} sent, '
          f'{agent["dropped_size"]} of too many bytes, '
          f'{sender["dropped_refused"]} refused, '
          f'{sender["failed_tries"]} tries in vain, '
          f'{sum(kills.values())} kills', file=sys.stderr)


def check_full(sink):
    """A disk without room: what cannot be written is dropped, and counted."""
    os.mkdir('full')
    if not root or subprocess.run(
            ['mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', 'full'],
            stderr=subprocess.DEVNULL, check=False).returncode:
        return
    try:
        spool = Spool('full/spool')
        spool.produce_all('now.tar', 40, 1)
        agent, _ = spool.audit()
        assert agent['dropped_write'] > 0 and spool.there() > 0
        spool.send(sink.url())
        wait(lambda: spool.there() == 0)
        done = push('--url', sink.url(), '--spool-dir', spool.name, '--once')
        assert done.returncode == 1 and 'another push' in done.stderr, done
        spool.produce_all('now.tar', 2, 1)
        spool.end('push')
        agent, sender = drain(spool, sink.url())
        assert agent['produced'] == 84
        assert sender['sent'] == 84 - agent['dropped_write']
    finally:
        subprocess.run(['umount', 'full'], check=False)


now = time.time_ns()
session('now', now - 10 ** 9)
session('old', now - 2 * 3600 * 10 ** 9)
for name in 'now', 'old':
    subprocess.run([VMMPROF, 'export', name, '-f', 'pprof', '--per-vm', '-o',
                    f'{name}.tar'], check=True)
store = Sink('sink')
try:
    check_session(store)
    check_parca(store)
    check_otlp(store)
    check_tls()
    check_modes(store)
    check_full(store)
    check_once_ended(store)
    check_users(store)
    check_proxy(store)
    check_killed(store)
finally:
    store.down()
