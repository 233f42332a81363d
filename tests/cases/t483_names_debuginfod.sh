#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Names of functions from a debuginfod server: asked for only if the user says so,
# of guests' files only with "all", each build-id once.
. "$CASES/debug_names.sh"
. "$CASES/debuginfod.sh"
mkdir -p www/buildid/"$id"
cp only.debug www/buildid/"$id"/debuginfo
asked() { test "$(cat asked)" = "$1" || { cat asked; exit 1; }; }
server=
trap '[ -z "$server" ] || kill $server' EXIT

# Without a server's address that is said once.
session "$PWD/prog" flags=32
report --debuginfod host
share "prog+$(short "$one")" 40
test "$(grep -c 'debuginfod: not used for the names of .*: set DEBUGINFOD_URLS' err)" -eq 1

server_start
report
asked ''
share "prog+$(short "$one")" 40

# What the guest has is the same file, and nobody is told that it has it.
report --debuginfod host
test ! -s err
share hidden_one 40
share hidden_two 60
asked "/buildid/$id/debuginfo"

# A file that only the guest has, from the cache or not.
rm -rf cache*
: > asked
session /opt/none ""
sed -i "s/path=.opt.none build_id=$id/path=\/opt\/none/" d
rm -rf s
"$TOP"/tests/gen/mksession.py d s
report --debuginfod host
share "gprog+$(short "$two")" 60
asked ''
"$VMMPROF" script -i s --debuginfod all > out 2> err
has hidden_two
asked "/buildid/$id/debuginfo"
"$VMMPROF" export --format json -i s --debuginfod all > out 2> err
has hidden_two
"$VMMPROF" diff --debuginfod all s s > out 2> err
has hidden_two
asked "/buildid/$id/debuginfo"
