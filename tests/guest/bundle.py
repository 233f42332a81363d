# SPDX-License-Identifier: GPL-2.0-only
"""Reads a file of kind MAPS (include/FORMAT.md): an implementation that shares
no code with vmmprof, so that both can be compared."""

import struct
from collections import namedtuple

SNAP, FORK, EXEC, RENAME, DROP, INIT = range(1, 7)
MM = namedtuple("MM", "ns key op pid tid comm")
Proc = namedtuple("Proc", "ns op pid ppid flags comm cmdline")
Map = namedtuple("Map", "ns start end pgoff pid file")
File = namedtuple("File", "id flags dev ino build_id path")
Task = namedtuple("Task", "ns stack op pid tid flags comm")
Symtab = namedtuple("Symtab", "file segments symbols")
Code = namedtuple("Code", "ns addr file flags code")
DELETED, NO_SYMS, UNREAD, PSEUDO, CACHED, ROOT = 1, 2, 4, 8, 16, 32
NOT_RESIDENT = 128
MODULES = 0xffffffffc0000000  # where their code begins


def text(b):
    return b.split(b"\0")[0].decode("utf-8", "replace")


class Bundle:
    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        magic, kind, version, least, size = struct.unpack_from("<8sHHHH", data)
        assert (magic, kind, version, least) == (b"VMMPROF\n", 3, 3, 2), path
        self.text, self.notes, self.clocks = {}, [], []
        self.mms, self.procs, self.maps, self.lost = [], [], [], []
        self.tasks, self.cputimes, self.codes = [], [], []
        self.files, self.symtabs, self.cgroups = {}, {}, {}
        self.unwinds = {}       # file to (file, table); of files alone
        self.kernel_unwinds = []
        self.kallsyms = self.modules = b""
        self.ended, items, pos = False, 0, size
        while pos < len(data):
            kind, size = struct.unpack_from("<II", data, pos)
            assert 8 <= size <= len(data) - pos, (path, pos, size)
            self.item(kind, data[pos:pos + size])
            if kind == 4:
                self.ended = True
                assert struct.unpack_from("<Q", data, pos + 8)[0] == items
            items += 1
            pos += (size + 7) // 8 * 8
        assert pos == len(data), path
        self.mms.sort(key=lambda m: m.ns)
        self.tasks.sort(key=lambda t: t.ns)

    def item(self, kind, d):
        if kind == 1:
            for line in d[8:].decode().splitlines():
                key, value = line.split("=", 1)
                self.text[key] = value
        elif kind == 2:
            self.clocks.append(struct.unpack_from("<QQQ", d, 8))
        elif kind == 3:
            self.notes.append(d[8:].rstrip(b"\0").decode())
        elif kind == 16:
            self.kallsyms = d[8:]
        elif kind == 17:
            self.modules = d[8:]
        elif kind == 18:
            f = struct.unpack_from("<QQIIII16s", d, 8)
            self.mms.append(MM(*f[:5], text(f[6])))
        elif kind == 19:
            f = struct.unpack_from("<QIIII16s", d, 8)
            self.procs.append(Proc(*f[:5], text(f[5]), text(d[48:])))
        elif kind == 20:
            self.maps.append(Map(*struct.unpack_from("<QQQQII", d, 8)))
        elif kind == 21:
            f = struct.unpack_from("<IIQQ20sB", d, 8)
            assert f[0] not in self.files
            self.files[f[0]] = File(*f[:4], f[4][:f[5]].hex(), text(d[56:]))
        elif kind == 22:
            self.symtab(d)
        elif kind == 23:
            self.lost.append(struct.unpack_from("<QI", d, 8))
        elif kind == 24:
            f = struct.unpack_from("<QQIIII16s", d, 8)
            self.tasks.append(Task(*f[:6], text(f[6])))
        elif kind == 26:
            ns, pid = struct.unpack_from("<QI", d, 8)
            self.cgroups[pid] = text(d[24:])
        elif kind == 28:
            self.cputimes.append(struct.unpack_from("<QIIQQQQQ", d, 8))

        elif kind == 29:
            self.codes.append(Code(*struct.unpack_from("<QQII", d, 8), d[32:]))
        elif kind == 30:
            file, = struct.unpack_from("<I", d, 8)
            if file != 0xffffffff:
                assert file not in self.unwinds
                self.unwinds[file] = (file, d[12:])
            else:
                self.kernel_unwinds.append(d[16:])

    def symtab(self, d):
        file, segs, syms, size = struct.unpack_from("<IIII", d, 8)
        assert len(d) == 24 + 24 * segs + 16 * syms + size
        strings = d[24 + 24 * segs + 16 * syms:]
        assert not syms or strings[-1:] == b"\0"
        at = 24 + 24 * segs
        self.symtabs[file] = Symtab(
            file,
            [struct.unpack_from("<QQQ", d, 24 + 24 * i) for i in range(segs)],
            [(a, s, strings[n:strings.index(b"\0", n)].decode())
             for a, s, n in (struct.unpack_from("<QII", d, at + 16 * i)
                             for i in range(syms))])

    def module_unwinds(self):
        """Tables of modules' code: (start, end), and how many reach beyond the
        memory of their module."""
        modules = [(int(w[5], 16), int(w[5], 16) + int(w[1]))
                   for w in (line.split() for line in
                             self.modules.decode().splitlines())]
        tables = [t for t in (struct.unpack_from("<QQ", d)
                              for d in self.kernel_unwinds) if t[0] >= MODULES]
        return tables, sum(not any(m[0] <= t[0] and t[1] <= m[1]
                                   for m in modules) for t in tables)

    def mono(self, tsc):
        """CLOCK_MONOTONIC at a TSC, by the first and the last clock item."""
        a, b = self.clocks[0], self.clocks[-1]
        return a[1] + (tsc - a[0]) * (b[1] - a[1]) // (b[0] - a[0])

    def key(self, cr3):
        return cr3 & int(self.text["phys_mask"], 16)

    def owner(self, cr3, ns):
        """The pid that had this CR3 at ns, or None."""
        pid = None
        for m in self.mms:
            if m.key != self.key(cr3):
                continue
            if m.ns > ns:
                # An exec's new page table runs before it is announced.
                if pid is None and m.op in (EXEC, RENAME) and m.ns - ns < 5e6:
                    pid = m.pid
                if pid is None and m.op == SNAP:
                    pid = m.pid
                break
            if m.op == DROP:
                pid = None
            elif pid is None or m.op == EXEC:
                pid = m.pid
        return pid

    def task(self, rsp, ns):
        """Whose stack this was at ns, or None."""
        found = None
        for t in self.tasks:
            if not t.stack <= rsp < t.stack + int(self.text["stack_size"]):
                continue
            if t.ns <= ns or (found is None and t.op == SNAP):
                found = t
        return found

    def resolve(self, pid, address):
        """(path, function) for an address of a process without forks."""
        for m in self.maps:
            if m.pid == pid and m.start <= address < m.end:
                break
        else:
            return None, None
        path = self.files[m.file].path
        offset = address - m.start + m.pgoff
        table = self.symtabs.get(m.file)
        for o, v, size in table.segments if table else ():
            if o <= offset < o + size:
                link = v + offset - o
                for a, s, name in table.symbols:
                    if a <= link < a + s:
                        return path, name
        return path, None
