#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t243_limits.py VMMPROF SESSION MIB [WHAT...]: bundles of MIB MiB, each full of
one thing, given to `vmmprof report`: the time it takes and the memory it needs,
of which there may be 30 s and 6 bytes for each byte of the bundle."""
import os
import struct
import sys
import time

HEADER = struct.pack('<8sHHHHIIQ', b'VMMPROF\n', 3, 2, 2, 32, 0, 0, 0)
END = struct.pack('<IIQ', 4, 16, 0)


def item(kind, body):
    data = struct.pack('<II', kind, 8 + len(body)) + body
    return data + bytes(-len(data) % 8)


TEXT = item(1, b'from=watch\nphys_mask=ffffffffff000\nstack_size=16384\n')
CLOCKS = item(2, struct.pack('<QQQ', 0, 0, 0)) + \
    item(2, struct.pack('<QQQ', 10**12, 10**12, 0))
MM = item(18, struct.pack('<QQIIII16s', 1, 0x2000, 1, 7, 7, 0, b'prog'))
PROC = item(19, struct.pack('<QIIII16s', 1, 1, 7, 0, 0, b'prog') + b'\0')
FILE = item(21, struct.pack('<IIQQ20sB3s', 1, 0, 0, 0, b'', 0, b'') + b'/p\0')


def symtab(size):
    n = size // 16
    return item(22, struct.pack('<IIIIQQQ', 1, 1, n, 2, 0, 0, 1 << 40) +
                b''.join(struct.pack('<QII', i * 16, 16, 0)
                         for i in range(n)) + b'f\0')


# What item number n of a bundle is; the numbers go down where order costs.
ITEMS = {
    'notes': lambda n: item(3, b'\0'),
    'clocks': lambda n: item(2, struct.pack('<QQQ', n * 7919 & 0xffff, n, 0)),
    'address spaces': lambda n: item(18, struct.pack(
        '<QQIIII16s', n, n << 12, 3, n, n, 0, b'x')),
    'one address space': lambda n: item(18, struct.pack(
        '<QQIIII16s', n, 0x2000, 3, n, n, 0, b'x')),
    'processes': lambda n: item(19, struct.pack(
        '<QIIII16s', n, 1, n, 0, 0, b'x') + b'\0'),
    'a line of forks': lambda n: item(19, struct.pack(
        '<QIIII16s', n, 2, n + 7, n + 6, 0, b'') + b'\0'),
    'execs of one': lambda n: item(19, struct.pack(
        '<QIIII16s', n, 3, 7, 0, 0, b'x') + b'\0'),
    'maps of one': lambda n: item(20, struct.pack(
        '<QQQQII', n, n << 12, (n << 12) + 0x1000, 0, 7, 1)),
    'the same map': lambda n: item(20, struct.pack(
        '<QQQQII', n, 0x400000, 0x401000, 0, 7, 1)),
    'maps in maps': lambda n: item(20, struct.pack(
        '<QQQQII', n, n << 12, (1 << 46) - (n << 12), 0, 7, 1)),
    'files': lambda n: item(21, struct.pack(
        '<IIQQ20sB3s', n, 0, 0, 0, b'', 0, b'') + b'/x\0'),
    'symbol tables': lambda n: item(22, struct.pack(
        '<IIII', n, 0, 0, 1) + b'\0'),
    'stacks': lambda n: item(24, struct.pack(
        '<QQIIII16s', n, n << 14, 2, n, n, 0, b'x')),
    'JIT code': lambda n: item(25, struct.pack(
        '<QQQII', n, n << 4, 1 << 40, 7, 1) + b'f\0'),
    'JIT code of one address': lambda n: item(25, struct.pack(
        '<QQQII', n, 0x400000, 0x1000, 7, 2) + b'f\0'),
    'cgroups': lambda n: item(26, struct.pack('<QII', n, 7, 0) + b'/a\0'),
    'BPF programs': lambda n: item(27, struct.pack(
        '<QQII', n, (1 << 63) + n, 1 << 20, 0) + b'f\0'),
    'kallsyms': lambda n: b'%x T f\n' % (0xffffffff81000000 + n),
    'modules': lambda n: b'm%x 1 0 - Live %x\n' % (n, n),
}


def body(what, make, size):
    """Items, 4096 made at a time."""
    out, n = bytearray(), 1
    while len(out) < size:
        out += b''.join(make(i) for i in range(n, n + 4096))
        n += 4096
    if what == 'a line of forks': # its end is who runs
        out += item(18, struct.pack('<QQIIII16s', n, 0x2000, 3, n + 6, n + 6,
                                    0, b'x'))
    if what in ('kallsyms', 'modules'):
        return item({'kallsyms': 16, 'modules': 17}[what], bytes(out))
    return bytes(out)


def report(vmmprof, session, bundle):
    """Seconds and peak MiB of one report, both of its processes."""
    start = time.monotonic()
    pid = os.fork()
    if not pid:
        null = os.open('/dev/null', os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(os.open('err', os.O_WRONLY | os.O_CREAT, 0o600), 2)
        os.execv(vmmprof, [vmmprof, 'report', '-i', session,
                           '--guest-bundle', 'vm1=' + bundle])
    status, usage = os.wait4(pid, 0)[1:]
    return time.monotonic() - start, usage.ru_maxrss / 1024, status


def main():
    vmmprof, session, mib = sys.argv[1], sys.argv[2], int(sys.argv[3])
    wanted = sys.argv[4:]
    makers = dict(ITEMS)
    failed = False
    for what in list(makers) + ['one symbol table', 'one string']:
        if wanted and what not in wanted:
            continue
        if what == 'one symbol table':
            data = FILE + symtab(mib << 20)
        elif what == 'one string':
            data = item(3, b'a' * (mib << 20) + b'\0')
        else:
            data = body(what, makers[what], mib << 20)
        with open('b', 'wb') as f:
            f.write(HEADER + TEXT + CLOCKS + MM + PROC + FILE + data + END)
        seconds, peak, status = report(vmmprof, session, 'b')
        print(f'{what}: {seconds:.2f} s, {peak:.0f} MiB, status {status}')
        failed |= seconds > 30 or peak > 50 + 6 * mib or status != 0
    sys.exit(failed)


main()
