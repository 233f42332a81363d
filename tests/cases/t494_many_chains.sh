#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# More different chains than are kept: memory has a bound, no sample is missing,
# and those whose callers are not shown are told.
python3 - > d << 'END'
print('file info\n text tsc_khz=1000000 chains=host-kernel\n event index=0 type=0 config=9'
      ' period=1000000 name=c\n stop start=0 stop=1000000000\n end')
print('file host\n clock tsc=0 mono=0\n kallsyms')
for i in range(500):
    print(f' ffffffff{0x81000000 + i * 256:08x} T f{i}')
print(' .\n proc op=snap ns=0 pid=7 comm=p\n end')
END
"$TOP"/tests/gen/mksession.py d s
python3 - << 'END'
import random
import struct
random.seed(1)
address = [0xffffffff81000000 + i * 256 + 17 for i in range(500)]
with open('s/cpu-0.rec', 'wb') as f:
    f.write(struct.pack('<8sHHHHIIQ', b'VMMPROF\n', 2, 2, 2, 32, 0, 0, 0))
    for i in range(9000):
        f.write(struct.pack('<HHIQ', 1, 96, 1, 1000 + i * 1000))
        f.write(struct.pack('<IIQQQQIIIIHBBIQQ', 7, 7, random.choice(address),
                            1, 0, 0, 0, 0, 0, 0xffffffff, 0, 0, 0, 0, 0, 0))
        f.write(struct.pack('<HHIQIHHBBHI', 5, 32 + 8 * 126, 0,
                            1000 + i * 1000, 0, 126, 0, 1, 0, 0, 0))
        f.write(struct.pack('<126Q', *random.choices(address, k=126)))
END
"$VMMPROF" export s -f folded > out 2> err
grep -q 'of [0-9]* samples the function alone is shown' err
grep -q '\[broken: too many different chains\]' out
[ "$(awk '{ n += $NF } END { print n }' out)" -eq 9000 ]
"$VMMPROF" report s -g caller --json 2> err > out
grep -q 'of [0-9]* samples the function alone is shown' err
python3 -c '
import json
d = json.load(open("out"))
c = d["account"]["chains"]
assert c["complete"] == 9000 and 500 < c["function_alone"] < 2000, c
assert sum(r["samples"] for r in d["host"]["rows"]) == 9000
for r in d["host"]["rows"]:
    assert sum(x["samples"] for x in r["chains"]) == r["samples"]
'
