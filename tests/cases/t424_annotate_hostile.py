#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t424_annotate_hostile.py VMMPROF: annotate with a program whose names and
sources are hostile, then with damaged copies of it, all with the build-id that
the session has: nothing that a terminal obeys comes out, nothing crashes."""
import os
import random
import subprocess
import sys
import unicodedata

ARGS = ['annotate', '-i', 's', '--code-from', 'copy', 'spin']


def run(vmmprof, *more):
    done = subprocess.run([vmmprof, *ARGS, *more], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=60)
    text = done.stdout.decode()
    bad = {c for c in text if c != '\n' and
           unicodedata.category(c) in ('Cc', 'Cf', 'Cn')}
    if bad or done.returncode not in (0, 1) or 'stopped' in text or \
            'Sanitizer' in text:
        raise SystemExit(f'{done.returncode}: {bad}: {text[-2000:]}')
    return text


def write(data):
    with open('copy', 'wb') as f:
        f.write(data)


def main():
    with open('prog', 'rb') as f:
        good = f.read()
    write(good)
    text = run(sys.argv[1])
    assert r'evil\x1b[2J' in text and r'src\x1b[3J.c:7' in text, text
    run(sys.argv[1], '--json')
    # libdw forgets memory where abstract origins lead nowhere.
    os.environ['ASAN_OPTIONS'] = 'detect_leaks=0'
    # Where the build-id is: it stays, or the file is not looked at.
    note = good.index(bytes.fromhex(sys.argv[2]))
    rand = random.Random(1)
    codes = 0
    for _ in range(int(sys.argv[3])):
        data = bytearray(good)
        for _ in range(rand.choice((1, 4, 30))):
            at = rand.randrange(64, len(data))
            if not note - 16 <= at < note + 20:
                data[at] = rand.choice((0, 255, rand.randrange(256)))
        if rand.random() < .2:
            del data[rand.randrange(note + 20, len(data)):]
        write(data)
        codes += 'Code: copy' in run(sys.argv[1])
    assert codes > 2, codes


main()
