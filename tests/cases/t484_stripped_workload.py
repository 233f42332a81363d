# SPDX-License-Identifier: GPL-2.0-only
"""t484_stripped_workload.py VMMPROF MKSESSION CALLGRIND: of all instructions that a program of Debian's stripped files
executed, as callgrind counted them, how many have no function: by file, and in all."""
import collections
import os
import re
import subprocess
import sys

BASE = 0x10000000


def executed(path):
    """By file: link address -> how often."""
    cost, skip = collections.defaultdict(collections.Counter), False
    with open(path, encoding='utf-8') as f:
        for line in f:
            if line.startswith('ob='):
                where = cost[os.path.realpath(line[3:].strip())]
            elif line.startswith('calls='):
                skip = True  # the next line has the cost of what was called
            elif line.startswith('0x'):
                if not skip:
                    address, _, n = line.split()
                    where[int(address, 16)] += int(n)
                skip = False
    return {file: c for file, c in cost.items() if os.path.exists(file) and 'valgrind' not in file}


def readelf(what, file):
    return subprocess.run(['readelf', what, file], check=True, stdout=subprocess.PIPE, text=True).stdout


def functions(vmmprof, mksession, file, addresses):
    """The function of each address, as script has it."""
    build_id = re.search(r'Build ID: (\w+)', readelf('-nW', file))[1]
    segment = next(line.split() for line in readelf('-lW', file).splitlines() if re.match(r' *LOAD .* R E ', line))
    shift = BASE + int(segment[1], 16) - int(segment[2], 16)
    with open('description', 'w', encoding='utf-8') as f:
        f.write(f'''file info
  event index=0 type=1 config=0 period=1000000 name=cpu-clock
  end
file host
  clock tsc=0 mono=0
  proc op=snap ns=0 pid=9 comm=prog
  file_item id=1 path={file} build_id={build_id} flags=32
  map pid=9 start={BASE:#x} end=0x30000000 file=1
  end
file cpu-0.rec
''')
        f.writelines(f'  sample tsc={10 + i} flags=NU pid=9 ip={a + shift:#x}\n' for i, a in enumerate(addresses))
    subprocess.run(['rm', '-rf', 's'], check=True)
    subprocess.run([mksession, 'description', 's'], check=True)
    out = subprocess.run([vmmprof, 'script', '-i', 's', '-F', 'sym'], check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True).stdout.splitlines()
    assert len(out) == len(addresses)
    return [line[4:] for line in out]


def main():
    vmmprof, mksession, path = sys.argv[1:]
    total, without = collections.Counter(), collections.Counter()
    for file, cost in executed(path).items():
        addresses = sorted(cost)
        for a, name in zip(addresses, functions(vmmprof, mksession, file, addresses)):
            total[file] += cost[a]
            without[file] += 0 if re.match('[A-Za-z_.]', name) else cost[a]
    for file, n in total.most_common():
        print(f'{os.path.basename(file)}: {without[file]} of {n} without a function', file=sys.stderr)
    files = ' '.join(map(os.path.basename, total))
    if 'libcrypto' not in files or total.total() < 20e6:
        sys.exit('that is not the workload')
    # what the C compiler's own files begin and end a program with has no .eh_frame
    print('at most 0.01 % without' if without.total() * 10000 <= total.total() else 'more than 0.01 % without')


main()
