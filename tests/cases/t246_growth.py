#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t246_growth.py VMMPROF: sessions made to keep the reader busy, each in two
sizes: four times as much may take eight times the CPU time and memory, where
what was tried against us took sixteen or sixty-four times, or never came back.
CPU time is counted, of all processes, so that a busy machine is no matter."""
import os
import random
import shutil
import struct
import subprocess
import sys

VMMPROF = sys.argv[1]
LITTLE = 0.15 # CPU seconds: a start, and what a busy machine adds to it


def item(kind, body):
    data = struct.pack('<II', kind, 8 + len(body)) + body
    return data + bytes(-len(data) % 8)


def header(kind):
    return struct.pack('<8sHHHHIIQ', b'VMMPROF\n', kind, 2, 2, 32, 0, 0, 0)


def end():
    return item(4, struct.pack('<Q', 0))


def session(info=b'', host=b'', records=b'', bundles=()):
    shutil.rmtree('s', ignore_errors=True)
    os.makedirs('s/guests')
    with open('s/info', 'wb') as f:
        f.write(header(1) + item(1, b'tsc_khz=1000000\n') + info + end())
    with open('s/host', 'wb') as f:
        f.write(header(3) + host + end())
    with open('s/cpu-0.rec', 'wb') as f:
        f.write(header(2) + records)
    for name, data in bundles:
        with open(f's/guests/{name}.bundle', 'wb') as f:
            f.write(header(3) + data + end())


def vm(pid, name):
    return item(17, struct.pack('<IIQ', pid, 1, 0) + name + b'\0')


def guest(pid, name):
    return item(19, struct.pack('<II', pid, 0) + name + b'\0')


CLOCKS = item(2, struct.pack('<QQQ', 0, 0, 0)) + \
    item(2, struct.pack('<QQQ', 10**12, 10**12, 0))


def apart(make, *args):
    """What this process ever needed counts as its children's."""
    pid = os.fork()
    if not pid:
        make(*args)
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        raise SystemExit(f'{make.__name__}: failed')


def cost(*command):
    """CPU seconds and peak KiB of a command that may fail, but not die."""
    best, peak = 1e9, 0
    for _ in range(2):
        pid = os.fork()
        if not pid:
            out = os.open('out', os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(out, 1)
            os.dup2(out, 2)
            os.execv(VMMPROF, [VMMPROF, *command])
        status, used = os.wait4(pid, 0)[1:]
        if not os.WIFEXITED(status) or os.WEXITSTATUS(status) > 1:
            raise SystemExit(f'{command}: status {status:#x}')
        best = min(best, used.ru_utime + used.ru_stime)
        peak = max(peak, used.ru_maxrss)
        if best < LITTLE:
            break
    return best, peak


FAILED = []


def grows(what, make, n, *commands):
    said = []
    for size in (n, 4 * n):
        apart(make, size)
        said.append([cost(*c) for c in commands])
    for command, (s, kib), (s4, kib4) in zip(commands, *said):
        ok = s4 <= max(8 * s, 8 * LITTLE) and kib4 <= 8 * max(kib, 20000)
        print('ok' if ok else 'not ok', what, command[0],
              f'{n}: {s:.2f} s, {kib} KiB; {4 * n}: {s4:.2f} s, {kib4} KiB')
        if not ok:
            FAILED.append(what)


# A function in which others are inlined, each into the one before.
DWARF = '''	.globl _start
	.text
	.type spin, @function
_start:
spin:	.rept 400
	.loc 1 1
	nop
	.loc 1 2
	.endr
	ret
.Lend:	.size spin, . - spin
	.section .debug_line, "", @progbits
	.section .debug_abbrev, "", @progbits
	.byte 1, 0x11, 1, 0x10, 0x17, 0x03, 0x08, 0x11, 1, 0x12, 6, 0, 0
	.byte 2, 0x2e, 1, 0x03, 0x08, 0x11, 1, 0x12, 6, 0, 0
	.byte 3, 0x1d, 1, 0x31, 0x13, 0x11, 1, 0x12, 6, 0, 0
	.byte 4, 0x2e, 0, 0x03, 0x08, 0, 0
	.byte 0
	.section .debug_info, "", @progbits
.Lunit:	.long .Lunit_end - .Lunit_start
.Lunit_start: .value 4
	.long .debug_abbrev
	.byte 8
	.uleb128 1
	.long .debug_line
	.string "x.c"
	.quad spin
	.long .Lend - spin
.Lorigin: .uleb128 4
	.string "deep"
	.uleb128 2
	.string "spin"
	.quad spin
	.long .Lend - spin
%s	.byte 0, 0
.Lunit_end:
	.section .note.GNU-stack
'''
INLINED = '''	.rept %d
	.byte 3
	.long .Lorigin - .Lunit
	.quad spin
	.long .Lend - spin
	.endr
	.rept %d
	.byte 0
	.endr
'''


def program(n, chains=1):
    with open('p.S', 'w', encoding='ascii') as f:
        f.write('	.file 1 "/x.c"\n' + DWARF % (INLINED % (n, n) * chains))
    subprocess.run(['gcc', '-nostdlib', '-static', '-Wl,--build-id',
                    '-Wl,-Ttext=0x401000', '-o', 'p', 'p.S'], check=True)
    notes = subprocess.run(['readelf', '-nlW', 'p'], check=True,
                           stdout=subprocess.PIPE).stdout.decode()
    build_id = bytes.fromhex(notes.split('Build ID: ')[1].split()[0])
    loads = [x.split() for x in notes.splitlines() if 'LOAD ' in x]
    offset = [int(x[1], 16) for x in loads if 'R E' in ' '.join(x)][0]
    path = os.path.realpath('p').encode()
    host = CLOCKS + item(19, struct.pack('<QIIII16s', 0, 1, 9, 0, 0, b'p') +
                         b'\0')
    host += item(21, struct.pack('<IIQQ20sB3s', 1, 0, 0, 0, build_id, 20, b'')
                 + path + b'\0')
    host += item(20, struct.pack('<QQQQII', 0, 0x20000, 0x30000, offset, 9, 1))
    session(b'', host, b''.join(
        struct.pack('<HHIQIIQQQQIIIIHBBIQQ', 1, 96, 3, 1000 + i, 9, 9,
                    0x20000 + i, 10**6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        for i in range(400)))


def check_inlined():
    annotate = ('annotate', '-i', 's', 'spin')
    program(20)
    cost(*annotate)
    with open('out', encoding='utf-8') as f:
        said = f.read()
    if 'inlined deep, in deep' not in said or 'not shown' in said:
        raise SystemExit(said)
    grows('deep inlined scopes', program, 500, annotate)
    with open('out', encoding='utf-8') as f:
        if 'Inlined functions: nested too deep' not in f.read():
            FAILED.append('deep inlined scopes: not told')
    grows('many inlined scopes', lambda n: program(80, n), 50, annotate)
    program(200000)
    cost(*annotate)


EVENT = item(16, struct.pack('<IIQQII', 0, 0, 3, 1000, 0, 0) + b'e\0')
SWITCHES = item(24, struct.pack('<II', 1, 0))
STOP = item(21, struct.pack('<QQIi', 0, 10**9, 1, 0))


def waiters(n):
    """Each vCPU of a VM of its own leaves CPU 7's only task waiting."""
    session(SWITCHES + STOP, b'', b''.join(
        struct.pack('<HHIQIIIIIIII16s16s', 16, 80, 3, 1000 + i, i + 1, i + 1,
                    0, 7, 0, 0, 5, 5, b'q', b'o') for i in range(n)))


def sampled(n):
    """Each sample on one CPU is another vCPU's, which is not seen again."""
    flags = sum(1 << 'NUIVMSOG2WPH'.index(c) for c in 'NVMSOGH')
    session(EVENT + STOP, b'', b''.join(
        struct.pack('<HHIQIIQQQQIIIIHBBIQQ', 1, 96, flags, 2000 + i * 1000,
                    i + 1, i + 1, 0, 1000, 0x400000, 0x2000, 0, 0, 3 << 5, 0,
                    0, 0, 2, 0, 0, 0) for i in range(n)))


def one_name(n):
    session(b''.join(vm(i + 1, b'vm') for i in range(n)))


def check_vcpus():
    verbs = ('report', '-i', 's'), ('steal', '-i', 's'), \
        ('steal', '--json', '-i', 's'), ('timeline', '--csv', '-i', 's')
    grows('vCPUs that wait for one CPU', waiters, 1000, *verbs)
    waiters(300)
    cost('steal', '-i', 's')
    with open('out', encoding='utf-8') as f:
        if '172 waits for a CPU that 128 vCPUs' not in f.read():
            FAILED.append('waiting vCPUs: not told')
    grows('vCPUs sampled on one CPU', sampled, 4000, ('steal', '-i', 's'))


def guests(n):
    """Each guest has a sample, a switch, a word on its bundle and a process
    of the host, and was lost sight of; no number of them is seen twice."""
    info = b''.join(vm(i + 1, b'vm%d' % i) + guest(i + 1, b'vm%d' % i) +
                    item(22, struct.pack('<IIiIQQQQ', i + 1, 1, 0, 0, 0, 0, 0,
                                         0) + b'\0') for i in range(n))
    flags = sum(1 << 'NUIVMSOG2WPH'.index(c) for c in 'NVMSOGH')
    session(EVENT + SWITCHES + STOP + info, CLOCKS + b''.join(
        item(19, struct.pack('<QIIII16s', 0, 1, 10**6 + i, 0, 0, b'p') + b'\0')
        for i in range(n)), b''.join(
            struct.pack('<HHIQIIQQQQIIIIHBBIQQ', 1, 96, flags, i * 3000 + 2000,
                        i + 1, i + 1, 0, 1000, 0x400000, 0x2000, 0, 0, 3 << 5,
                        0, 0, 0, 2, 0, 0, 0) +
            struct.pack('<HHIQIIQQQQIIIIHBBIQQ', 1, 96, 3, i * 3000 + 3000,
                        10**6 + i, 10**6 + i, 0x20000, 10**6, 0, 0, 0, 0, 0, 0,
                        0, 0, 0, 0, 0, 0) +
            struct.pack('<HHIQQQQQ', 2, 48, 0, i * 3000 + 4000, 0, 0, 0, 1)
            for i in range(n)))


def check_vms():
    grows('guests', guests, 4000, ('report', '-i', 's'),
          ('report', '--json', '-i', 's'), ('diff', 's', 's'),
          ('export', '-f', 'csv', '-i', 's'), ('steal', '-i', 's'),
          ('guests', '-i', 's'))
    grows('VMs of one name', one_name, 4000, ('guests', '-i', 's'))


def jit(n, piece):
    """Code that a process made, each piece by itself or over what was there."""
    body = b''.join(struct.pack('<IIQQQII8s', 25, 48, i, *piece(i), 9, 2, b'f')
                    for i in range(n))
    session(vm(1, b'vm1') + guest(1, b'vm1'), CLOCKS, b'', [(
        'vm1', CLOCKS + item(19, struct.pack('<QIIII16s', 0, 1, 9, 0, 0, b'p') +
                             b'\0') + body)])


def check_jit():
    """What it takes for each byte of it, the file's own pages included."""
    some = random.Random(1)
    for what, piece in (
            ('side by side', lambda i: ((i + 1) * 16, 16)),
            ('over all before', lambda i: (2**32 - i * 16, 2**20 + i * 32)),
            ('anywhere', lambda i: (some.getrandbits(40),
                                    16 + some.getrandbits(20)))):
        kib = []
        for n in 50000, 200000:
            apart(jit, n, piece)
            kib.append(cost('report', '-i', 's')[1])
        times = (kib[1] - kib[0]) * 1024 / (150000 * 48)
        print(f'code {what}: {times:.2f} times its bundle')
        if times > 3.2:
            FAILED.append('code ' + what)
    grows('code', lambda n: jit(n, lambda i: (i % 999 * 4096, 10**6)), 50000,
          ('report', '-i', 's'))


def check_one_bundle():
    """A bundle is read, and kept, once, whoever is said to have it."""
    notes = CLOCKS + item(3, b'x\0') * 200000
    info = vm(1, b'vm1') + guest(1, b'vm1')
    session(info, CLOCKS, b'', [('vm1', notes)])
    s, kib = cost('report', '-i', 's')
    for what, many in ('items of a guest', guest(1, b'vm1') * 400), \
            ('VMs of a name', b''.join(vm(i, b'vm1') for i in range(2, 402))):
        session(info + many, CLOCKS, b'', [('vm1', notes)])
        s4, kib4 = cost('report', '-i', 's')
        print(f'400 {what}: {s4:.2f} s, {kib4} KiB; one: {s:.2f} s, {kib} KiB')
        if s4 > 4 * max(s, LITTLE) or kib4 > 4 * kib:
            FAILED.append(what)


def check_holes():
    """A bundle that is a hole needs no memory."""
    session(vm(1, b'vm1') + guest(1, b'vm1'), b'', b'', [('vm1', b'')])
    size = 500 << 20
    with open('s/guests/vm1.bundle', 'wb') as f:
        f.write(header(3) + struct.pack('<II', 3, size))
        f.truncate(32 + size)
        f.seek(32 + size)
        f.write(end())
    _, kib = cost('report', '-i', 's')
    print('a hole of 500 MiB:', kib, 'KiB')
    with open('out', encoding='utf-8') as f:
        if 'vm1.bundle' in f.read() or kib > 50000:
            FAILED.append('holes')


def main():
    wanted = sys.argv[2:]
    for name, check in list(globals().items()):
        if name.startswith('check_') and (not wanted or name[6:] in wanted):
            check()
    sys.exit('failed: ' + ', '.join(FAILED) if FAILED else 0)


main()
