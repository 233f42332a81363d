#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# With --time, functions in a trace for Perfetto are those of samples in that time,
# as the states are.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt s
begins() {
	"$VMMPROF" timeline -i s --perfetto "$@" |
		protoc -I "$TOP"/tests/data --decode=Trace perfetto.proto |
		python3 -c '
import re, sys
functions, times = set(), []
for p in sys.stdin.read().split("packet {")[1:]:
    f = dict(re.findall(r"(\w+): \"?([^\"\n]*)\"?", p))
    if "track_descriptor" in p:
        if "functions" in f.get("name", ""):
            functions.add(f["uuid"])
    elif f["type"] == "TYPE_SLICE_BEGIN" and f["track_uuid"] in functions:
        times.append(int(f["timestamp"]))
print(*sorted(times), sep="\n")'
}
begins
echo in that time:
begins --time 0.25,0.5
