# SPDX-License-Identifier: GPL-2.0-only
"""What look found in a guest's memory against what the guest said of itself."""

import os
import re
import subprocess

import bundle

KERNEL_BYTES = 10 << 20  # at least, of any
STORM_READINGS = 4  # that must go well while processes come and go

checks = []


def check(name, ok, detail=""):
    checks.append(bool(ok))
    print("%s - %s%s" % ("ok" if ok else "not ok", name,
                         "" if ok else " [%s]" % detail), flush=True)


def lines(path):
    with open(path, errors="surrogateescape", newline="\n") as f:
        return f.read().split("\n")[:-1]


def first_difference(got, want):
    for a, b in zip(got, want):
        if a != b:
            return "%r, not %r" % (a, b)
    return "%d lines, not %d" % (len(got), len(want))


def same(name, got, want):
    check("%s (%d)" % (name, len(want)), got == want and want,
          first_difference(got, want))


def build_id(note):
    """Of the bytes of notes, as hex."""
    at = note.index(b"\x03\0\0\0GNU\0")
    return note[at + 8:at + 28].hex()


def kernel(name, found, share, flavour):
    facts = dict(line.split("=", 1)
                 for line in lines(os.path.join(found, "kernel")))
    symbols = lines(os.path.join(share, "kallsyms"))
    own = [line for line in symbols if "\t[" not in line]
    got = lines(os.path.join(found, "symbols"))
    same(name + "the kernel's symbols",
         [line for line in got if "\t[" not in line], own)
    # Which ones are exported makes no difference to their names.
    small = [line[:17] + line[17:18].lower() + line[18:] for line in symbols
             if re.search(r"\t\[(?!bpf|__builtin)", line)]
    same(name + "its modules' symbols",
         [line[:17] + line[17:18].lower() + line[18:] for line in got
          if "\t[" in line], small)
    same(name + "its modules", lines(os.path.join(found, "modules")),
         ["%s %s %s" % (w[0], w[1], w[5]) for w in
          (line.split() for line in lines(os.path.join(share, "modules")))] +
         ["damaged 0"])
    with open(os.path.join(share, "version")) as f:
        same(name + "its banner", [facts["banner"]], f.read().split("\n")[:-1])
    with open(os.path.join(share, "notes"), "rb") as f:
        same(name + "its build-id", [facts["build_id"]], [build_id(f.read())])
    same(name + "its names", [facts["nodename"], facts["release"]],
         ["introspect", facts["banner"].split()[2]])
    same(name + "how it pages", [facts["pti"], facts["la57"]],
         [str(int(flavour != "nopti")), str(int(flavour == "la57"))])


def maps(text):
    """Mappings without what only a process knows of itself: its heap, stack."""
    return [re.sub(r" +(\[(heap|stack|anon:.*|uprobes)\])?$", "",
                   re.sub(r"^(\S+ \S+ \S+ \S+ \d+) *", r"\1 ", line))
            for line in text if not line.endswith("[vsyscall]")]


def processes(name, found, share):
    tasks = [line.split(" ") for line in lines(os.path.join(found, "tasks"))]
    # Threads of the kernel come and go.
    pids = sorted({int(w[0]) for w in tasks if w[3] == "0"})
    want = sorted(int(f.split(".")[0]) for f in os.listdir(share)
                  if f.endswith(".maps"))
    same(name + "the processes", pids, want)
    for pid in want:
        path = os.path.join(share, "%d." % pid)
        mine = os.path.join(found, "%d." % pid)
        status = dict(line.split(":\t", 1) for line in lines(path + "status")
                      if ":\t" in line)
        threads = [w for w in tasks if int(w[0]) == pid]
        with open(path + "comm", "rb") as f:
            comm = f.read()[:-1]
        what = "%s%d: " % (name, pid)
        check(what + "name", bytes.fromhex(threads[0][5]) == comm,
              (threads[0][5], comm))
        same(what + "parent", [w[2] for w in threads],
             [status["PPid"]] * len(threads))
        same(what + "threads", sorted(int(w[1]) for w in threads),
             sorted(map(int, lines(path + "task"))))
        # What init sees below a root is that root's to the process itself.
        truth = maps(lines(path + "maps"))
        if lines(path + "comm") == ["/bin/inner"]:
            truth = [line.replace(" /tmp/jail/", " /") for line in truth]
        if not truth:  # its first thread has ended
            check(what + "mappings by another thread",
                  len(lines(mine + "maps")) > 3)
        else:
            same(what + "mappings", maps(lines(mine + "maps")), truth)
        same(what + "control group", lines(mine + "cgroup"),
             lines(path + "cgroup"))
        with open(path + "cmdline") as f:
            same(what + "arguments", lines(mine + "cmdline"),
                 [f.read().rstrip("\0").replace("\0", " ")] if truth
                 else lines(mine + "cmdline"))


def ids(name, found, marker):
    """The build-ids that are known are marker's; of some processes they are."""
    got = []
    for f in os.listdir(found):
        if f.endswith(".ids") and not f.startswith("1."):
            got += [line.split(" ", 1)[1] for line in
                    lines(os.path.join(found, f))]
    known = [x for x in got if re.fullmatch("[0-9a-f]{40}", x)]
    check("%sbuild-ids of programs (%d of %d resident)"
          % (name, len(known), len(got)),
          known and set(known) == {marker}, (marker, got))


def items(name, found, share, cpu, marker):
    """The bundle has the same, as a reader of its own sees it."""
    b = bundle.Bundle(os.path.join(found, "bundle"))
    check(name + "the bundle is whole", b.ended and not b.notes, b.notes)
    facts = dict(line.split("=", 1)
                 for line in lines(os.path.join(found, "kernel")))
    same(name + "its identity",
         [b.text.get(x) for x in ("from", "hostname", "release", "pti", "la57",
                                  "kernel_build_id")],
         ["memory"] + [facts[x] for x in ("nodename", "release", "pti", "la57",
                                          "build_id")])
    lower = lambda line: line[:17] + line[17:18].lower() + line[18:] \
        if "\t[" in line else line
    wanted = re.compile(r"\S+ [tTwW] (?!__pfx_)(?!.*\t\[(?:bpf|__builtin))")
    same(name + "its kernel symbols",
         [lower(x) for x in b.kallsyms.decode().split("\n")[:-1]],
         [lower(x) for x in lines(os.path.join(share, "kallsyms"))
          if wanted.match(x)])
    functions(name, b, share, marker)
    pids = sorted(int(f.split(".")[0]) for f in os.listdir(share)
                  if f.endswith(".maps"))
    same(name + "its processes",
         sorted(p.pid for p in b.procs if not p.flags & 1), pids)
    same(name + "its page tables", sorted(m.pid for m in b.mms if m.op == 1),
         pids)
    owner = b.owner(cpu["CR3"], 0)
    check(name + "whose page table it is", owner in pids + [0], owner)
    same(name + "its control groups", sorted(b.cgroups.values()),
         ["/box.slice/inner"])
    for pid in pids:
        got = ["%08x-%08x %08x %s" %
               (m.start, m.end, m.pgoff, b.files[m.file].path +
                " (deleted)" * (b.files[m.file].flags & 1)
                if m.file in b.files else "")
               for m in b.maps if m.pid == pid]
        want = [line.split(" ", 5) for line in
                maps(lines(os.path.join(found, "%d.maps" % pid)))]
        same("%sits mappings of %d" % (name, pid), got,
             ["%s %s %s" % (w[0], w[2], w[5] if len(w) > 5 else "")
              for w in want if "x" in w[1]])


def second(name, found):
    """The kernel's symbols and types are not read again."""
    first, again = (bundle.Bundle(os.path.join(found, f)) for f in ("bundle", "again"))
    same(name + "a second reading has the same kernel",
         [again.text, again.kallsyms, again.modules],
         [first.text, first.kallsyms, first.modules])
    check(name + "... and unwind tables",
          sorted(again.kernel_unwinds) == sorted(first.kernel_unwinds))
    tables = [len(x) for x in first.kernel_unwinds]
    check("%sunwind tables of the kernel and its modules (%d, %d bytes)" %
          (name, len(tables), sum(tables)),
          len(tables) > 3 and max(tables) > 500000, tables)
    of_modules, stray = first.module_unwinds()
    check("%s... of code that is there (%d)" % (name, len(of_modules)),
          of_modules and not stray, stray)
    same(name + "... and processes", sorted(p.pid for p in again.procs),
         sorted(p.pid for p in first.procs))
    sizes = [int(x) for x in lines(os.path.join(found, "bytes"))[0].split()]
    check("%sof %d bytes the second one reads %d" % (name, *sizes),
          sizes[0] - sizes[1] > KERNEL_BYTES, sizes)


def functions(name, b, share, marker):
    """Of programs, from the page cache: the guest's files are all in it."""
    said = subprocess.run(["nm", os.path.join(share, "marker")],
                          stdout=subprocess.PIPE, text=True, check=True)
    own = sorted((int(w[0], 16), w[2]) for w in
                 (line.split() for line in said.stdout.splitlines())
                 if len(w) == 3 and w[2] in
                 ("main", "leader", "maps", "many", "wait_thread"))
    mine = [f for f in b.files.values() if f.build_id == marker]
    check(name + "programs that are marker (%d)" % len(mine), len(mine) == 6,
          sorted((f.path, f.build_id) for f in b.files.values()))
    for f in mine:
        table = b.symtabs.get(f.id)
        names = dict((n, a) for a, _, n in table.symbols) if table else {}
        same("%sfunctions of %s" % (name, f.path),
             sorted((names.get(n, 0), n) for _, n in own), own)
        check("%show %s is unwound" % (name, f.path), f.id in b.unwinds)
    vdso = [f for f in b.files.values() if f.path == "[vdso]"]
    check(name + "[vdso]", len(vdso) == 1 and vdso[0].build_id and
          vdso[0].id in b.symtabs and
          any("gettimeofday" in n for _, _, n in
              b.symtabs[vdso[0].id].symbols), vdso)
    check(name + "nothing of a file lacks",
          not [f for f in b.files.values()
               if f.flags & (bundle.NOT_RESIDENT | bundle.UNREAD) and
               f.build_id], [f for f in b.files.values() if f.flags])


def storm(name, readings):
    """Of a guest that changes all the time the worst is that names lack."""
    # The process whose page table was there may have ended before the kernel
    # was found by it: then that is said.
    good = [r for r in readings if r[0] == 0]
    check(name + "it is read while processes come and go",
          len(good) >= STORM_READINGS and
          all(r[0] in (0, 1) and r[1] for r in readings), readings)
    for status, _, found in readings:
        if status:
            continue
        b = bundle.Bundle(os.path.join(found, "bundle"))
        procs = {p.pid: p for p in b.procs}
        check(name + "what stays has its names",
              b.ended and 1 in procs and procs[1].comm == "init" and
              procs[1].cmdline == "/bin/busybox sh /init" and
              len(b.kallsyms) > 1000000 and
              any(m.pid == 1 and b.files[m.file].path == "/bin/busybox"
                  for m in b.maps if m.file in b.files),
              (procs.get(1), b.notes))


def report(name, look, out, cpus, readings, flavour):
    """Prints a line a check; 0 if none failed."""
    share = os.path.join(out, "share")
    with open(os.path.join(share, "marker"), "rb") as f:
        marker = build_id(f.read())
    storm(name + ": ", readings)
    for i, cpu in enumerate(cpus):
        found = os.path.join(out, "found-%d" % i)
        os.makedirs(found, exist_ok=True)
        status = subprocess.run(
            [look, os.path.join(out, "memory"),
             str(os.path.getsize(os.path.join(out, "memory"))),
             str(cpu["CR3"]), str(cpu["RIP"]), str(cpu["GS"]), found],
            stderr=subprocess.PIPE, text=True)
        what = "%s, CPU %d: " % (name, i)
        check(what + "it is read", status.returncode == 0, status.stderr)
        if not status.returncode:
            kernel(what, found, share, flavour)
            processes(what, found, share)
            ids(what, found, marker)
            items(what, found, share, cpu, marker)
            second(what, found)
            facts = lines(os.path.join(found, "kernel"))
            check(what + "who runs", "current=0 0 swapper/%d" % i in facts,
                  [x for x in facts if x.startswith("current")])
    print("%d passed, %d failed" % (sum(checks), len(checks) - sum(checks)))
    return int(not all(checks))
