#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A stripped file's functions get their bounds from .eh_frame, and names from
# debug files with its build-id when the session is read: of a directory that is
# named, of $VMMPROF_DEBUG_DIR, of a file that the host had mapped.  What does not
# fit is told and not used.
. "$CASES/debug_names.sh"

# Bounds: each function is a row of its own, with the address that objdump shows.
session "$PWD/prog" flags=32
report
test ! -s err
share "prog+$(short "$one")" 40
share "prog+$(short "$two")" 30
share rand@plt 20
share "gprog+$(short "$two")" 60
share "gprog+$(short "$main")" 10
absent 'between the symbols'
absent unresolved

# A directory of debug files, as gdb has it.
mkdir -p dbg/.build-id/"$head"
cp only.debug dbg/.build-id/"$head/$tail.debug"
named()
{
	test ! -s err || { cat err; exit 1; }
	share hidden_one 40
	share hidden_two 30
	share rand@plt 20
	share hidden_two 60
	share main 10
	absent 'prog+0x'
}
report --debug-dir dbg
named
VMMPROF_DEBUG_DIR=/nowhere:dbg "$VMMPROF" report -i s > out 2> err
named
report --debug-dir "$PWD/dbg"
named
# One that is named by the option and is none is told, for it may be a typing error.
report --debug-dir /nowhere --debug-dir "$PWD/only.debug" --debug-dir "$PWD/dbg"
diff - err << EOF
vmmprof: warning: --debug-dir: no names of '/nowhere': No such file or directory
vmmprof: warning: --debug-dir: no names of '$PWD/only.debug': Not a directory
EOF
: > err
named

# Every verb has them.
for verb in 'script -F sym' 'export --format json' \
	'report --json' 'report --csv'; do
	"$VMMPROF" $verb -i s --debug-dir dbg > out 2> err
	case $verb in script*|report*|export*) has hidden_two; absent prog+0x ;; esac
done
"$VMMPROF" diff --debug-dir dbg s s > out
has hidden_two
absent prog+0x
"$VMMPROF" annotate -i s --debug-dir dbg --code-from prog hidden_two > out 2> err
has "^hidden_two "
has 'call.*<rand@plt>'
has 'call.*<hidden_one>'
absent _init
"$VMMPROF" annotate -i s --code-from prog "prog+$(short "$two")" > out 2> err
has "call.*<prog+$(short "$one")"

"$VMMPROF" exits -i s --debug-dir dbg > out 2>&1 || test $? -eq 1
"$VMMPROF" timeline --perfetto -i s --debug-dir dbg > out 2>&1 || test $? -eq 1

# perf's cache of build-ids has another layout.
mkdir -p perf/.build-id/"$head/$tail"
cp full perf/.build-id/"$head/$tail"/elf
report --debug-dir perf
named

# So has what clients of debuginfod keep.
mkdir -p kept/"$id"
cp only.debug kept/"$id"/debuginfo
report --debug-dir kept
named

# Another file in its place.
echo 'int other(void) { return 1; }' > other.c
gcc -shared -Wl,--build-id -o other other.c
mkdir -p wrong/.build-id/"$head"
cp other wrong/.build-id/"$head/$tail.debug"
report --debug-dir wrong
share "prog+$(short "$one")" 40
grep -q "^vmmprof: warning: wrong/.build-id/$head/$tail.debug: not used for the names of .*/g*prog: its build-id is another one, or missing$" err

# The build-id is right, but the code is elsewhere.
gcc -shared -Wl,--build-id=0x"$id" -Wl,-Ttext=0x900000 -o moved other.c
cp moved wrong/.build-id/"$head/$tail.debug"
report --debug-dir wrong
share "prog+$(short "$one")" 40
grep -q ': it has functions outside of that file.s code$' err

# A damaged one.
head -c 40 only.debug > wrong/.build-id/"$head/$tail.debug"
report --debug-dir wrong
share "prog+$(short "$one")" 40
grep -q ': it is no ELF file, or damaged$' err

# The host's own file names a guest's functions only if it is root's alone.
if [ "$(id -u)" -eq 0 ]; then
	session "$PWD/full" flags=32
	report
	named
	session "$PWD/full" flags=0
	report
	share hidden_one 40
	share "gprog+$(short "$two")" 60
	# Updated since, as on any other machine: not a word.
	session "$PWD/other" flags=32
	report
	test ! -s err || { cat err; exit 1; }
	session "$PWD/full" flags=32
	chown 65533 full
	report
	share "gprog+$(short "$two")" 60
fi
