#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mksession.py DESCRIPTION DIR: write a synthetic session directory.

DESCRIPTION is text, one item a line, '#' begins a comment; DIR must not be
there.  Words are KEY=VALUE with Python's number syntax; \\xNN in a value is a
byte, %20 a space.  A line belongs to the file that the last FILE line named:

  file info                    DIR/info (kind INFO)
    text KEY=VALUE...          one TEXT item with a line for each
    event index= name= [type= config= period= flags=]
    vm pid= name= [nr_vcpus=]  vcpu pid= tid= id= comm=
    guest pid= name=           cpu cpu= samples= [lost= lost_other=]
    stop start= stop= [reason=]
    widened tsc= until= factor= [cpu=] [spent=] [limit=]
    reach pid= how= [error= begin= end= sent= received= text=]
    memory pid= [error= tsc= took= reads= bytes= processes= threads= mappings=
           files= modules= flags= text=]
    vcpu_state pid= tid= when=start|stop state=unknown|runnable|halted|asleep
               tsc= [run= delay= slices= throttled= nr_throttled=]
    switches [on=1 error=0]    exits [on=1 error=0 missed=0]
    exit pid= id= [tid= reason= open=] counts=N:TICKS[,...]: N of that time each
    clock tsc= mono= [real=]   note TEXT...      end
  file host | guests/NAME.bundle | any path (kind MAPS)
    text, clock, note, end     as above
    kallsyms, modules          the lines up to a line '.' are their text
    mm op= ns= key= pid= [tid= comm=]       op: snap fork exec rename drop init
    proc op= ns= pid= [ppid= comm= cmdline= flags=]
    map pid= start= end= [ns= pgoff= file=]
    file_item id= path= [flags= build_id=]
    symtab file= seg=OFF:VADDR:SIZE[,...] sym=ADDR:SIZE:NAME[,...]
    task op= ns= stack= pid= [tid= flags= comm=]
    jit pid= addr= size= name= [ns= source=]
    cgroup pid= path= [ns=]                 ksym addr= len= name= [ns= flags=]
    cputime ns= [cpu= user= system= idle= irq= steal=]
    code addr= bytes=HEX [file= ns= flags=]   file=: of it, else the kernel's
    unwind rows=ADDR:RULE[,...] end= [file=]  file=: of it, else the kernel's
           RULE: FROM+CFA[/BP] with FROM sp, bp, *sp, *bp, plt and BP the offset
           from the CFA; regs+CFA, iret+CFA, signal+CFA from sp; end;
           none
    image pid= mm= [ns= until= start=]
    lost count= [what=]
  file cpu-N.rec               kind RECORDS
    sample tsc= [flags=LETTERS pid= tid= ip= period= gip= cr3= rsp= exit=
           intr= cpl= vcpu= vpid= event= handling= preempt= who=ID
           repeat=N step=TSC]
           LETTERS as `vmmprof script` prints them
    identity tsc= id= pid= tgid= [tid= mm= start= comm= flags=sample,kthread,start]
    lost tsc= lost= [other= first= last= names=1 chains=1]
    chain tsc= [flags=LETTERS id= kernel=ADDR,... kend=N user=ADDR,... uend=N
           stack=HEX bp= sp= top=WORD,WORD nkernel= nuser= nstack=
           gip= cr3= rsp= cpl=]
           LETTERS: G the guest, R no data, that of the id, W words, S with
           registers, O of an OUT record; of R the counts are nkernel= nuser=.
           With gip= it has the guest's state.
           `sample ... chains=N`: the N lines behind it are its chains and
           those of its repetitions, without tsc=
    throttle tsc= event=       vcpu tsc= pid= tid= id= offset= [ratio= frac= vpid=
                                    controls=, of SVM intercepts=]
    out, in, switch tsc= pid= [tid= vcpu= flags=LETTERS mp= exit= comm=
                    opid= otid= ocomm= cpu=]
    wake, migrate tsc= pid= [tid= vcpu= flags=LETTERS cpu= from= opid= otid=]
           LETTERS: V a vCPU is loaded, R runnable, M exit reason valid, I from
           an interrupt; V is set where vcpu= is given to an OUT, IN or SWITCH
    raw HEX                    these bytes

In any file: `header FIELD=VALUE` (version min_version kind hdr_size) before
its first item.
"""
import os
import shlex
import struct
import sys

OPS = {'snap': 1, 'fork': 2, 'exec': 3, 'rename': 4, 'drop': 5, 'init': 6}
FLAGS = {c: 1 << i for i, c in enumerate('NUIVMSOG2WPHFR')}
CHAIN_FLAGS = {c: 1 << i for i, c in enumerate('GRWSOT')}
WAKE_FLAGS = {c: 1 << i for i, c in enumerate('VRMI')}
SWITCHES = {'out': 16, 'in': 18, 'switch': 20}
WAKES = {'wake': 17, 'migrate': 19}
STATES = ['unknown', 'runnable', 'halted', 'asleep']
INFO, RECORDS, MAPS = 1, 2, 3
NONE = 0xffffffff


def unescape(text):
    return text.replace('%20', ' ').encode().decode(
        'unicode_escape').encode('latin-1') if '\\x' in text \
        else text.replace('%20', ' ').encode()


class Words(dict):
    def num(self, key, default=0):
        return int(self[key], 0) if key in self else default

    def raw(self, key, default=''):
        return unescape(self.get(key, default))


def item(kind, body):
    data = struct.pack('<II', kind, 8 + len(body)) + body
    return data + bytes(-len(data) % 8)


def common(word, w, rest):
    if word == 'text':
        return item(1, b''.join(k.encode() + b'=' + unescape(v) + b'\n'
                                for k, v in w.items()))
    if word == 'clock':
        return item(2, struct.pack('<QQQ', w.num('tsc'), w.num('mono'),
                                   w.num('real')))
    if word == 'note':
        return item(3, unescape(' '.join(rest)) + b'\0')
    return None


def exit_item(w):
    each = [[int(x, 0) for x in c.split(':')]
            for c in w.get('counts', '').split(',') if c]
    times = [t for n, t in each if n]
    counts = [0] * 48
    for n, ticks in each:
        counts[min(ticks.bit_length(), 47)] += n
    return item(26, struct.pack('<IIIIQQQQ48Q', w.num('pid'),
                                w.num('tid', w.num('pid')), w.num('id'),
                                w.num('reason', NONE),
                                min(sum(n * t for n, t in each), 2**64 - 1),
                                min(times, default=0), max(times, default=0),
                                w.num('open'), *counts))


def info_item(word, w):
    if word == 'event':
        return item(16, struct.pack('<IIQQII', w.num('index'), w.num('type'),
                                    w.num('config'), w.num('period'),
                                    w.num('flags'), 0) + w.raw('name') + b'\0')
    if word == 'vm':
        return item(17, struct.pack('<IIQ', w.num('pid'), w.num('nr_vcpus'),
                                    w.num('tsc')) + w.raw('name') + b'\0')
    if word == 'vcpu':
        return item(18, struct.pack('<IIII16s', w.num('pid'), w.num('tid'),
                                    w.num('id'), 0, w.raw('comm')))
    if word == 'guest':
        return item(19, struct.pack('<II', w.num('pid'), 0) + w.raw('name') +
                    b'\0')
    if word == 'cpu':
        stat = struct.pack('<IIQQQQII', 368, w.num('cpu'), w.num('samples'),
                           w.num('lost'), w.num('lost_other'), 0, 1, 1)
        return item(20, stat.ljust(368, b'\0'))
    if word == 'widened':
        return item(28, struct.pack('<QQIIII', w.num('tsc'), w.num('until'),
                                    w.num('factor'), w.num('cpu'),
                                    w.num('spent'), w.num('limit')))
    if word == 'stop':
        return item(21, struct.pack('<QQIi', w.num('start'), w.num('stop'),
                                    w.num('reason', 1), 0))
    if word == 'reach':
        return item(22, struct.pack('<IIiIQQQQ', w.num('pid'), w.num('how'),
                                    w.num('error'), 0, w.num('begin'),
                                    w.num('end'), w.num('sent'),
                                    w.num('received')) + w.raw('text') +
                    b'\0')
    if word == 'memory':
        return item(27, struct.pack('<IiQQQQIIIIII', w.num('pid'),
                                    w.num('error'), w.num('tsc'),
                                    w.num('took'), w.num('reads'),
                                    w.num('bytes'), w.num('processes'),
                                    w.num('threads'), w.num('mappings'),
                                    w.num('files'), w.num('modules'),
                                    w.num('flags')) + w.raw('text') + b'\0')
    if word == 'vcpu_state':
        return item(23, struct.pack('<IIIIQQQQQII', w.num('pid'), w.num('tid'),
                                    ['start', 'stop'].index(w['when']),
                                    STATES.index(w['state']), w.num('tsc'),
                                    w.num('run'), w.num('delay'),
                                    w.num('slices'), w.num('throttled'),
                                    w.num('nr_throttled'), 0))
    if word == 'switches':
        return item(24, struct.pack('<II', w.num('on', 1), w.num('error')))
    if word == 'exits':
        return item(25, struct.pack('<IIQ', w.num('on', 1), w.num('error'),
                                    w.num('missed')))
    if word == 'exit':
        return exit_item(w)
    raise SystemExit(f'no item {word!r} in info')


def symtab(w):
    segs = [s.split(':') for s in w.get('seg', '').split(',') if s]
    syms = [s.split(':', 2) for s in w.get('sym', '').split(',') if s]
    strings, body = b'\0', b''
    for off, vaddr, size in segs:
        body += struct.pack('<QQQ', int(off, 0), int(vaddr, 0), int(size, 0))
    for addr, size, name in syms:
        body += struct.pack('<QII', int(addr, 0), int(size, 0), len(strings))
        strings += unescape(name) + b'\0'
    return item(22, struct.pack('<IIII', w.num('file'), len(segs), len(syms),
                                len(strings)) + body + strings)


FROM = {'sp': 0, 'bp': 1, '*sp': 2, '*bp': 3, 'plt': 4}


def rule(text):
    """struct vmmprof_unwind_rule of a RULE."""
    if text in ('end', 'none'):
        return struct.pack('<iiBBBB', 0, 0, 5 if text == 'end' else 0, 0, 0, 0)
    text, _, bp = text.partition('/')
    start, _, cfa = text.partition('+')
    kind = {'regs': 2, 'iret': 3, 'signal': 4}.get(start, 1)
    return struct.pack('<iiBBBB', int(cfa, 0), int(bp or '0', 0), kind,
                       FROM.get(start, 0), 1 if bp else 0, kind != 1)


def uleb(n):
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def unwind(w):
    rows = [r.split(':', 1) for r in w['rows'].split(',')]
    rules = list(dict.fromkeys(rule(r) for _, r in rows))
    start = at = int(rows[0][0], 0)
    body = b''
    for addr, text in rows:
        body += uleb(int(addr, 0) - at) + uleb(rules.index(rule(text)))
        at = int(addr, 0)
    return item(30, struct.pack('<IIQQII', w.num('file', NONE), 0, start,
                                w.num('end'), len(rules), len(rows)) +
                b''.join(rules) + body)


def maps_item(word, w):
    if word == 'mm':
        pid = w.num('pid')
        return item(18, struct.pack('<QQIIII16s', w.num('ns'), w.num('key'),
                                    OPS[w['op']], pid, w.num('tid', pid), 0,
                                    w.raw('comm')))
    if word == 'proc':
        return item(19, struct.pack('<QIIII16s', w.num('ns'), OPS[w['op']],
                                    w.num('pid'), w.num('ppid'),
                                    w.num('flags'), w.raw('comm')) +
                    w.raw('cmdline') + b'\0')
    if word == 'map':
        return item(20, struct.pack('<QQQQII', w.num('ns'), w.num('start'),
                                    w.num('end'), w.num('pgoff'), w.num('pid'),
                                    w.num('file', NONE)))
    if word == 'file_item':
        bid = bytes.fromhex(w.get('build_id', ''))
        return item(21, struct.pack('<IIQQ20sB3s', w.num('id'), w.num('flags'),
                                    0, 0, bid, len(bid), b'') +
                    w.raw('path') + b'\0')
    if word == 'symtab':
        return symtab(w)
    if word == 'unwind':
        return unwind(w)
    if word == 'lost':
        return item(23, struct.pack('<QII', w.num('count'), w.num('what', 1),
                                    0))
    if word == 'task':
        pid = w.num('pid')
        return item(24, struct.pack('<QQIIII16s', w.num('ns'), w.num('stack'),
                                    OPS[w['op']], pid, w.num('tid', pid),
                                    w.num('flags'), w.raw('comm')))
    if word == 'jit':
        return item(25, struct.pack('<QQQII', w.num('ns'), w.num('addr'),
                                    w.num('size'), w.num('pid'),
                                    w.num('source', 1)) + w.raw('name') +
                    b'\0')
    if word == 'cgroup':
        return item(26, struct.pack('<QII', w.num('ns'), w.num('pid'), 0) +
                    w.raw('path') + b'\0')
    if word == 'ksym':
        return item(27, struct.pack('<QQII', w.num('ns'), w.num('addr'),
                                    w.num('len'), w.num('flags')) +
                    w.raw('name') + b'\0')
    if word == 'cputime':
        return item(28, struct.pack('<QIIQQQQQ', w.num('ns'), w.num('cpu'), 0,
                                    w.num('user'), w.num('system'),
                                    w.num('idle'), w.num('irq'),
                                    w.num('steal')))
    if word == 'code':
        return item(29, struct.pack('<QQII', w.num('ns'), w.num('addr'),
                                    w.num('file', NONE), w.num('flags')) +
                    bytes.fromhex(w['bytes']))
    if word == 'image':
        return item(31, struct.pack('<QQQQII', w.num('ns'), w.num('until'),
                                    w.num('mm'), w.num('start'), w.num('pid'),
                                    0))
    raise SystemExit(f'no item {word!r} in a map file')


def sample(w, cpu):
    flags = sum(FLAGS[c] for c in w.get('flags', '') if c != '-')
    before = struct.pack('<HHI', 1, 96, flags)
    after = struct.pack('<IIQQQQIIIIHBBIQII',
                        w.num('pid'), w.num('tid', w.num('pid')),
                        w.num('ip'), w.num('period', 1000000),
                        w.num('gip'), w.num('cr3'), w.num('exit'),
                        w.num('intr'), w.num('cpl') << 5,
                        w.num('vcpu', 0 if 'V' in w.get('flags', '')
                              else NONE),
                        w.num('vpid'), w.num('event'), w.num('handling'),
                        w.num('cpu', cpu), w.num('rsp'), w.num('preempt'),
                        w.num('who'))
    tsc, step = w.num('tsc'), w.num('step', 1000)
    return b''.join(before + struct.pack('<Q', tsc + i * step) + after
                    for i in range(w.num('repeat', 1)))


def identity(w):
    flags = {'sample': 1, 'kthread': 2, 'start': 4}
    return struct.pack('<HHIQIIIIQQ16s', 6, 64,
                       sum(flags[f] for f in w.get('flags', '').split(',') if f),
                       w.num('tsc'), w.num('id'), w.num('pid'), w.num('tgid'),
                       w.num('tid', w.num('tgid')), w.num('mm'),
                       w.num('start'), w.raw('comm'))


def numbers(text):
    return [int(x, 0) for x in text.split(',') if x]


def chain(w, shift=0):
    flags = sum(CHAIN_FLAGS[c] for c in w.get('flags', '') if c != '-')
    kernel, user = numbers(w.get('kernel', '')), numbers(w.get('user', ''))
    stack = bytes.fromhex(w.get('stack', ''))
    body = b''
    if flags & CHAIN_FLAGS['S']:
        body += struct.pack('<QQQQ', w.num('bp'), w.num('sp'),
                            *numbers(w.get('top', '0,0')))
    if 'gip' in w:
        flags |= CHAIN_FLAGS['T']
        body += struct.pack('<QQQII', w.num('gip'), w.num('cr3'), w.num('rsp'),
                            w.num('cpl') << 5, 0)
    if not flags & CHAIN_FLAGS['R']:
        body += struct.pack(f'<{len(kernel + user)}Q', *kernel, *user) + stack
    body += bytes(-len(body) % 16)
    return struct.pack('<HHIQIHHBBHI', 5, 32 + len(body), flags,
                       w.num('tsc') + shift, w.num('id'),
                       w.num('nkernel', len(kernel)),
                       w.num('nuser', len(user)), w.num('kend'),
                       w.num('uend'), 0, w.num('nstack', len(stack))) + body


def with_chains(samples, chains, step):
    """Each of the samples, which have 96 bytes, with its chains."""
    return b''.join(samples[i:i + 96] + b''.join(
        chain(w, i // 96 * step) for w in chains)
        for i in range(0, len(samples), 96))


def wake_flags(w):
    return sum(WAKE_FLAGS[c] for c in w.get('flags', '') if c != '-')


def switch(word, w, cpu):
    flags = wake_flags(w) | ('vcpu' in w)
    return struct.pack('<HHIQIIIIIIII16s16s', SWITCHES[word], 80, flags,
                       w.num('tsc'), w.num('pid'),
                       w.num('tid', w.num('pid')), w.num('vcpu', NONE),
                       w.num('cpu', cpu), w.num('mp'), w.num('exit'),
                       w.num('opid'), w.num('otid', w.num('opid')),
                       w.raw('comm'), w.raw('ocomm'))


def wake(word, w, cpu):
    return struct.pack('<HHIQIIIIIIII', WAKES[word], 48, wake_flags(w),
                       w.num('tsc'), w.num('pid'),
                       w.num('tid', w.num('pid')), w.num('vcpu', NONE),
                       w.num('cpu', cpu), w.num('from', cpu), w.num('opid'),
                       w.num('otid', w.num('opid')), 0)


def record(word, w, cpu, rest):
    if word == 'sample':
        return sample(w, cpu)
    if word == 'lost':
        return struct.pack('<HHIQQQQQ', 2, 48,
                           w.num('names') | w.num('chains') << 1, w.num('tsc'),
                           w.num('lost'), w.num('first'), w.num('last'),
                           w.num('other'))
    if word == 'throttle':
        return struct.pack('<HHIQIIQ', 3, 32, 0, w.num('tsc'), w.num('event'),
                           cpu, 0)
    if word == 'vcpu':
        ratio = w.num('ratio')
        flags = (3 if ratio else 1) | (4 if 'controls' in w else
                                       8 if 'intercepts' in w else 0)
        return struct.pack('<HHIQIIIIQQIIII', 4, 64, flags,
                           w.num('tsc'), w.num('pid'), w.num('tid'),
                           w.num('id'), w.num('vpid'),
                           w.num('offset') & (1 << 64) - 1, ratio,
                           w.num('frac', 48), cpu,
                           w.num('controls', w.num('intercepts')), 0)
    if word == 'chain':
        return chain(w)
    if word == 'identity':
        return identity(w)
    if word in SWITCHES:
        return switch(word, w, cpu)
    if word in WAKES:
        return wake(word, w, cpu)
    if word == 'raw':
        return bytes.fromhex(''.join(rest))
    raise SystemExit(f'no record {word!r}')


class File:
    def __init__(self, path):
        self.path, self.items, self.data = path, 0, bytearray()
        name = os.path.basename(path)
        self.cpu = 0
        if name == 'info':
            self.kind = INFO
        elif name.startswith('cpu-') and name.endswith('.rec'):
            self.kind, self.cpu = RECORDS, int(name[4:-4])
        else:
            self.kind = MAPS
        self.chains = 0  # of the sample before, to come
        self.hdr = {'kind': self.kind, 'version': 2, 'min_version': 2,
                    'hdr_size': 32}

    def add(self, word, w, rest, text):
        if self.kind == RECORDS:
            self.add_record(word, w, rest)
            return
        data = common(word, w, rest)
        if word == 'end':
            data = item(4, struct.pack('<Q', self.items))
        elif word in ('kallsyms', 'modules'):
            data = item({'kallsyms': 16, 'modules': 17}[word], text)
        elif data is None:
            data = (info_item if self.kind == INFO else maps_item)(word, w)
        self.data += data
        self.items += 1

    def add_record(self, word, w, rest):
        if word == 'chain' and self.chains:
            self.of_sample.append(Words(w, tsc=self.sample['tsc']))
            self.chains -= 1
            if self.chains:
                return
            s = self.sample
            self.data += with_chains(sample(s, self.cpu), self.of_sample,
                                     s.num('step', 1000))
        elif word == 'sample' and 'chains' in w:
            self.sample, self.of_sample = w, []
            self.chains = w.num('chains')
        else:
            self.data += record(word, w, self.cpu, rest)

    def write(self, top):
        h = self.hdr
        path = os.path.join(top, self.path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as out:
            out.write(struct.pack('<8sHHHHIIQ', b'VMMPROF\n', h['kind'],
                                  h['version'], h['min_version'],
                                  h['hdr_size'], 0, self.cpu, 0))
            out.write(self.data)


def parse(lines, top):
    now = None
    lines = iter(lines)
    for line in lines:
        words = shlex.split(line, comments=True) if '\\x' not in line \
            else line.split()
        if not words:
            continue
        word, rest = words[0], words[1:]
        if word == 'file':
            if now:
                now.write(top)
            now = File(rest[0])
            continue
        text = bytearray()
        if word in ('kallsyms', 'modules'):
            for row in lines:
                if row.strip() == '.':
                    break
                text += unescape(row.strip('\n').lstrip(' ')
                                 .replace('\\t', '\t')) + b'\n'
        w = Words(x.split('=', 1) for x in rest if '=' in x)
        if word == 'header':
            now.hdr.update((k, int(v, 0)) for k, v in w.items())
        else:
            now.add(word, w, rest, text)
    if now:
        now.write(top)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__.split('\n\n')[0])
    os.makedirs(sys.argv[2])
    with open(sys.argv[1], encoding='utf-8') as f:
        parse(f, sys.argv[2])


if __name__ == '__main__':
    main()
