#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The panels state vCPUs' time in the numbers of `steal` and of `report`, to the
# last digit that they show, of all of it and of parts (see t341_one_number).
export PYTHONDONTWRITEBYTECODE=1
for data in steal owners; do
	"$TOP"/tests/gen/mksession.py "$TOP/tests/data/$data.txt" $data
	python3 "$CASES"/t342_tui_one_number.py $data
done
[ -z "$QUICK" ] || exit 0 # make quick: two of five
python3 "$CASES"/t342_tui_one_number.py steal --time 0.2051,0.35
sed 's/tsc_khz=1000000/tsc_khz=2599993/' "$TOP"/tests/data/steal.txt > odd.txt
"$TOP"/tests/gen/mksession.py odd.txt odd
python3 "$CASES"/t342_tui_one_number.py odd --time 17%-61.7%
sed '0,/^  event /s//  switches on=1\n  event /; s/tsc_khz=1000000/tsc_khz=2599993/' \
	"$TOP"/tests/data/two-guests.txt > functions.txt
"$TOP"/tests/gen/mksession.py functions.txt functions
python3 "$CASES"/t342_tui_one_number.py functions
