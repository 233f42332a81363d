#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""longsession.py N DIR: a session of N records on two CPUs: vCPUs of two VMs
take turns, and are sampled."""
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mksession  # noqa: E402  (this folder's)


def main():
    nr, path = int(sys.argv[1]), sys.argv[2]
    os.makedirs(path)
    turns = nr // 6
    mksession.parse([
        'file info', 'text tsc_khz=1000000',
        'event index=0 type=0 config=9 period=1000 name=ref-cycles',
        'switches on=1', 'vm pid=500 name=alpha', 'vm pid=600 name=beta',
        'vcpu pid=500 tid=501 id=0', 'vcpu pid=600 tid=601 id=0',
        'vcpu pid=500 tid=502 id=1', 'vcpu pid=600 tid=602 id=1',
        f'stop start=1000 stop={1000 + 1000 * turns}', 'end',
        'file cpu-0.rec', 'file cpu-1.rec'], path)
    for cpu in range(2):
        a, b = (500, 501 + cpu), (600, 601 + cpu)
        with open(os.path.join(path, f'cpu-{cpu}.rec'), 'ab') as out:
            for i in range(turns):
                tsc = 1000 + 1000 * i
                names = (b'CPU 0/KVM', b'CPU 0/KVM')
                pack = struct.Struct('<HHIQIIIIIIII16s16s').pack
                out.write(pack(16, 80, 3, tsc, *a, cpu, cpu, 0, 0, *b, *names))
                out.write(pack(18, 80, 0, tsc, *b, 2**32 - 1, cpu, 0, 0, *a,
                               *names))
                out.write(struct.pack(
                    '<HHIQIIQQQQIIIIHBBIQQ', 1, 96, 0xeb, tsc + 500, *b, 0,
                    1000, i, 0, 0, 0, 0x60, cpu, 1, 0, 0, cpu, 0, 0))
                a, b = b, a


if __name__ == '__main__':
    main()
