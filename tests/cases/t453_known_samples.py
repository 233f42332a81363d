# SPDX-License-Identifier: GPL-2.0-only
"""Compares what views say of a session with what they say of all of its time.

usage: t453_known_samples.py VMMPROF SEEDS, with TOP in the environment
"""

import json
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
# what says that a part of the time was asked for
OF_TIME = "time_ranges", "outside_time", "checks", "samples-why"
VIEWS = (("report", "--json", "-n", "0"), ("steal", "--json"),
         ("export", "-f", "folded"), ("export", "-f", "csv"))


def whole(value):
    """Without what is said of a part of the time alone."""
    if isinstance(value, dict):
        return {k: whole(v) for k, v in value.items() if k not in OF_TIME}
    if isinstance(value, list):
        return [whole(v) for v in value]
    return value


def view(vmmprof, words, path, *more):
    run = subprocess.run([vmmprof, *words, "-i", path, *more],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if "--json" in words and not run.returncode:
        return whole(json.loads(run.stdout))
    return run.returncode, run.stdout


def compare(vmmprof, path, what):
    same = True
    for words in VIEWS:
        if view(vmmprof, words, path) != view(vmmprof, words, path,
                                              "--time", "0%-100%"):
            print(*what, *words, "differs")
            same = False
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
    vmmprof, seeds = sys.argv[1], int(sys.argv[2])
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
