#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --json has the same numbers as the text.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt s
"$VMMPROF" report -i s --json > json
"$VMMPROF" report -v -i s -n 0 > text
"$TOP"/tests/gen/compare_json.py json text
