#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t224_node.py run NODE                run node and sample it; prints its pid, CPU times, and "sample NS IP" lines
t224_node.py session SAMPLES BUNDLE  a description for mksession.py: the same samples on the TSC of the bundle
t224_node.py check SAMPLES SCRIPT    names and shares in what `vmmprof script -F type,sym,mod` says of it"""

import ctypes
import mmap
import os
import re
import struct
import subprocess
import sys

PROGRAM = """
function hotAlpha(n) { let x = 1; for (let i = 0; i < n; i++) x = (x * 31 + i) | 0; return x; }
function hotBeta(n) { let x = 7; for (let i = 0; i < n; i++) x = (x ^ (x << 3) ^ i) | 0; return x; }
const used = {alpha: 0, beta: 0};
let sink = 0;
function timed(name, f, n) {
    const before = process.cpuUsage();
    sink ^= f(n);
    const c = process.cpuUsage(before);
    used[name] += c.user + c.system;
}
while (process.cpuUsage().user < 1.5e6) {
    timed('alpha', hotAlpha, 6e6);
    timed('beta', hotBeta, 2e6);
}
console.log('alpha ' + used.alpha + '\\nbeta ' + used.beta + '\\nsink ' + sink);
"""
PAGES, PERF_EVENT_OPEN = 64, 298


def open_sampling(pid):
    """The CPU clock of the task, 1 ms, user mode; IP, TID and CLOCK_MONOTONIC."""
    exclude_kernel_and_hv, use_clockid = 3 << 5, 1 << 25
    attr = struct.pack('<IIQQQQQIIQQQQIi', 1, 112, 1, 1000000, 1 | 2 | 4, 0, exclude_kernel_and_hv | use_clockid,
                       0, 0, 0, 0, 0, 0, 0, 1).ljust(112, b'\0')
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(PERF_EVENT_OPEN, attr, pid, -1, -1, 0)
    if fd < 0:
        sys.exit(f'perf_event_open: {os.strerror(ctypes.get_errno())}')
    return mmap.mmap(fd, (PAGES + 1) * 4096)


def records(ring):
    """(ns, ip) of the samples in the ring, which has not gone round."""
    at, head = 4096, 4096 + struct.unpack_from('<Q', ring, 1024)[0]
    while at < head:
        kind, _, size = struct.unpack_from('<IHH', ring, at)
        if kind == 9:
            ip, _, _, ns = struct.unpack_from('<QIIQ', ring, at + 8)
            yield ns, ip
        at += size


def run(node):
    with open('hot.js', 'w', encoding='ascii') as f:
        f.write(PROGRAM)
    with subprocess.Popen([node, '--perf-basic-prof', 'hot.js'], stdout=subprocess.PIPE, text=True) as p:
        ring = open_sampling(p.pid)
        print('pid', p.pid)
        print(p.communicate(timeout=60)[0], end='')
    for ns, ip in records(ring):
        print('sample', ns, hex(ip))
    return p.returncode == 0


def parse(path):
    values, samples = {}, []
    for line in open(path, encoding='ascii'):
        key, *rest = line.split()
        if key == 'sample':
            samples.append((int(rest[0]), rest[1]))
        else:
            values[key] = int(rest[0])
    return values, samples


def session(path, bundle):
    sys.path.insert(0, os.path.join(os.environ['TOP'], 'tests', 'guest'))
    from bundle import Bundle
    (tsc0, ns0, _), (tsc1, ns1, _) = (Bundle(bundle).clocks[i] for i in (0, -1))
    values, samples = parse(path)
    print('file info\n end\nfile cpu-0.rec')
    for ns, ip in samples:
        print(f" sample tsc={tsc0 + (ns - ns0) * (tsc1 - tsc0) // (ns1 - ns0)} flags=NU pid={values['pid']} ip={ip}")
    return True


def check(path, script):
    values, samples = parse(path)
    count, jit, unnamed = {'alpha': 0, 'beta': 0}, 0, 0
    lines = [line for line in open(script, encoding='utf-8') if line.startswith('type=sample ')]
    for line in lines:
        m = re.search(r'hot(Alpha|Beta)\b', line)
        if m:
            count[m[1].lower()] += 1
        jit += line.rstrip().endswith('mod=[jit]')
        unnamed += line.rstrip().endswith('mod=[anon]')
    hot = sum(count.values())
    ours, real = count['alpha'] / max(hot, 1), values['alpha'] / (values['alpha'] + values['beta'])
    print(f'{len(lines)} samples, {jit} in [jit], {unnamed} unnamed; alpha {ours:.3f} of {hot}, by node {real:.3f}')
    sigma = (real * (1 - real) / max(hot, 1)) ** .5
    return len(lines) == len(samples) and hot >= 500 and unnamed <= 0.05 * jit and abs(ours - real) <= 4 * sigma + .02


what, *args = sys.argv[1:]
sys.exit(not {'run': run, 'session': session, 'check': check}[what](*args))
