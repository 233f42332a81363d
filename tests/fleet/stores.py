# SPDX-License-Identifier: GPL-2.0-only
"""Stores of metrics, each a process that listens on the loopback alone."""
import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

# also where the environment names a proxy
OPEN = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
HERE = os.path.dirname(os.path.abspath(__file__))


def program(name):
    """Its path; RuntimeError with the reason: it cannot be had."""
    r = subprocess.run([os.path.join(HERE, 'program'), name], check=False,
                       capture_output=True, text=True)
    if r.returncode:
        raise RuntimeError(r.stderr.strip())
    return r.stdout.strip()


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Store:
    """A store with its data in a directory; to be used by `with`."""

    def __init__(self, name, folder):
        self.name = name
        self.data = os.path.join(folder, name)
        self.log = self.data + '.log'
        self.child = None
        self.url = None

    def begin(self, ready, *args):
        """Start it, and wait until @ready can be asked."""
        with open(self.log, 'wb') as log:
            self.child = subprocess.Popen(args, stdout=log, stderr=log)
        for _ in range(600):
            try:
                self.get(ready)
                return
            except (urllib.error.URLError, OSError):
                if self.child.poll() is not None:
                    break
                time.sleep(0.1)
        self.__exit__()
        with open(self.log, encoding='utf-8') as log:
            raise RuntimeError(f'{self.name}: ' + log.read()[-1000:])

    def __exit__(self, *_):
        if self.child:
            self.child.terminate()
            self.child.wait()

    def get(self, path, data=None):
        with OPEN(self.url + path, data, timeout=60) as r:
            return r.read()

    def query(self, text, at):
        """[({label: value}, number)] at a time in seconds since 1970."""
        asked = urllib.parse.urlencode({'query': text, 'time': at,
                                        'nocache': 1})
        try:
            got = json.loads(self.get('/api/v1/query?' + asked))
        except urllib.error.HTTPError as e:
            raise RuntimeError(f'{self.name}: {text}: {e.read()}') from e
        return [(s['metric'], float(s['value'][1]))
                for s in got['data']['result']]

    def cost(self):
        """CPU seconds, peak MiB, bytes on the disk."""
        with open(f'/proc/{self.child.pid}/stat', encoding='utf-8') as f:
            fields = f.read().rsplit(')', 1)[1].split()
        cpu = (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')
        with open(f'/proc/{self.child.pid}/status', encoding='utf-8') as f:
            peak = next(int(line.split()[1]) for line in f
                        if line.startswith('VmHWM'))
        size = sum(os.lstat(os.path.join(at, name)).st_blocks * 512
                   for at, _, names in os.walk(self.data) for name in names)
        return cpu, peak / 1024, size


class VictoriaMetrics(Store):
    """It takes samples of the past by HTTP."""

    def __enter__(self):
        port = free_port()
        self.url = f'http://127.0.0.1:{port}'
        self.begin('/health', program(self.name), '-storageDataPath=' + self.data,
                   f'-httpListenAddr=127.0.0.1:{port}', '-retentionPeriod=1',
                   '-search.latencyOffset=0s', '-memory.allowedPercent=10')
        return self

    def load(self, parts):
        """@parts: texts of lines with times in milliseconds."""
        for text in parts:
            self.get('/api/v1/import/prometheus', text.encode())
        self.get('/internal/force_flush')


class Prometheus(Store):
    """It scrapes; of the past it takes blocks that promtool makes."""

    def __enter__(self):
        os.mkdir(self.data)
        return self

    def load(self, parts):
        text = self.data + '.txt'
        with open(text, 'w', encoding='utf-8') as f:
            for part in parts:
                for line in part.splitlines():
                    f.write(line[:-3] + '.' + line[-3:] + '\n')
            f.write('# EOF\n')
        with open(self.log, 'wb') as log:
            subprocess.run([program('promtool'), 'tsdb', 'create-blocks-from',
                            'openmetrics', text, self.data], check=True,
                           stdout=log, stderr=log)
        os.unlink(text)
        conf = self.data + '.yml'
        with open(conf, 'w', encoding='utf-8'):
            pass
        port = free_port()
        self.url = f'http://127.0.0.1:{port}'
        self.begin('/-/ready', program(self.name), '--config.file=' + conf,
                   '--storage.tsdb.path=' + self.data,
                   f'--web.listen-address=127.0.0.1:{port}')


STORES = {'victoria-metrics': VictoriaMetrics, 'prometheus': Prometheus}
