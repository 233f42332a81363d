# SPDX-License-Identifier: GPL-2.0-only
"""What must be true of the bundles that tests/guest/run got out of a guest."""

import bisect
import os
import re
import subprocess

from bundle import (Bundle, CACHED, DELETED, DROP, EXEC, FORK, INIT, MODULES,
                    RENAME, ROOT, SNAP, UNREAD)

MARK = 0x766d6d
CHECKS, LONG = [], set()


def on_entry(rsp):
    """Not yet on the task's stack: on the user's, or in the CPU entry area
    (Documentation/arch/x86/x86_64/mm.rst)."""
    return rsp < 1 << 63 or rsp >> 39 == 0xfffffe0000000000 >> 39


def check(f):
    CHECKS.append(f)
    return f


def long(f):
    """Not in a run with --short."""
    LONG.add(f)
    return check(f)


class Guest:
    """The runner's findings: samples by phase, and what lies on the share."""

    def __init__(self, share, samples, flavour, owners, short):
        self.share, self.samples, self.flavour = share, samples, flavour
        self.owners, self.short = owners, short

    def read(self, name):
        with open(os.path.join(self.share, name)) as f:
            return f.read()

    def bundle(self, name):
        return Bundle(os.path.join(self.share, name))

    def pid(self, name):
        return int(self.read("pid." + name))

    def status(self, name):
        return int(self.read(name + ".status"))

    def marked(self, phase):
        """(cr3, tsc, pid, rip) of user-mode samples of marker processes."""
        for moment in self.samples[phase]:
            for cpl, cr3, tsc, r15, rip, _ in moment:
                if cpl == 3 and r15 >> 32 == MARK:
                    yield cr3, tsc, r15 & 0xffffffff, rip

    def entered(self, phase):
        """(cr3, tsc, pid, rsp) of kernel-mode samples of marker processes."""
        for moment in self.samples[phase]:
            for cpl, cr3, tsc, r15, _, rsp in moment:
                if cpl == 0 and r15 >> 32 == MARK:
                    yield cr3, tsc, r15 & 0xffffffff, rsp


def same(got, want, what):
    assert got == want, "%s: %r, not %r" % (what, got, want)


def keys(b):
    return {(m.key, m.pid) for m in b.mms if m.op == SNAP}


@check
def dump_and_watch_end_with_status_0(g):
    names = ["dump-auto", "dump-bpf", "dump-kcore", "dump-none", "watch"]
    if not g.short:
        names += ["dump-nokcore", "dump-kptr", "dump-kptr-kcore", "timed"]
    for name in names:
        same(g.status(name), 0, name)
    for name in ("dump-auto", "watch") + (() if g.short else ("timed",)):
        b = g.bundle(name)
        assert b.ended and len(b.clocks) >= 2
    return "%d bytes" % os.path.getsize(os.path.join(g.share, "dump-auto"))


@long
def wrong_use_is_status_2_and_failure_1(g):
    for i in range(1, 7):
        same(g.status("usage-%d" % i), 2, "usage-%d" % i)
    same(g.status("help"), 0, "help")
    same(g.status("dump-exists"), 1, "dump-exists")
    assert "exists" in g.read("dump-exists.err")
    same(g.status("dump-full"), 1, "dump-full")
    assert "No space" in g.read("dump-full.err"), g.read("dump-full.err")


@check
def the_text_items_say_what_the_kernel_says(g):
    b = g.bundle("dump-auto")
    flags = re.search(r"^flags.*", g.read("cpuinfo"), re.M).group().split()
    same(b.text["pti"], str(int("pti" in flags)), "pti")
    same(b.text["la57"], str(int("la57" in flags)), "la57")
    same("pti" in flags, g.flavour != "nopti", "pti as booted")
    same("la57" in flags, g.flavour == "la57", "la57 as booted")
    same(b.text["method"], "bpf", "method")
    same(g.bundle("dump-kcore").text["method"], "kcore", "method")
    for name in (m.split()[0] for m in b.modules.decode().splitlines()):
        assert re.fullmatch("[0-9a-f]{40}", b.text["module." + name]), name
    return "phys_mask %s" % b.text["phys_mask"]


@check
def the_guest_s_own_times_of_its_cpus_are_there(g):
    b = g.bundle("watch")
    for cpu in 0, 1:
        t = [c for c in b.cputimes if c[1] == cpu]
        assert len(t) >= 2 and t == sorted(t), t
        passed, counted = t[-1][0] - t[0][0], sum(t[-1][3:]) - sum(t[0][3:])
        # Ticks of 10 ms, each kind of its own; none while the monitor has
        # stopped the machine, and few where the host has no CPU for it.
        assert 0.05 * passed < counted < 1.1 * passed + 60e6, (passed, counted)
    same({c[1] for c in b.cputimes}, {0, 1}, "CPUs")
    same(b.text["steal_clock"], "0", "a steal clock under TCG")
    return "%.2f s, %.2f s counted" % (passed / 1e9, counted / 1e9)


@check
def cr3_of_the_spinners_is_their_key(g):
    """By BPF and by the walk through /proc/kcore."""
    dumps = [g.bundle("dump-bpf"), g.bundle("dump-kcore")]
    seen, halves = {}, set()
    for cr3, _, pid, _ in g.marked("spin"):
        for b in dumps:
            same(b.owner(cr3, b.clocks[-1][1]), pid, "%s: owner of CR3 %x"
                 % (b.text["method"], cr3))
        seen[pid] = seen.get(pid, 0) + 1
        halves.add(cr3 >> 12 & 1)
    same(set(seen), {g.pid("spin0"), g.pid("spin1")}, "spinners sampled")
    if g.flavour != "nopti":
        same(halves, {1}, "bit 12 of CR3 in user mode")
    return "%d samples" % sum(seen.values())


@check
def bpf_and_kcore_give_the_same_keys(g):
    bpf, kcore = g.bundle("dump-bpf"), g.bundle("dump-kcore")
    # Each sees itself, under its own number.
    common = {p for _, p in keys(bpf)} & {p for _, p in keys(kcore)}
    a = {x for x in keys(bpf) if x[1] in common}
    b = {x for x in keys(kcore) if x[1] in common}
    same(a, b, "keys")
    for name in ("spin0", "spin1", "gone", "leader", "inner"):
        assert g.pid(name) in common, name
    same(len(keys(bpf)) - len(a), 1, "processes that only BPF saw")
    same(len(keys(kcore)) - len(b), 1, "processes that only kcore saw")
    return "%d page tables" % len(a)


@long
def without_kcore_bpf_finds_the_direct_map(g):
    a, b = g.bundle("dump-bpf"), g.bundle("dump-nokcore")
    mine = {p for _, p in keys(a)} & {p for _, p in keys(b)}
    assert g.pid("spin0") in mine
    same({x for x in keys(a) if x[1] in mine},
         {x for x in keys(b) if x[1] in mine}, "keys")
    init = lambda x: [m.key for m in x.mms if m.op == INIT]
    same(init(a), init(b), "init_mm")


@long
def without_any_method_the_rest_is_there(g):
    b = g.bundle("dump-nocaps")
    same(g.status("dump-nocaps"), 0, "status")
    same((b.text["method"], b.mms), ("none", []), "method and MM items")
    words = g.read("dump-nocaps.err")
    assert "CAP_SYS_RAWIO" in words and "CR3" in words, words
    assert any("CAP_SYS_RAWIO" in n for n in b.notes), b.notes
    assert b.kallsyms and b.ended
    assert g.pid("inner") in {p.pid for p in b.procs}


@long
def an_ordinary_user_is_told_what_is_hidden(g):
    b, words = g.bundle("dump-user"), g.read("dump-user.err")
    same(g.status("dump-user"), 0, "status")
    assert "not root" in words and "hidden" in words, words
    same((b.text["method"], b.mms, b.kallsyms), ("none", [], b""), "bundle")
    assert len(b.notes) >= 4, b.notes
    for n in b.notes:
        assert "no kernel symbols" in n or n in words, n


@long
def code_that_is_asked_for_is_what_runs_there(g):
    """Of marker as in its file, of the kernel as the monitor sees it."""
    same(g.status("code"), 0, g.read("code.err"))
    b, d = g.bundle("code"), g.bundle("dump-auto")
    wanted = [line.split() for line in g.read("list").splitlines()]
    user = [c for c in b.codes if c.file != 0xffffffff]
    kernel = [c for c in b.codes if c.file == 0xffffffff]
    with open(os.path.join(g.share, "marker"), "rb") as f:
        marker = f.read()
    same(len(user), 3, "functions of marker")
    for c in user:
        same(c.code, marker[c.addr:c.addr + len(c.code)], "code of marker")
        same([str(c.file), "%x" % c.addr, str(len(c.code))] in wanted, True,
             "asked for")
    rows = [line.split() for line in g.read("kallsyms").splitlines()]
    begins = sorted({int(r[0], 16) for r in rows
                     if not r[2].startswith("__pfx_")})
    text = {int(r[0], 16) for r in rows if r[1] in "tTwW"}
    for c in kernel:
        assert c.addr in text, "no function begins at %x" % c.addr
        end = begins[bisect.bisect_right(begins, c.addr):][:1] or [1 << 64]
        assert c.addr + len(c.code) <= end[0], "%x goes on too far" % c.addr
        with open(os.path.join(g.share, "memory-%x" % c.addr), "rb") as f:
            same(c.code, f.read(), "code of the kernel at %x" % c.addr)
    asked = [w for w in wanted if w[0] == "kernel"]
    # but the middle of a function, the kernel's start, and memory
    same(len(kernel), len(asked) - 5, "functions of the kernel")
    modules = [c for c in kernel if c.addr >= MODULES]
    assert len(modules) >= 10, "%d of modules" % len(modules)
    same(g.status("by-hand"), 0, "by hand")
    whole = g.bundle("by-hand")
    same([c[1:] for c in whole.codes], [c[1:] for c in b.codes], "by hand")
    assert b.ended and d.ended and whole.ended
    same(len(whole.kallsyms), len(d.kallsyms), "the rest of the bundle")
    return ("%d functions of marker, %d of the kernel, %d of them of a module, "
            "%d bytes" % (len(user), len(kernel), len(modules),
                          sum(len(c.code) for c in b.codes)))


@long
def without_kcore_there_is_no_code_of_the_kernel(g):
    same(g.status("no-kcore-code"), 0, "status")
    b = g.bundle("no-kcore-code")
    same([c for c in b.codes if c.file == 0xffffffff], [], "code")
    same(len(b.codes), 3, "functions of marker")
    for name, words in (("bad-list", "not a list of code"),
                        ("bad-bundle", "not a bundle")):
        same(g.status(name), 1, name)
        assert words in g.read(name + ".err"), g.read(name + ".err")


@long
def lost_events_are_counted_and_scanned_for(g):
    b, words = g.bundle("lossy"), g.read("lossy.err")
    same(g.status("lossy"), 0, "status")
    lost = [n for n, what in b.lost if what == 2]
    assert len(lost) == 1 and lost[0] > 100, b.lost
    assert "%d mapping events lost" % lost[0] in words, words
    late = [m for m in b.maps if m.pid == g.pid("late")]
    assert any("mark" in [s[2] for s in b.symtabs[m.file].symbols]
               for m in late), late
    assert b.ended
    return "%d side-band records" % lost[0]


@check
def the_kernel_s_own_page_table_is_sampled_as_such(g):
    """Before anything runs in user mode the CPUs use it; idle ones later."""
    b = g.bundle("watch")
    init = [m for m in b.mms if m.op == INIT]
    same(len(init), 1, "INIT items")
    hits = users = other = 0
    known = {m.key for m in b.mms}
    for phase in g.samples:
        for moment in g.samples[phase]:
            for cpl, cr3, _, _, _, _ in moment:
                if b.key(cr3) == init[0].key:
                    hits += 1
                    users += cpl == 3
                elif phase == "storm" and b.key(cr3) not in known:
                    other += 1
    same(users, 0, "samples of it in user mode")
    same(other, 0, "samples with a CR3 that is in no item")
    return "%d samples" % hits


@check
def processes_that_come_and_go_are_told_apart(g):
    b, right, unknown, wrong = g.bundle("watch"), 0, 0, []
    pids, shared = set(), {}
    for cr3, tsc, pid, _ in g.marked("storm"):
        got = b.owner(cr3, b.mono(tsc))
        right += got == pid
        unknown += got is None
        if got not in (None, pid):
            wrong.append((pid, got))
        pids.add(pid)
        shared.setdefault(b.key(cr3), set()).add(pid)
    numbers = ("%d samples of %d processes, %d right, %d unknown, %d wrong; "
               "up to %d processes sampled on one CR3"
               % (right + unknown + len(wrong), len(pids), right, unknown,
                  len(wrong), max(map(len, shared.values()), default=0)))
    same(wrong, [], "wrong owners (" + numbers + ")")
    assert right >= 20 and right >= 0.99 * (right + unknown), numbers
    assert max(map(len, shared.values())) > 1, "no CR3 was reused: " + numbers
    return numbers


@check
def the_analyzer_s_model_names_process_and_function(g):
    """The same samples through analyzer/format, model and sym (owners.c)."""
    samples = list(g.marked("storm"))
    out = subprocess.run(
        [g.owners, os.path.join(g.share, "watch")], stdout=subprocess.PIPE,
        input="".join("%x %x %x\n" % (cr3, tsc, rip)
                      for cr3, tsc, _, rip in samples),
        universal_newlines=True, check=True).stdout.splitlines()
    want = ["%d mark" % pid for _, _, pid, _ in samples]
    bad = [(w, o) for w, o in zip(want, out) if w != o]
    same(len(out), len(want), "answers")
    same(bad, [], "wrong of %d" % len(want))
    return "%d samples" % len(want)


@check
def the_stack_pointer_tells_the_process_in_the_kernel(g):
    b, right, wrong, entries = g.bundle("watch"), {}, [], 0
    samples = list(g.entered("storm"))
    for cr3, tsc, pid, rsp in samples:
        task = b.task(rsp, b.mono(tsc))
        if on_entry(rsp):
            same(task, None, "task at the entry, RSP %x" % rsp)
            if b.text["pti"] == "1" and cr3 & 0x1000:
                same(b.owner(cr3, b.mono(tsc)), pid, "user half %x" % cr3)
                entries += 1
            continue
        if not task or task.pid != pid:
            wrong.append((hex(rsp), pid, task))
        right[pid] = right.get(pid, 0) + 1
    same(wrong, [], "wrong of %d" % len(samples))
    assert right.get(g.pid("call"), 0) >= 10, right
    assert len(right) >= 5, right
    out = subprocess.run(
        [g.owners, os.path.join(g.share, "watch"), "stacks"],
        stdout=subprocess.PIPE, universal_newlines=True, check=True,
        input="".join("%x %x\n" % (rsp, tsc) for _, tsc, _, rsp in samples)
    ).stdout.split()
    same(out, ["-" if on_entry(rsp) else str(pid)
               for _, _, pid, rsp in samples], "by the model")
    return ("%d samples of %d processes, %d of one; %d at the entry on the "
            "user half" % (sum(right.values()), len(right),
                           right[g.pid("call")], entries))


@check
def tasks_have_their_kernel_stacks(g):
    found = {}
    for name in ("dump-bpf", "dump-kcore"):
        b = g.bundle(name)
        same(b.text["stack_size"], "16384", "stack_size")
        tasks = {t.tid: t for t in b.tasks}
        for p in ("spin0", "spin1", "gone", "inner"):
            same(tasks[g.pid(p)].pid, g.pid(p), p)
        same({t.pid for t in b.tasks if t.tid != t.pid}, {g.pid("leader")},
             "threads")
        same(tasks[2][3:], (2, 2, 1, "kthreadd"), "kthreadd")
        same(tasks[g.pid("spin0")].flags, 0, "flags of a process")
        same([t for t in b.tasks if t.op != SNAP or t.stack % 4096 or
              t.stack < 1 << 63], [], "tasks")
        same(len({t.stack for t in b.tasks}), len(b.tasks), "stacks")
        found[name] = {(t.tid, t.stack) for t in b.tasks}
    kcore = {tid for tid, _ in found["dump-kcore"]}
    common = {(tid, x) for tid, x in found["dump-bpf"] if tid in kcore}
    assert len(common) > 30, common
    same(common - found["dump-kcore"], set(), "stacks that differ")
    same(g.bundle("dump-none").tasks, [], "tasks without a method")
    return "%d tasks" % len(found["dump-bpf"])


@check
def forks_tell_their_stacks(g):
    b = g.bundle("watch")
    pids = {int(x) for i in "01" for x in g.read("storm." + i).split()}
    same(pids - {t.pid for t in b.tasks if t.op == FORK}, set(), "no stack")
    stacks = {}
    for t in b.tasks:
        stacks.setdefault(t.stack, set()).add(t.pid)
    assert max(map(len, stacks.values())) > 2, "no stack was used again"
    return "%d items" % len(b.tasks)


@check
def every_short_process_is_born_and_dropped(g):
    b = g.bundle("watch")
    pids = {int(x) for i in "01" for x in g.read("storm." + i).split()}
    born = {m.pid for m in b.mms if m.op in (FORK, EXEC)}
    same(len(pids), 300, "processes")
    same(pids - born, set(), "without a birth")
    alive = {}
    drops = 0
    for m in b.mms:
        if m.op in (SNAP, FORK):
            alive.setdefault(m.key, m.pid)
        elif m.op == EXEC:
            alive[m.key] = m.pid
        elif m.op == DROP:
            drops += 1
            alive.pop(m.key, None)
    same({p for p in alive.values()} & pids, set(), "without an end")
    same(b.lost, [], "lost")
    return "%d births, %d drops" % (len(born), drops)


@check
def a_key_has_one_owner_at_a_time(g):
    b, owner = g.bundle("watch"), {}
    for m in b.mms:
        if m.op in (FORK, EXEC):
            # A snapshot may see the child before its parent tells of it.
            same(owner.get(m.key, m.pid), m.pid, "%r, lost: %r" % (m, b.lost))
        if m.op == DROP:
            owner.pop(m.key, None)
        elif m.op != INIT:
            owner[m.key] = owner.get(m.key, m.pid)


@long
def none_is_missing_of_a_crowd(g):
    b = g.bundle("watch")
    pids = {int(x) for i in "0123" for x in g.read("crowd." + i).split()}
    same(len(pids), 800, "processes")
    same(pids - {t.pid for t in b.tasks if t.op == FORK}, set(), "no fork")
    execed = {m.pid for m in b.mms if m.op == EXEC} & pids
    renamed = {m.pid for m in b.mms if m.op == RENAME} & pids
    same((len(execed), execed ^ renamed), (400, set()), "execs")
    same(b.lost, [], "lost")
    return "%d processes" % len(pids)


@check
def an_exec_is_announced_by_its_rename(g):
    """Where both hooks were there in time: those of forks come last."""
    b, gaps, renamed, under_way = g.bundle("watch"), [], {}, 0
    forked = {}
    for t in b.tasks:
        if t.op == FORK:
            forked.setdefault(t.pid, t.ns)
    for m in b.mms:
        if m.op == RENAME:
            renamed[m.key, m.pid] = m.ns
        if m.op != EXEC:
            continue
        since = renamed.pop((m.key, m.pid), None)
        if since is not None:
            gaps.append(m.ns - since)
        else:
            assert m.ns < forked.get(m.pid, m.ns + 1), \
                "no rename before %r" % (m,)
            under_way += 1
    assert len(gaps) >= 150, len(gaps)
    return ("%d execs, up to %.1f ms earlier; %d under way as the watch began"
            % (len(gaps), max(gaps) / 1e6, under_way))


@check
def side_band_tells_processes_and_mappings(g):
    b = g.bundle("watch")
    pids = [int(x) for i in "01" for x in g.read("storm." + i).split()]
    forked = {p.pid for p in b.procs if p.op == FORK}
    execed = {p.pid: p for p in b.procs if p.op == EXEC}
    ended = {p.pid for p in b.procs if p.op == DROP}
    same(set(pids) - forked, set(), "without PROC FORK")
    same(set(pids) - ended, set(), "without PROC DROP")
    mapped = {m.pid: m.file for m in b.maps if m.ns}
    n = 0
    for i in "01":
        for pid in [int(x) for x in g.read("storm." + i).split()][1::2]:
            assert pid in execed, pid
            assert pid in mapped, pid
            n += 1
    assert not any(p.flags & 1 for p in execed.values())
    return "%d execs with mappings" % n


@check
def functions_are_found_through_the_mappings(g):
    b = g.bundle("dump-auto")
    for name, path in (("spin0", "/bin/marker"), ("gone", "/tmp/gone"),
                       ("leader", "/bin/marker"),
                       ("inner", "/tmp/jail/bin/inner")):
        found = {}
        for m in b.maps:
            if m.pid == g.pid(name) and m.file in b.symtabs:
                names = [s[2] for s in b.symtabs[m.file].symbols]
                found[b.files[m.file].path] = names
        program = [v for v in found.values() if "mark" in v]
        same(len(program), 1, "%s's program among %r" % (name, list(found)))
    # One build, one file: the copies have the first one's id.
    ids = {m.file for m in b.maps
           if m.pid in (g.pid("spin0"), g.pid("gone"), g.pid("inner"))
           and b.files[m.file].path != "[vdso]"}
    same(len(ids), 1, "files of one build-id")
    same([f for f in b.files.values() if f.flags & UNREAD], [], "unread")


@long
def symbols_that_the_reader_has_are_not_written(g):
    full, b = g.bundle("dump-auto"), g.bundle("dump-have")
    same((g.status("dump-have"), b.ended), (0, True), "dump-have")
    # of what others than root can write nothing is left out
    had = {f.build_id for f in full.files.values()
           if f.build_id and f.id in full.symtabs and f.flags & ROOT}
    assert had
    cached = [f for f in b.files.values() if f.flags & CACHED]
    same({f.build_id for f in cached}, had, "CACHED files")
    same([f.path for f in cached if f.id in b.symtabs], [], "their SYMTABs")
    # the rest is as before: [vdso] has no build-id that is known
    rest = [f for f in b.files.values() if not f.flags & CACHED]
    assert any(f.path == "[vdso]" and f.id in b.symtabs for f in rest), rest
    same(g.status("bad-have"), 1, "a list that is none")
    assert "build-ids, 20 bytes each" in g.read("bad-have.err")
    return "%d files" % len(cached)


@check
def addresses_resolve_to_functions(g):
    b = g.bundle("dump-auto")
    vdso = [f for f in b.files.values() if f.path == "[vdso]"][0]
    names = [s[2] for s in b.symtabs[vdso.id].symbols]
    assert "clock_gettime" in names or "__vdso_clock_gettime" in names, names
    m = [m for m in b.maps if m.pid == g.pid("spin0")
         and b.files[m.file].path != "[vdso]"][0]
    table = b.symtabs[m.file]
    a, size, _ = [s for s in table.symbols if s[2] == "mark"][0]
    off, vaddr, _ = table.segments[0]
    address = m.start + (a - vaddr + off - m.pgoff) + size // 2
    same(b.resolve(m.pid, address)[1], "mark", "function at %x" % address)


@long
def kernel_symbols_and_modules_are_there(g):
    b = g.bundle("dump-auto")
    lines = set(b.kallsyms.decode().splitlines())
    # What BPF's programs bring with them goes when they do, or a bit later.
    want = {l for l in g.read("kallsyms").splitlines()
            if l.split()[1] in "tTwW" and "[bpf]" not in l
            and "[__builtin__ftrace]" not in l
            and not l.split()[2].startswith("__pfx_")}
    same(len(want - lines), 0, "text symbols missing")
    assert b"9p " in b.modules
    return "%d symbols" % len(lines)


@long
def rules_of_modules_are_of_code_that_is_there(g):
    """Not of .init.text, whose memory is others' now."""
    b = g.bundle("dump-unwind")
    tables, stray = b.module_unwinds()
    assert len(tables) >= 3, tables
    same(stray, 0, "tables that reach beyond their modules")
    functions = [int(x.split()[0], 16) for x in
                 b.kallsyms.decode().splitlines()
                 if x.split()[1] in "tT" and x.endswith("\t[9p]")]
    there = [a for a in functions if any(s <= a < e for s, e in tables)]
    assert len(there) > 0.9 * len(functions), (len(there), len(functions))
    return "%d tables, %d functions of 9p" % (len(tables), len(there))


@check
def kernel_threads_are_marked(g):
    b = g.bundle("dump-auto")
    kthreads = {p.comm for p in b.procs if p.flags & 1}
    assert "kthreadd" in kthreads and "marker" not in kthreads
    spin = [p for p in b.procs if p.pid == g.pid("spin0")]
    same((spin[0].comm, spin[0].cmdline), ("marker", "marker spin"), "names")
    return "%d" % len(kthreads)


@long
def hidden_addresses_are_said_and_bpf_still_works(g):
    b = g.bundle("dump-kptr")
    same(b.kallsyms, b"", "kallsyms")
    assert any("kptr_restrict" in n for n in b.notes), b.notes
    assert "kptr_restrict" in g.read("dump-kptr.err")
    full = g.bundle("dump-bpf")
    want = {x for x in keys(full) if x[1] == g.pid("spin0")}
    assert want and want <= keys(b)
    same([m.key for m in b.mms if m.op == INIT],
         [m.key for m in full.mms if m.op == INIT], "init_mm")
    k = g.bundle("dump-kptr-kcore")
    same(k.text["method"], "none", "kcore with kptr_restrict=2")
    assert "kptr_restrict" in g.read("dump-kptr-kcore.err")


@long
def a_walk_while_the_list_changes_misses_nobody_who_stays(g):
    stay = [g.pid(x) for x in ("gone", "leader", "inner")]
    want = {x for x in keys(g.bundle("dump-bpf")) if x[1] in stay}
    same(len(want), 3, "processes that stay")
    for i in range(1, 4):
        b = g.bundle("torn-%d" % i)
        assert want <= keys(b), (i, want - keys(b))
        assert not [n for n in b.notes if "task list" in n], b.notes


@check
def the_guest_s_kernel_has_no_complaint(g):
    bad = [l for l in g.read("dmesg").splitlines()
           if re.search(r"WARNING: CPU|BUG:|Oops|Call Trace", l)]
    same(bad, [], "dmesg")


def report(name, share, samples, flavour, owners, short):
    g = Guest(share, samples, flavour, owners, short)
    checks = [f for f in CHECKS if not (short and f in LONG)]
    failed = 0
    for f in checks:
        rule = f.__name__.replace("_", " ")
        try:
            numbers = f(g)
            print("ok - %s: %s%s" % (name, rule,
                                     " [%s]" % numbers if numbers else ""))
        except Exception as e:
            failed += 1
            print("not ok - %s: %s [%s: %s]"
                  % (name, rule, type(e).__name__, str(e)[:600]))
    print("%d passed, %d failed" % (len(checks) - failed, failed))
    return 1 if failed else 0
