# SPDX-License-Identifier: GPL-2.0-only
"""sink.py FOLDER [CERT KEY]: a store of profiles for tests, on this machine.

Takes what `vmmprof push` sends as Grafana Pyroscope does, with its limits of
default, and writes FOLDER/port when it is ready.  The word in FOLDER/mode is how it
answers: ok, 429, 500, 400, reset, slow (answers after 3 s), or mixed (one of these,
but mostly ok).  FOLDER/log has a line of JSON for each request: what was
answered, the id, labels, type and sum of the profile, the headers."""
import collections
import gzip
import http.server
import json
import os
import random
import socket
import ssl
import struct
import sys
import threading
import time

from protofields import fields

BYTES, STACKS, SERIES = 4 << 20, 16000, 5000
AGE = 3600

folder = sys.argv[1]
lock = threading.Lock()
series = set()


def parts(data):
    found = collections.defaultdict(list)
    for field, value in fields(data):
        found[field].append(value)
    return found


def look(body):
    """What is in a PushRequest: ids, labels, type, sum.  ValueError: refused."""
    request = parts(body)
    if len(request[1]) != 1:
        raise ValueError('one series is wanted')
    one = parts(request[1][0])
    labels = {}
    for pair in map(parts, one[1]):
        name, value = pair[1][0].decode(), pair[2][0].decode()
        if name in labels or len(name) > 1024 or not 0 < len(value) <= 2048:
            raise ValueError(f'label {name}')
        labels[name] = value
    if '__name__' not in labels or 'service_name' not in labels:
        raise ValueError('no name')
    if len(labels) > 30:
        raise ValueError('too many labels')
    with lock:
        series.add(tuple(sorted(labels.items())))
        if len(series) > SERIES:
            raise ValueError('too many series')
    sample = parts(one[2][0])
    raw = gzip.decompress(sample[1][0])
    if len(raw) > BYTES:
        raise ValueError('too large')
    got = parts(raw)
    text = [t.decode() for t in got[6]]
    if not 0 < len(got[2]) <= STACKS:
        raise ValueError('samples')
    if abs(time.time() - got[9][0] / 1e9) > AGE and \
            not os.path.exists(f'{folder}/any-time'):
        raise ValueError('too old, or not yet')
    kind = [text[n] for _, n in fields(got[1][0])]
    return {'id': sample[2][0].decode(), 'labels': labels, 'type': kind,
            'sum': sum(v for s in got[2] for f, v in fields(s) if f == 2)}


class Sink(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def note(self, answer, **more):
        with lock, open(f'{folder}/log', 'a', encoding='utf-8') as f:
            print(json.dumps({'answer': answer, **more}), file=f)

    def reply(self, status, text=b'', **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        with open(f'{folder}/mode', encoding='utf-8') as f:
            mode = f.read().strip()
        if mode == 'mixed':
            mode = random.choice(['ok'] * 6 + ['429', '500', '400', 'reset'])
        if self.path != '/push.v1.PusherService/Push' or \
                self.headers['Content-Type'] != 'application/proto':
            mode = '404'
        if mode == 'reset':
            self.note(mode)
            # no farewell: the other end is told that the connection is gone
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                       struct.pack('ii', 1, 0))
            self.connection.close()
            self.close_connection = True
            return
        try:
            said = look(body)
        except (ValueError, KeyError, IndexError, AssertionError, OSError,
                EOFError) as e:
            self.note(422, why=str(e))
            self.reply(422, f'invalid: {e}'.encode())
            return
        said['headers'] = {k: self.headers[k] for k in (
            'Authorization', 'X-Scope-OrgID') if self.headers[k]}
        if mode == 'slow':
            time.sleep(3)
            mode = 'ok'
        status = 200 if mode == 'ok' else int(mode)
        self.note(status, **said)
        try:
            if status == 429:
                self.reply(429, b'ingestion rate limit', Retry_After='1')
            else:
                self.reply(status, b'' if status == 200 else
                           b'\x1b]2;no\x07 such \xff thing')
        except OSError:
            pass  # it waited no longer


def main():
    server = http.server.ThreadingHTTPServer(('127.0.0.1', int(
        os.environ.get('SINK_PORT', 0))), Sink)
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*sys.argv[2:4])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with open(f'{folder}/port.new', 'w', encoding='utf-8') as f:
        f.write(str(server.server_port))
    os.rename(f'{folder}/port.new', f'{folder}/port')
    server.serve_forever()


if __name__ == '__main__':
    main()
