#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Who ran in a guest, read from its memory: it decides over CR3 and kernel stacks,
# which are the fallback; the account counts where they agree and where not.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/identity.txt s
"$VMMPROF" script s -F type,cpu,tsc,gpid,gtid,gcomm,gsym,who,unresolved
"$VMMPROF" report s --stdio -v --sort vm,pid,tid,comm |
	sed -n '/^Samples/,/^$/p; /^Guest vm/,/^$/p'
"$VMMPROF" report s --json | python3 -c '
import json, sys
print(*[(t["guest"], t["from_memory"]) for t in json.load(sys.stdin)["trust"]])'
