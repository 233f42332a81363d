# SPDX-License-Identifier: GPL-2.0-only
# An unknown event is named, the known ones are listed, nothing is created.
status=0
"$VMMPROF" record -e cycles,cycels -d 1 2> err || status=$?
[ $status -eq 2 ]
grep -q "unknown event 'cycels'" err
grep -q 'ref-cycles, cycles' err
[ ! -e vmmprof.data ]
