# SPDX-License-Identifier: GPL-2.0-only
"""What tests/guest/run asks a guest for, made of a bundle of it."""


def code_list(b):
    """A list of code: functions of marker, of the kernel and its modules; and
    what is none: the middle of one, those of the kernel's start, memory, a
    file's head, no file."""
    lines = []
    file, = [f for f in b.files if f in b.symtabs and
             "mark" in [s[2] for s in b.symtabs[f].symbols]]
    (offset, vaddr, _), = b.symtabs[file].segments
    for addr, size, name in b.symtabs[file].symbols:
        if size and name in ("mark", "mark_forever", "main"):
            lines.append("%d %x %d" % (file, addr - vaddr + offset, size))
    rows = [line.split() for line in b.kallsyms.decode().splitlines()]
    begin, end = ([int(r[0], 16) for r in rows if r[1:] == ["T", name]][0]
                  for name in ("_stext", "_etext"))
    kernel = sorted({int(r[0], 16) for r in rows if len(r) == 3})
    init = [a for a in kernel if a > end][:3]
    kernel = [a for a in kernel if begin <= a < end]
    kernel = kernel[::len(kernel) // 100]
    modules = sorted({int(r[0], 16) for r in rows if r[3:] == ["[9p]"]})
    lines += ["kernel %x 4096" % a for a in kernel + modules[:20]]
    # the middle of a function, and functions of the kernel's start
    lines += ["kernel %x 16" % (a + 1) for a in kernel[:1]]
    lines += ["kernel %x 16" % a for a in init]
    lines += ["kernel ffff888000001000 16", "%d 0 64" % file, "99999 0 64"]
    return "".join(line + "\n" for line in lines)


def have_list(b):
    """The build-ids of the files with symbols, for --have."""
    return b"".join(bytes.fromhex(f.build_id).ljust(20, b"\0")
                    for f in b.files.values()
                    if f.build_id and f.id in b.symtabs)
