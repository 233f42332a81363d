# SPDX-License-Identifier: GPL-2.0-only
"""Compares views of sessions where samples are counted before they are sorted with
those of the same ones where none are.

usage: t453_known_samples.py VMMPROF SEEDS, with TOP in the environment
"""

import itertools
import os
import shutil
import subprocess
import sys

TOP = os.environ["TOP"]
GEN = os.path.join(TOP, "tests/gen")
KINDS = ("drop", "switches", "swap", "disorder", "skew", "lost", "bits",
         "clock", "tasks", "threads", "cut")
DATA = "steal", "two-guests", "svm", "identity"
LARGE = (("-c", "2", "-g", "1", "-p", "3"), ("-c", "4", "-g", "3", "-p", "10"),
         ("-c", "16", "-g", "8", "-p", "3"))
TIME = "--time", "3%-20%,30%-40%,45%-45.5%,50%-60%,70%-100%"
HTML = "report", "--html", "page"
VIEWS = (("report", "--json", "-n", "0"), ("steal", "--json"),
         ("export", "-f", "folded"), ("export", "-f", "csv"),
         ("report", "--json", "--sort", "srcline,process", "-n", "0"),
         ("timeline", "--svg"), HTML)
# of a part of the time one view of each session, in turns
PARTS = itertools.cycle((*words, *TIME) for words in VIEWS)


def twin(session, name, cpu):
    """The same in NAME/s, with one more file of a CPU, which has no records."""
    shutil.copytree(session, os.path.join(name, "s"))
    with open(os.path.join(session, "cpu-0.rec"), "rb") as f:
        header = f.read(32)
    with open(os.path.join(name, "s", "cpu-9999.rec"), "wb") as f:
        f.write(header[:20] + cpu.to_bytes(4, "little") + header[24:])


def view(vmmprof, words, where):
    run = subprocess.run([vmmprof, *words, "-i", "s"], cwd=where,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    page = os.path.join(where, "page")
    if not os.path.exists(page):
        return run.returncode, run.stdout
    with open(page, "rb") as f:
        text = f.read()
    os.remove(page)
    return run.returncode, run.stdout, text


def compare(vmmprof, session, what):
    """With two files of a CPU nothing is presumed of its samples."""
    same = True
    twin(session, "usual", 9999)
    twin(session, "one-by-one", 0)
    for words in (*VIEWS, next(PARTS), ("steal", "--json", *TIME)):
        if view(vmmprof, words, "usual") != view(vmmprof, words, "one-by-one"):
            print(*what, *words, "differs")
            same = False
    shutil.rmtree("usual")
    shutil.rmtree("one-by-one")
    return same


def sessions(seed):
    """Makes one after the other in s, and says what it is."""
    for name in DATA:
        subprocess.run([os.path.join(GEN, "mksession.py"),
                        os.path.join(TOP, "tests/data", name + ".txt"), "s"],
                       check=True)
        yield (name,)
    for more in LARGE[seed % 3:] + LARGE[:seed % 3]:
        subprocess.run([os.path.join(TOP, "build/gen/bigsession"), "-n",
                        "30000", "-f", "100", *more, "s"], check=True,
                       stdout=subprocess.DEVNULL)
        yield more


def main():
    vmmprof, seeds = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    same = True
    for seed in range(seeds):
        for i, what in enumerate(sessions(seed)):
            same &= compare(vmmprof, "s", what)
            # of the large ones each kind of damage once for three seeds
            for kind in KINDS if len(what) == 1 else KINDS[(i + seed) % 3::3]:
                subprocess.run([os.path.join(GEN, "mutate.py"), "s", "m", kind,
                                str(seed)], check=True)
                same &= compare(vmmprof, "m", (*what, kind, seed))
                shutil.rmtree("m")
            shutil.rmtree("s")
    return not same


if __name__ == "__main__":
    sys.exit(main())
