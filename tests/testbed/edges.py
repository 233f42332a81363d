#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""edges.py VMMPROF SESSION DIR...: each two adjacent frames of all call chains of a session against the code.

A return address has to be behind a call, and what is called has to be the function of the frame above: by a direct
call its entry, or a function that jumps there (a tail call, a stub of the PLT, the cold part of a function); by an
indirect call any.  Code that was interrupted stands below the kernel's entry for it, code that made a system call is
behind SYSCALL.

DIR...: where the programs are; in the first one host.kcode and GUEST.kcode, the running kernels' code (workloads/kcode.c).
Functions and mappings are those of the session.
"""
import bisect
import collections
import glob
import os
import re
import struct
import subprocess
import sys
import tempfile

KALLSYMS, MAP, FILE, SYMTAB = 16, 20, 21, 22
NONE = 0xffffffff
HALF = 1 << 63
# Entries of the kernel: below them is what was interrupted, and no caller.
ENTRY = re.compile(r'(?:^| )(?:asm_|error_|paranoid_|common_interrupt|swapgs_restore_|restore_regs_|native_i|early_xen_iret|'
                   r'entry_SYSCALL_compat|ret_from_fork|irq_entries_start|spurious_entries_start)')
# What a return jumps to on some CPUs of AMD: above it is whoever returns.
RETURN = re.compile(r'(.* )?(srso_|retbleed_)')
THUNK = re.compile(r'(.* )?__x86_(indirect|retpoline)_')
START_CONTEXT = b'\x48\x89\xdc\x48\x8b\x3c\x24'          # of the C library: what makecontext() returns to
SIGRETURN = b'\x48\xc7\xc0\x0f\0\0\0\x0f\x05'     # of the C library: mov $15,%rax; syscall
DEPTH = 6                      # jumps from what is called to the function of the frame
INSN = re.compile(r' *([0-9a-f]+):\t(.*)')
JUMP = re.compile(r'(?:notrack |bnd |addr32 |ds |cs |data16 |rex.W )*(call|jmp|j[a-z]+|loop[a-z]*)[ql]? +(\*)?(?:0x([0-9a-f]+))?')


class Place:
    """Code of one file or kernel: its functions' beginnings, its bytes."""
    def __init__(self, starts, names, read):
        self.starts, self.names, self.read, self.done = starts, names, read, {}

    def bounds(self, at):
        i = bisect.bisect_right(self.starts, at) - 1
        if i < 0:
            return None
        return self.starts[i], self.starts[i + 1] if i + 1 < len(self.starts) else self.starts[i] + 4096

    def function(self, at):
        b = self.bounds(at)
        return b and b[0]

    def name(self, at):
        start = self.function(at)
        return self.names.get(start) or (f'{start:x}' if start is not None else '?')

    def disassemble(self, wanted):
        """Of the functions that begin at each of wanted: (address, end, call or jump, indirect, target) of each instruction."""
        wanted = [w for w in wanted if w is not None and w not in self.done]
        image, pieces = b'', []
        for start in wanted:
            self.done[start] = []
            first, end = self.bounds(start)
            code = self.read(first, min(end - first, 1 << 20))
            if code:
                pieces.append((len(image), start))
                image += code + b'\x90' * 16
        if not pieces:
            return
        with tempfile.NamedTemporaryFile() as f:
            f.write(image)
            f.flush()
            out = subprocess.run(['objdump', '-D', '-z', '-w', '--no-show-raw-insn', '-b', 'binary', '-m', 'i386:x86-64', f.name],
                                 check=True, text=True, stdout=subprocess.PIPE).stdout
        found = [(int(m[1], 16), m[2]) for m in map(INSN.match, out.splitlines()) if m]
        offsets = [p[0] for p in pieces]
        for (at, text), following in zip(found, [f[0] for f in found[1:]] + [len(image)]):
            offset, start = pieces[bisect.bisect_right(offsets, at) - 1]
            m = JUMP.match(text)
            what, indirect, target = (m[1], bool(m[2]), m[3]) if m else (text.split(' ')[0], False, None)
            move = start - offset
            self.done[start].append((at + move, following + move, what, indirect,
                                     int(target, 16) + move & 2 ** 64 - 1 if target and not indirect else None))

    def ends_at(self, at):
        """The instruction that ends at at, or None."""
        return next((i for i in self.done.get(self.function(at - 1), ()) if i[1] == at), None)

    def begins_at(self, at):
        return any(i[0] == at for i in self.done.get(self.function(at), ()))

    def leaves(self, start):
        """Where the function that begins at start jumps to beyond itself; None among it: anywhere."""
        b = self.bounds(start)
        self.disassemble([b[0]])
        code, to = [i for i in self.done[b[0]] if start <= i[0] < b[1]], set()
        for at, _, what, indirect, target in code:
            if what == 'jmp' and indirect:
                to.add(None)
            elif what[0] == 'j' and target is not None:
                to.add(None if THUNK.match(self.name(target)) else target)
        last = [i for i in code if i[2] not in ('nop', 'nopw', 'nopl', 'int3', 'xchg', 'cs', 'data16')]
        if last and last[-1][2] not in ('jmp', 'ret', 'retq', 'ud2', 'call', 'iretq'):
            to.add(b[1])
        return {t for t in to if t is None or not b[0] <= t < b[1]}

    def reaches(self, start, function):
        """How the function that begins at start comes to function by jumps; None: not at all."""
        seen, now = {start}, {start}
        for _ in range(DEPTH):
            to = set().union(*(self.leaves(s) for s in now))
            if any(t is not None and self.function(t) == function for t in to):
                return 'tail call'
            if None in to:
                return 'indirect tail call'
            now = {t for t in to if self.function(t) is not None} - seen
            seen |= now
        return None


def text_symbols(text):
    syms = sorted((int(f[0], 16), f[2]) for f in map(str.split, text.splitlines()) if len(f) >= 3 and f[1] in 'tTwW')
    names = collections.defaultdict(list)
    for addr, name in syms:
        names[addr].append(name)
    return sorted(names), {addr: ' '.join(names[addr]) for addr in names}


class Machine:
    """The host or a guest: what its file of the session has, and code."""
    def __init__(self, path, dirs, name):
        data, at = open(path, 'rb').read(), 32
        self.maps, self.files, self.places, self.missing = [], {}, {}, collections.Counter()
        self.dirs, self.is_host, tables = dirs, name == 'host', {}
        while at + 8 <= len(data):
            kind, size = struct.unpack_from('<II', data, at)
            body = data[at:at + size]
            if kind == KALLSYMS:
                kallsyms = body[8:].rstrip(b'\0').decode(errors='replace')
            elif kind == MAP:
                self.maps.append(struct.unpack_from('<QQQQII', body, 8)[1:])
            elif kind == FILE:
                path = body[56:].split(b'\0')[0].decode(errors='replace')
                self.files[struct.unpack_from('<I', body, 8)[0]] = path, body[32:32 + body[52]]
            elif kind == SYMTAB:
                tables[struct.unpack_from('<I', body, 8)[0]] = body
            at += size + 7 & ~7
        self.tables, self.kernel = tables, self.kernel_place(kallsyms, f'{dirs[0]}/{name}.kcode')

    def kernel_place(self, kallsyms, path):
        ranges, data, at = [], open(path, 'rb').read(), 0
        while at + 16 <= len(data):
            start, size = struct.unpack_from('<QQ', data, at)
            ranges.append((start, size, at + 16))
            at += 16 + size
        ranges.sort()

        def read(addr, size):
            for start, length, off in ranges:
                if start <= addr < start + length:
                    return data[off + addr - start:off + addr - start + min(size, start + length - addr)]
            return b''
        return Place(*text_symbols(kallsyms), read)

    def content(self, path, build_id):
        """Of the file with the build-id, b'' if it is not at hand."""
        name = os.path.basename(path)
        if self.is_host:
            subprocess.run([os.path.dirname(os.path.abspath(__file__)) + '/files_of_host', self.dirs[0], path], check=True)
        for d in self.dirs:
            if os.path.exists(f'{d}/{name}'):
                data = open(f'{d}/{name}', 'rb').read()
                if build_id in data:
                    return data
        return b''

    def file_place(self, ident):
        """With the file's segments; None without its code."""
        if ident in self.places:
            return self.places[ident]
        self.places[ident] = None
        data = self.content(*self.files[ident])
        if not data or ident not in self.tables:
            return None
        t = self.tables[ident]
        nseg, nsym, nstr = struct.unpack_from('<III', t, 12)
        segments = [struct.unpack_from('<QQQ', t, 24 + 24 * i) for i in range(nseg)]
        base = 24 + 24 * nseg
        syms = [struct.unpack_from('<QII', t, base + 16 * i) for i in range(nsym)]
        strings = t[base + 16 * nsym:]

        def read(addr, size):
            for off, vaddr, length in segments:
                if vaddr <= addr < vaddr + length:
                    return data[off + addr - vaddr:off + addr - vaddr + min(size, vaddr + length - addr)]
            return b''
        place = Place(sorted({s[0] for s in syms}),
                      {s[0]: strings[s[2]:strings.index(b'\0', s[2])].decode(errors='replace') for s in syms}, read)
        self.places[ident] = place, segments
        return self.places[ident]

    def find(self, addr, pid, module):
        """Place and its own address of addr."""
        if addr >= HALF:
            if self.kernel.read(addr, 1):
                return self.kernel, addr
            self.missing[module] += 1
            return None
        here = [m for m in self.maps if m[0] <= addr < m[1] and
                os.path.basename(self.files.get(m[4], ('',))[0]) == module]
        here = [m for m in here if m[3] == pid] or here
        got = here and self.file_place(here[-1][4])
        if got:
            offset = addr - here[-1][0] + here[-1][2]
            for off, vaddr, length in got[1]:
                if off <= offset < off + length:
                    return got[0], offset - off + vaddr
        self.missing[module] += 1
        return None


FRAME = re.compile(r'\s+([0-9a-f]+) (.*) \((.*)\)$')
Frame = collections.namedtuple('Frame', 'address pid module name')


def machine_chains(vmmprof, session):
    """(machine, [Frame], exited) of all samples, innermost first; None among them: some are missing.

    exited: the guest's frames of a sample in exit handling.
    """
    out = subprocess.run([vmmprof, 'script', '-i', session, '-g'], check=True, text=True, stdout=subprocess.PIPE,
                         errors='replace').stdout
    # A sample in exit handling does not say of whom.
    guests = dict(re.findall(r'^type=sample.* pid=(\d+) .* guest=(\S+) vcpu', out, re.M))
    for block in out.split('\ntype=')[1:]:
        head, *lines = block.split('\n')
        if not head.startswith('sample'):
            continue
        word = dict(w.split('=', 1) for w in head.split(' ') if '=' in w)
        guest = word['mode'].startswith('guest')
        where, pid, frames = word.get('guest') if guest else 'host', int(word.get('gpid' if guest else 'pid', 0)), []
        for line in lines:
            m = FRAME.match(line)
            if m:
                frames.append(Frame(int(m[1], 16), pid, m[3], m[2]))
            elif '[exit: ' in line:
                yield where, frames, False
                where, frames, pid, guest = guests.get(word['pid']), [], 0, True
            elif line.strip():
                frames.append(None)
        yield where, frames, guest and 'guest' not in word


class Check:
    def __init__(self, all_chains, machines):
        self.seen, self.wrong = collections.Counter(), collections.Counter()
        self.edges, self.samples = collections.Counter(), 0
        for where, frames, _ in all_chains:
            self.samples += 1
            for above, below in zip(frames, frames[1:]):
                if above and below:
                    self.edges[machines[where], above, below] += 1

    def run(self):
        found, wanted = {}, collections.defaultdict(set)
        for where, above, below in self.edges:
            for frame in (above, below):
                if (where, frame) not in found:
                    found[where, frame] = got = where.find(*frame[:3])
                    if got:
                        wanted[got[0]].add(got[0].function(got[1]))
        for place, functions in wanted.items():
            place.disassemble(functions)
        for (where, above, below), n in self.edges.items():
            a, b = found[where, above], found[where, below]
            what = self.edge(a, b, above.address >= HALF, below.address >= HALF) if a and b else 'no code at hand'
            self.seen[what] += n
            if what.startswith('WRONG'):
                self.wrong[f'{what}: {a[0].name(a[1])} {above.address:x} ({above.module}) above '
                           f'{b[0].name(b[1])} {below.address:x} ({below.module})'] += n

    @staticmethod
    def edge(a, b, above_kernel, below_kernel):
        (upper, ua), (place, at) = a, b
        name = upper.name(ua)
        if above_kernel and not below_kernel:
            if not re.match('entry_SYSCALL_64|entry_SYSRETQ_|syscall_return_', name):
                return 'user mode, interrupted' if ENTRY.search(name) else 'WRONG: no entry'
            last = place.read(at - 2, 2)
            if last == b'\x0f\x05':
                return 'user mode, system call'
            # A signal interrupted it (arch_do_signal_or_restart()).
            if place.read(at, 2) == b'\x0f\x05':
                return 'user mode, system call again'
            # Set by execve() and sigreturn(); raises: workloads/calls.cc; the bytes: _start of ld.so.
            if place.function(at) == at or place.name(at) == 'raises' or place.read(at, 4) == b'\x48\x89\xe7\xe8':
                return 'user mode, set by the kernel'
            # A signal's handler in a file without symbols: behind the end of a function.
            if place.read(at - 1, 1) in (b'\xc3', b'\x90', b'\xcc'):
                return 'user mode, set by the kernel'
            return 'WRONG: no system call'
        insn = place.ends_at(at + 1)
        if insn and insn[2] == 'call':
            what = Check.call(upper, upper.function(ua), place, insn)
            if what[0] == 'W' and RETURN.match(name):
                return 'returning'
            # They write the registers of who catches over those of their own frame.
            return 'exception, being caught' if what[0] == 'W' and name.startswith('_Unwind_') else what
        if place.name(at).startswith('ret_from_fork') and place.function(at) == at:
            return 'task begins'
        if place.read(at, len(SIGRETURN)) == SIGRETURN:
            return 'signal handler'
        if place.read(at, len(START_CONTEXT)) == START_CONTEXT:
            return 'context begins'
        # It returns to the beginning of what makecontext() was given, as QEMU's coroutines do.
        if name in ('swapcontext', 'setcontext') and place.function(at) == at:
            return 'context begins'
        # Back from a signal's handler it is before either of the two instructions.
        if place.begins_at(at) and (ENTRY.search(name) or SIGRETURN in (upper.read(ua - back, len(SIGRETURN)) for back in (0, 7))):
            return 'interrupted'
        return 'WRONG: no call'

    @staticmethod
    def call(upper, function, place, insn):
        target = insn[4]
        if insn[3] or target is None or THUNK.match(place.name(target)):
            return 'indirect call'
        if target == function and upper is place:
            return 'direct call'
        if upper is place and upper.name(function) == place.name(target) + '.cold':
            return 'direct call'    # its landing pad, to which an exception led
        how = place.reaches(target, function if upper is place else -1)
        return how or f'WRONG: {place.name(target)} is called'


def main():
    vmmprof, session, *dirs = sys.argv[1:]
    machines = {'host': Machine(f'{session}/host', dirs, 'host')}
    for bundle in glob.glob(f'{session}/guests/*.bundle'):
        name = os.path.basename(bundle)[:-7]
        machines[name] = Machine(bundle, dirs, name)
    check = Check(machine_chains(vmmprof, session), machines)
    check.run()
    for what, n in check.seen.most_common():
        print(f'{n:8} {what}')
    for what, n in check.wrong.most_common(40):
        print(f'{n:8} {what}')
    for name, m in machines.items():
        print(f'without code, of {name}: ' + ', '.join(f'{k} {n}' for k, n in m.missing.most_common(8)))
    wrong, none = sum(check.wrong.values()), check.seen['no code at hand']
    all_edges = sum(check.seen.values())
    print(f'{check.samples} chains, {all_edges} edges, {all_edges - none} of them checked, {wrong} wrong')
    return 1 if wrong or not all_edges or none > 0.1 * all_edges else 0


if __name__ == '__main__':
    sys.exit(main())
