#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# On a terminal text is paged and has colours; elsewhere neither.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt s
sed 's/repeat=18 step=10000000/repeat=100000 step=10/' "$TOP"/tests/data/steal.txt > d
"$TOP"/tests/gen/mksession.py d long
python3 "$CASES"/t470_pager.py < /dev/null
PAGER=false "$VMMPROF" report -i s 2> /dev/null > text
grep -q 'Host and its guests' text
! grep -q "$(printf '\033')" text || exit 1
# The colours change no word.
"$VMMPROF" report -i s --color=always 2> /dev/null > colors
grep -q "$(printf '\033')" colors
sed "s/$(printf '\033')\[[0-9;]*m//g" colors | cmp - text
