# SPDX-License-Identifier: GPL-2.0-only
"""Instructions by function, from what pmu/cost.cc writes of a window."""
import bisect
import collections


def names(kallsyms):
    """A function that says of an address in which symbol it is ('?': in none), and whether it is its first one."""
    symbols = {int(f[0], 16): ' '.join(f[2:]) for f in map(str.split, open(kallsyms)) if f[1] in 'tTwW'}
    addresses = sorted(symbols)

    def name(address):
        at = bisect.bisect_right(addresses, address) - 1
        return (symbols[addresses[at]], addresses[at] == address) if at >= 0 else ('?', False)
    return name


def by_function(window, kallsyms, ours, first):
    """Of the functions that the pattern @ours finds: how many instructions each has executed in WINDOW.hist, NMIs not;
    and how often the one that begins with @first was called."""
    name_of = names(kallsyms)
    count, calls = collections.Counter(), 0
    for line in open(f'{window}.hist'):
        stage, address, n, *_ = line.split()
        if stage != 'none':
            continue
        name, begins = name_of(int(address, 16))
        if ours.search(name):
            count[name] += int(n)
            if name.startswith(first) and begins:
                calls = int(n)
    return count, calls
