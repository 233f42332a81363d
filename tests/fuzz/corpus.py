#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""corpus.py OUT: seeds for the fuzzers out of the sessions in tests/data/ and
tests/fuzz/."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
VIEWS = 40  # of fuzz_views.c, and those of two sessions
DIFFS = range(25, 28)
VIEW_MAX = 4096  # others are slow, and there are many views
FILES = ['info', 'host', 'guests/vm1.bundle', 'cpu-0.rec', 'cpu-1.rec']


def put(out, kind, name, data):
    os.makedirs(os.path.join(out, kind), exist_ok=True)
    with open(os.path.join(out, kind, name), 'wb') as f:
        f.write(data)


def seed(out, name, session):
    whole = b''
    for root, _, files in os.walk(session):
        for f in sorted(files):
            path = os.path.join(root, f)
            with open(path, 'rb') as src:
                data = src.read()
            rel = os.path.relpath(path, session)
            if rel.startswith('cpu-'):
                put(out, 'records', f'{name}-{f}', data[:4096])
            elif rel != 'info':
                put(out, 'bundle', f'{name}-{f}', data)
            which = 2 if rel.startswith('guests/') else \
                FILES.index(rel) if rel in FILES else None
            if which is not None:
                data = data[:0x1ffff]
                whole += struct.pack('<I', which | len(data) << 8) + data
    put(out, 'session', name, whole)
    if len(whole) > VIEW_MAX:
        return
    for view in range(VIEWS):
        twice = whole if view in DIFFS else b''
        put(out, 'views', f'{name}-{view}', bytes([view] * 16) + whole + twice)


def main():
    paths = [os.path.join(TOP, folder, f) for folder in ('data', 'fuzz')
             for f in sorted(os.listdir(os.path.join(TOP, folder)))]
    for path in paths:
        if not path.endswith('.txt'):
            continue
        top = tempfile.mkdtemp()
        session = os.path.join(top, 's')
        subprocess.run([os.path.join(TOP, 'gen', 'mksession.py'),
                        path, session], check=True)
        seed(sys.argv[1], os.path.basename(path)[:-4], session)
        shutil.rmtree(top)


if __name__ == '__main__':
    main()
