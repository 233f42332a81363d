# SPDX-License-Identifier: GPL-2.0-only
# An existing session, a foreign directory and a file are refused before the
# module is asked for; a directory that is no session even with --force.
refused()
{
	want=$1
	shift
	status=0
	"$VMMPROF" record -d 1 "$@" 2> err || status=$?
	[ $status -eq 1 ] && grep -q -- "$want" err && return
	echo "record $*: status $status"
	cat err
	exit 1
}
mkdir session
printf 'VMMPROF\n\1\0\1\0\1\0\40\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > session/info
mkdir thesis
echo precious > thesis/chapter1
echo data > file
refused "a session in 'session' already" -o session
refused 'not a session' -o thesis
refused 'not even with --force' -o thesis --force
refused 'Not a directory' -o file --force
refused 'No such file' -o nowhere/session --force
echo mine > session/notes
refused 'not a session' -o session --force
[ "$(cat thesis/chapter1)" = precious ] && [ -s session/info ]
