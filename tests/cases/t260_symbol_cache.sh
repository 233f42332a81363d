# SPDX-License-Identifier: GPL-2.0-only
# guests --cache: lists, clears one or all; says what is wrong.
export VMMPROF_SYMBOL_CACHE="$PWD/c"
status() { want=$1; shift; s=0; "$@" > out 2> err || s=$?; [ $s -eq "$want" ]; }
status 0 "$VMMPROF" guests --cache
grep -q 'nothing is kept in' err
status 0 "$VMMPROF" guests --cache --json
python3 -c 'import json; assert json.load(open("out"))["cache"] == []'
status 1 "$VMMPROF" guests --cache=clear web
grep -q "'web'" err

# two guests, the second's name is no good for a terminal
umask 077
mkdir -p c/u0-none-776562 c/u0-none-64 other
for i in 1 2; do
	head -c 5000 /dev/zero > c/u0-none-776562/000000000000000000000000000000000000000$i.fun
done
printf web > c/u0-none-776562/name
printf 'd\033]0;x\007' > c/u0-none-64/name
echo 1 > c/u0-none-64/0000000000000000000000000000000000000001.fun
ln -s ../other c/link
touch other/0000000000000000000000000000000000000001.fun
status 0 "$VMMPROF" guests --cache
grep -qE '^web +2 +16384  20[0-9-]{8} [0-9:]{8}  u0-none-776562$' out
[ "$(grep -c "$(printf '\033')" out)" -eq 0 ]
[ "$(wc -l < out)" -eq 3 ]
status 0 "$VMMPROF" guests --cache --json
python3 -c '
import json
g = json.load(open("out"))["cache"]
assert [(x["files"], x["bytes"]) for x in g] == [(1, 4096), (2, 16384)], g
assert g[1]["name"] == "web" and g[1]["used_ns"] > 1700000000 * 10**9'
status 0 "$VMMPROF" guests --cache=clear web
grep -qx 'removed 2 files, 16384 bytes' out
[ ! -e c/u0-none-776562 ]
status 0 "$VMMPROF" guests --cache=clear
grep -qx 'removed 1 files, 4096 bytes' out
# a link leads nowhere
[ -e other/0000000000000000000000000000000000000001.fun ]

status 2 "$VMMPROF" guests --cache=frob
status 2 "$VMMPROF" guests --cache web
status 2 "$VMMPROF" guests --cache -i s
chmod 777 c
status 1 "$VMMPROF" guests --cache
grep -q 'others may write' err
status 0 "$VMMPROF" record -N --help
