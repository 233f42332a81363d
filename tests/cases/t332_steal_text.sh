#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# steal begins with verdicts and the matrix, at any width of the terminal: no
# line is longer, no name is cut without a mark, sums on both sides; of many
# VMs the last ones are summed up, but with -v.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/owners.txt s
answer() { "$VMMPROF" steal "$@" | sed '1,3d; /^  web$/,$d'; }
answer -i s
answer -i s --by unit
answer -i s --by process
answer -i s --by vcpu
"$VMMPROF" steal -i s --by thief | sed '1,3d; /^Who took time/,$d'
# Each VM's vCPU in turn has the only CPU for 1 ms, 20 times; ten times as long
# for the first four.
cat > many.py << 'END'
NAMES = ['mariadb-production-primary'] + [f'vm{i}' for i in range(1, 40)]
print('file info\ntext tsc_khz=1000000\nswitches on=1')
for i, name in enumerate(NAMES):
    print(f'vm pid={500 + 10 * i} nr_vcpus=1 name={name}')
    print(f'vcpu pid={500 + 10 * i} tid={501 + 10 * i} id=0')
    print(f'vcpu_state pid={500 + 10 * i} tid={501 + 10 * i} when=start '
          'state=runnable tsc=1000000')
at, lines = 1000000, []
for turn in range(20 * len(NAMES)):
    pid, other = (500 + 10 * ((turn + k) % len(NAMES)) for k in (0, 1))
    at += 10000000 if turn % len(NAMES) < 4 else 1000000
    lines.append(f'out tsc={at} pid={pid} tid={pid + 1} vcpu=0 flags=R '
                 f'opid={other} otid={other + 1}')
    lines.append(f'in tsc={at} pid={other} tid={other + 1} '
                 f'opid={pid} otid={pid + 1}')
print(f'stop start=1000000 stop={at}\nend\nfile cpu-0.rec', *lines, sep='\n')
END
python3 many.py > many.txt
"$TOP"/tests/gen/mksession.py many.txt many
# at WIDTH [OPTION...]: what it prints on a terminal so wide
cat > at.py << 'END'
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ,
            struct.pack('HHHH', 24, int(sys.argv[1]), 0, 0))
p = subprocess.Popen([os.environ['VMMPROF'], 'steal', '--no-pager',
                      '--color=never', *sys.argv[2:]],
                     stdout=theirs, stderr=subprocess.DEVNULL)
os.close(theirs)
data = b''
try:
    while piece := os.read(ours, 65536):
        data += piece
except OSError:
    pass
assert p.wait() == 0
print(data.decode().replace('\r\n', '\n'), end='')
END
cat > matrix.py << 'END'
import re
import sys

width = int(sys.argv[1])
lines = sys.stdin.read().split('\n')
begin = next(i for i, s in enumerate(lines) if s.startswith('Time lost'))
end = next(i for i, s in enumerate(lines) if s.startswith(('No other', 'Guest, vCPU')))
for line in lines[2:end] if width < 80 else lines:
    assert len(line) <= width, (width, line)
sums, seen, head = {}, set(), None
for line in lines[begin + 1:end]:
    m = re.match('(.{8,}?) +([%s])((?: +(?:-|[0-9.]+))+)$', line)
    if not line:
        head = None
    elif not head:
        head, columns = line, None
    else:
        name = m[1].strip() or name
        ends = [m.start(3) + x.end() for x in re.finditer('[^ ]+', m[3])]
        if not columns:
            columns = [head[a:b].strip() for a, b in
                       zip([m.start(3)] + ends, ends)]
            assert not seen & set(columns), columns
            seen |= set(columns)
        for column, value in zip(columns, m[3].split(), strict=True):
            sums[name, m[2], column] = 0 if value == '-' else float(value)
rows = {k[0] for k in sums}
for row in rows:
    of = [v for k, v in sums.items() if k[:2] == (row, 's')]
    all_of_it = sums[row, 's', 'to all']
    assert abs(sum(of) - 2 * all_of_it) < .0006 * len(of), (row, of)
for column in seen:
    of = [v for k, v in sums.items() if k[1:] == ('s', column)]
    all_of_it = sums['all', 's', column]
    assert abs(sum(of) - 2 * all_of_it) < .0006 * len(of), (column, of)
print(f'{width}: {len(rows)} lines, {len(seen)} columns,',
      *sorted(s for s in rows if s.startswith('maria')),
      *sorted(s for s in seen if s.startswith('maria')),
      *sorted(s for s in rows if s.endswith(' others')),
      *sorted(s for s in seen if s.endswith(' others')))
END
for width in 60 80 133 200 400; do
	python3 at.py $width -i many | python3 matrix.py $width
done
python3 at.py 80 -v -i many | python3 matrix.py 80
python3 at.py 100 -i many | sed -n '/^vm11 lost/,/lost less/p'
# and in a pipe
"$VMMPROF" steal -i many 2> /dev/null | python3 matrix.py 80
