#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""t241_hostile_strings.py VMMPROF MKSESSION: for each hostile string a session
that has it in every field, behind a mark that tells which field it is; what
the verbs print, messages included, has no character that a terminal obeys or
hides, the same lines as with a harmless string, and every mark."""
import os
import subprocess
import sys
import unicodedata

# at most 12 bytes each: a comm has 16
HOSTILE = {
    'controls': b'\x1b[2J\a\r\x7f\x01', 'newline': b'\nx', 'tab': b'\t',
    'C1': b'\x9b2J' + '\u009b2J'.encode(),
    'order of letters': '\u202e\u2066\u200f\u061c'.encode(),
    'nothing to see': '\u200b\ufeff\u2028\u00ad'.encode(),
    'combining': 'x\u20dd\u0489\u1dff\u034f'.encode(),
    'blank letters': '\u3164\uffa0\u115f\u2800'.encode(),
    'tags': '\U000e0041\U0001d173\ue000'.encode(),
    'no UTF-8': b'\xff\xfe\xed\xa0\x80\xc0\x9b', 'cut': b'\xf0\x9f',
}
# letters without a form of their own, for which there is no more to see
BLANK = '\u115f\u1160\u3164\uffa0\u2800'
BAD = {'Cc', 'Cf', 'Cs', 'Co', 'Cn', 'Zl', 'Zp', 'Mn', 'Me'}

SESSION = '''\
file info
  text tool={A1} module={A2} hostname={A3} release={A4} arch={A5} vendor={A6}
  text command={A7} trigger={A8} tsc_khz=1000000
  event index=0 type=0 config=9 period=10 name={B1}
  event index=1 name={B2}
  switches on=1
  vm pid=50 nr_vcpus=1 name={B3}
  vcpu pid=50 tid=51 id=0 comm={B4}
  vm pid=60 name={B5}
  guest pid=50 name={B3}
  reach pid=50 how=2 error=-5 text={B6}
  reach pid=60 how=2 error=-5 text={B7}
  note {B8}
  stop start=0 stop=9000
  end
file host
  text from=record hostname={C1} release={C2}
  clock tsc=0 mono=0
  kallsyms
    ffffffff81000000 T {C3}
    ffffffff81000100 T _etext
    ffffffffc0001000 t {C4}\\t[{C5}]
  .
  modules
    {C5} 8192 0 - Live 0xffffffffc0001000
  .
  ksym ns=0 addr=0xffffffffd0000000 len=0x100 name={C6}
  proc op=snap ns=0 pid=9 comm={C7} cmdline={C8}
  cgroup pid=9 path=/lxc/{D1}
  file_item id=1 path=/bin/{D2}
  map pid=9 start=0x10000 end=0x20000 file=1
  symtab file=1 seg=0:0:0x10000 sym=0x100:0x100:{D3},0x200:0x100:_Z4{H1}
  map pid=9 start=0x30000 end=0x40000
  jit pid=9 addr=0x30000 size=0x100 name={D4}
  note {D5}
  end
file b
  text from=watch phys_mask=0xffffffffff000 hostname={E1} release={E2}
  text stack_size=16384 method={E3}
  clock tsc=0 mono=0
  kallsyms
    ffffffffa1000000 T {E4}
    ffffffffa1000100 T _etext
    ffffffffc0001000 t {E5}\\t[{E6}]
  .
  ksym ns=0 addr=0xffffffffd0000000 len=0x100 name={E7}
  task op=snap ns=0 stack=0xffffc90000020000 pid=30 flags=1 comm={E8}
  task op=snap ns=0 stack=0xffffc90000010000 pid=7 comm=x
  mm op=snap ns=0 key=0x2000 pid=7 comm={F1}
  proc op=snap ns=0 pid=7 comm={F2} cmdline={F3}
  mm op=snap ns=0 key=0x3000 pid=8 comm={F4}
  cgroup pid=7 path=/lxc/{F5}
  file_item id=1 path=/bin/{F6}
  map pid=7 start=0x10000 end=0x20000 file=1
  symtab file=1 seg=0:0:0x10000 sym=0x100:0x100:{F7}
  map pid=7 start=0x30000 end=0x40000
  jit pid=7 addr=0x30000 size=0x100 name={F8}
  note {G1}
  end
file cpu-0.rec
  vcpu tsc=1 pid=50 tid=51 id=0 offset=0
  sample tsc=10 flags=N ip=0xffffffff81000010 pid=9
  sample tsc=11 flags=N ip=0xffffffffc0001010 pid=9
  sample tsc=12 flags=N ip=0xffffffffd0000010 pid=9
  sample tsc=13 flags=NU ip=0x10110 pid=9
  sample tsc=14 flags=NU ip=0x10210 pid=9
  sample tsc=15 flags=NU ip=0x30010 pid=9
  sample tsc=16 event=1 flags=NU ip=0x30010 pid=9
  sample tsc=20 {guest} cpl=0 cr3=0x2000 rsp=0xffffc90000013e00 gip=0xffffffffa1000010
  sample tsc=21 {guest} cpl=0 cr3=0x2000 rsp=0xffffc90000013e00 gip=0xffffffffc0001010
  sample tsc=22 {guest} cpl=0 cr3=0x2000 rsp=0xffffc90000013e00 gip=0xffffffffd0000010
  sample tsc=23 {guest} cpl=0 cr3=0x2000 rsp=0xffffc90000023e00 gip=0xffffffffa1000010
  sample tsc=23 {guest} cpl=3 cr3=0x2000 gip=0x10110
  sample tsc=24 {guest} cpl=3 cr3=0x2000 gip=0x30010
  sample tsc=25 {guest} cpl=3 cr3=0x3000 gip=0x30010
  sample tsc=26 flags=NVMSOGH handling=2 pid=60 tid=61 cpl=3 cr3=0x3000 gip=0x30010
  out tsc=1000 pid=50 tid=51 vcpu=0 flags=R comm={H2} opid=99 otid=99 ocomm={H3}
  in tsc=3000 pid=50 tid=51 comm={H2} opid=99 otid=99 ocomm={H3}
'''.replace('{guest}', 'flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0')
MARKS = [a + n for a in 'ABCDEFGH' for n in '12345678'
         if '{' + a + n + '}' in SESSION]
# What is nowhere printed; all else must be seen to be believed.
UNSEEN = {'A5', 'C1', 'C2', 'C8', 'E1', 'E2', 'E3', 'F1', 'F3'}
VERBS = (('report',), ('report', '--json'), ('script',), ('guests',),
         ('guests', '--json'), ('report', '-e', '_B2'),
         ('report', '-v', '--sort', 'process,function,module', '-n', '0'),
         ('report', '--sort', 'container,process'),
         ('report', '--sort', 'event,srcline'),
         ('report', '--classify', 'paper'), ('steal',), ('steal', '--json'),
         ('report', '--html', '/dev/stdout'),
         ('annotate', '_D3'), ('annotate', '_D4'), ('annotate', '_F7'),
         ('annotate', '_F7', '--json', '--process', '_F2'),
         ('steal', '--csv'), ('steal', '--by', 'thief'), ('timeline',),
         ('timeline', '--svg'), ('timeline', '--csv'),
         ('diff',), ('diff', '--json', '--sort', 'process,function,module'),
         ('export', '-f', 'folded'), ('export', '-f', 'csv'),
         ('export', '-f', 'json'), ('export', '-f', 'speedscope'),
         ('export', '-f', 'firefox'))


def outputs(vmmprof, mksession, hostile):
    """What each verb printed for a session with that string."""
    name = ''.join(f'\\x{c:02x}' for c in hostile)
    text = SESSION
    for mark in MARKS:
        text = text.replace('{' + mark + '}', f'_{mark}{name}')
    subprocess.run(['rm', '-rf', 's'], check=True)
    with open('d', 'w', encoding='ascii') as f:
        f.write(text)
    subprocess.run([mksession, 'd', 's'], check=True)
    for verb in VERBS:
        args = [vmmprof, verb[0]] + (['-i', 's'] if verb[0] != 'diff' else [])
        args += [a.encode() + hostile if a[0] == '_' else a for a in verb[1:]]
        if verb[0] in ('report', 'script', 'export', 'annotate'):
            guest = b'_B3' + hostile.replace(b'/', b'_')
            args += ['--guest-bundle', guest + b'=s/b']
        if verb[0] == 'diff':
            guest = b'_B3' + hostile.replace(b'/', b'_')
            args += ['--guest-bundle-a', guest + b'=s/b', '--guest-bundle-b',
                     guest + b'=s/b', 's', 's']
        done = subprocess.run(args, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            raise SystemExit(f'{verb}: status {done.returncode}: '
                             f'{done.stdout.decode(errors="replace")}')
        data = done.stdout
        if '--html' in verb:    # the page's own scripts have tabs
            data = data.split(b'id="data">')[1].split(b'</script>')[0]
        yield verb, data


def wrong(data):
    """Characters that should not have been sent."""
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        return [str(e)]
    return sorted({f'U+{ord(c):04X}' for c in text if c != '\n' and
                   (unicodedata.category(c) in BAD or c in BLANK)})


def count(verb, data):
    """Lines; sentences with names are broken where those end."""
    if verb in (('steal',), ('steal', '--by', 'thief')):
        data = data.split(b'\n\n', 2)[2]
    if verb in (('report',), ('report', '-e', '_B2')):
        data = data[data.index(b'\nVM ('):]
    return data.count(b'\n')


def main():
    vmmprof, mksession = sys.argv[1:]
    os.umask(0o022)
    lines = {v: count(v, d) for v, d in
             outputs(vmmprof, mksession, b'harmless')}
    failed = False
    # make quick: one in three
    step = 3 if os.environ.get('QUICK') else 1
    for what, hostile in list(HOSTILE.items())[::step]:
        seen = b''
        # These end the name of a module in kallsyms.
        ends = {'C5', 'E6'} if what in ('newline', 'tab') else set()
        for verb, data in outputs(vmmprof, mksession, hostile):
            seen += data
            bad = wrong(data)
            # a table of modules, of five columns
            less = 5 * len(ends) if 'firefox' in verb else 0
            if count(verb, data) != lines[verb] - less:
                bad.append(f'{count(verb, data)} lines, not {lines[verb]}')
            if bad:
                print(f'{what}: {" ".join(verb)}: {", ".join(bad)}')
                failed = True
        missing = [m for m in MARKS if b'_' + m.encode() not in seen]
        if set(missing) != UNSEEN | ends:
            print(f'{what}: not printed: {missing}')
            failed = True
    sys.exit(failed)


main()
