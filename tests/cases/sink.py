# SPDX-License-Identifier: GPL-2.0-only
"""sink.py FOLDER [CERT KEY]: a store of profiles for tests, on this machine.

Takes what `vmmprof push` sends as Grafana Pyroscope does, with its limits of
default, or as Parca, by its gateway for HTTP, or an OpenTelemetry Collector, and writes FOLDER/port when it is ready.  The word in FOLDER/mode is how it
answers: ok, 429, 500, 400, reset, slow (answers after 3 s), or mixed (one of these,
but mostly ok).  FOLDER/log has a line of JSON for each request: what was
answered, the id, labels, type and sum of the profile, the headers."""
import base64
import collections
import gzip
import hashlib
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

from protofields import fields, profile

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


def digest(stacks):
    """Of (function, file) of each frame, the leaf first, and the value."""
    return hashlib.sha256(repr(sorted(stacks)).encode()).hexdigest()[:16]


def pprof(packed):
    """What is in a gzipped profile."""
    raw = gzip.decompress(packed)
    if len(raw) > BYTES:
        raise ValueError('too large')
    got = parts(raw)
    text = [t.decode() for t in got[6]]
    samples, places, modules = profile(raw)
    return {'type': [text[n] for _, n in fields(got[1][0])],
            'time': got[9][0], 'more': [got[10], got[12]], 'count': len(samples),
            'stacks': digest(([(places[x], modules[x]) for x in at], sum(values))
                             for at, _, values in samples),
            'sum': sum(v for _, _, values in samples for v in values)}


def numbers(data):
    """A packed list."""
    found, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(value)
            value = shift = 0
    assert not shift
    return found


def otlp(body):
    """Pairs, what is in the profile, and the id of an ExportProfilesServiceRequest
    of v1development: each index is one of its table, whose first one is empty."""
    request = parts(body)
    resource = parts(*request[1])
    dictionary = parts(*request[2])
    text = [t.decode() for t in dictionary[5]]
    if set(dictionary) != set(range(1, 8)) or \
            any(dictionary[table][0] for table in range(1, 8)):
        raise ValueError('a table without an empty element')

    def index(table, of):
        return dictionary[table][of] if of else b''

    names = {'service.name': 'service_name', 'host.name': 'host', 'vm': 'vm'}
    pairs = []
    for attribute in map(parts, parts(*resource[1])[1]):
        value = parts(*attribute[2])
        pairs.append((names[attribute[1][0].decode()], value[1][0].decode()))
    scope = parts(*resource[2])
    if parts(*scope[1])[1] != [b'vmmprof']:
        raise ValueError('scope')
    one = parts(*scope[2])
    kind = parts(*one[1])
    if one[1] != one[5] or len(one[7][0]) != 16:
        raise ValueError('types, or the id')
    stacks, total = [], 0
    for sample in map(parts, one[2]):
        frames = []
        for location in numbers(*parts(index(7, sample[1][0])).get(1, [b''])):
            where = parts(index(2, location))
            line = parts(*where[3])
            function = parts(index(3, line[1][0]))
            mapping = parts(index(1, where[1][0])) if where[1] else None
            frames.append((text[function[1][0]],
                           text[mapping[4][0]] if mapping else None))
        value, = numbers(*sample[4])
        total += value
        stacks.append((frames, value))
    pairs.append(('__name__', 'off_cpu' if text[kind[1][0]] == 'off_cpu'
                  else 'process_cpu'))
    return pairs, {
        'type': [text[kind[1][0]], text[kind[2][0]]], 'time': one[3][0],
        'more': [one[4], one[6]], 'count': len(stacks),
        'stacks': digest(stacks), 'sum': total}, one[7][0].hex()


def pyroscope(body):
    """Pairs of label and value, the profile and the id of a PushRequest."""
    request = parts(body)
    if len(request[1]) != 1:
        raise ValueError('one series is wanted')
    one = parts(request[1][0])
    sample = parts(one[2][0])
    return ([(pair[1][0].decode(), pair[2][0].decode())
             for pair in map(parts, one[1])],
            pprof(sample[1][0]), sample[2][0].decode())


def parca(body):
    """The same of a WriteRawRequest, which has no id.

    What is no field of the message is refused, as protojson does, which Parca's
    gateway reads it with."""
    def only(o, **kinds):
        if o.keys() != kinds.keys() or \
                not all(isinstance(o[k], v) for k, v in kinds.items()):
            raise ValueError(f'fields {list(o)}')
        return o

    request = only(json.loads(body), normalized=bool, series=list)
    one = only(*request['series'], labels=dict, samples=list)
    pairs = [tuple(only(x, name=str, value=str).values())
             for x in only(one['labels'], labels=list)['labels']]
    if pairs != sorted(pairs):
        raise ValueError('labels are not in order')
    sample = only(*one['samples'], rawProfile=str)
    return pairs, pprof(base64.b64decode(sample['rawProfile'], validate=True)), \
        None


def look(body, read):
    """What is in a request: id, labels, type, sum.  ValueError: refused."""
    pairs, got, sample_id = read(body)
    labels = {}
    for name, value in pairs:
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
    if not 0 < got['count'] <= STACKS:
        raise ValueError('samples')
    if abs(time.time() - got['time'] / 1e9) > AGE and \
            not os.path.exists(f'{folder}/any-time'):
        raise ValueError('too old, or not yet')
    return {'id': sample_id, 'labels': labels, **got}


APIS = {
    ('/push.v1.PusherService/Push', 'application/proto'): pyroscope,
    ('/api/profiles/writeraw', 'application/json'): parca,
    ('/v1development/profiles', 'application/x-protobuf'): otlp,
}


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
        if self.headers['Content-Encoding'] == 'gzip':
            body = gzip.decompress(body)
        with open(f'{folder}/mode', encoding='utf-8') as f:
            mode = f.read().strip()
        if mode == 'mixed':
            mode = random.choice(['ok'] * 6 + ['429', '500', '400', 'reset'])
        api = APIS.get((self.path, self.headers['Content-Type']))
        if not api:
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
            said = look(body, api or pyroscope)
        except (ValueError, KeyError, IndexError, AssertionError, OSError,
                EOFError, TypeError) as e:
            self.note(422, why=str(e))
            self.reply(422, f'invalid: {e}'.encode())
            return
        said['headers'] = {k: self.headers[k] for k in (
            'Authorization', 'X-Scope-OrgID', 'Content-Encoding')
            if self.headers[k]}
        if mode == 'partial':
            # an answer that is no error, and refuses (OTLP)
            self.note(mode, **said)
            self.reply(200, b'\x0a\x15\x08\x01\x12\x11' + b'no such profiles!')
            return
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
