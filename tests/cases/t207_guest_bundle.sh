#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A bundle from the command line; what is wrong with one is an error.
sed '/^  guest /d' "$TOP"/tests/data/two-guests.txt > d
"$TOP"/tests/gen/mksession.py d s
# lies there, though info does not tell of it
"$VMMPROF" report -v -i s | grep '^Guest.*resolved'
mv s/guests/alpha.bundle s/guests/beta.bundle .
"$VMMPROF" report -v -i s | grep resolved
"$VMMPROF" report -v -i s --guest-bundle alpha=alpha.bundle \
	--guest-bundle beta=beta.bundle | grep resolved
fails() { ! "$VMMPROF" report -i s "$@" 2>&1 >/dev/null; }
fails --guest-bundle alpha=none
fails --guest-bundle alpha=s/info
fails --guest-bundle gamma=alpha.bundle
fails --guest-bundle alpha
fails --guest gamma
fails --event nope
# the other guest's: its kernel does not fit
"$VMMPROF" report -v -i s --guest-bundle alpha=beta.bundle | grep -A1 WARNING
