# SPDX-License-Identifier: GPL-2.0-only
# report --tui: the instructions of a function are a debuginfod server's where
# they are not here; one that hangs costs a line of text, and a bounded time.
. "$CASES/tui.sh"
. "$CASES/annotate.sh"
. "$CASES/debuginfod.sh"
server_program
server=
trap 'tui kill-server 2> /dev/null || :; [ -z "$server" ] || kill $server' EXIT
server_start
tui_start 200 60
trap 'tui kill-server 2> /dev/null || :; kill $server' EXIT

wait=30
# host: the panels, and from there to the host's function
host()
{
	tui_type env DEBUGINFOD_TIMEOUT=$wait "$VMMPROF" report --tui -i s "$@" ';' echo 'status $?'
	tui_wait '^web'
	tui_keys Home Tab
	tui_wait '^ *100 .*spin'
	tui_keys Enter
}
host --debuginfod=no
tui_wait '^No code: no file of build-id'
tui_screen | absent '^debuginfod'
tui_keys Q
tui_sane '^status 0'
test ! -s asked

host
tui_wait "^Code: debuginfod:executable/$id"
tui_wait '^ *60 *60\.00 *40100b  nop'
tui_wait '^ *| \{9\}imul    \$1234, %ebx, %ecx'
tui_keys q
# the guest's is the same file, and is not asked for
tui_wait '^web'
tui_keys Tab Tab Down Tab
tui_wait '^ *33 *100 *[^ ]* *spin'
tui_keys Enter
tui_wait '^debuginfod: not asked for a guest'
tui_keys Q
tui_sane '^status 0'

rm -rf cache cache-vmmprof
wait=1
echo HANG > www/buildid/"$id"/executable
cp www/buildid/"$id"/executable www/buildid/"$id"/debuginfo
host
tui_wait '^debuginfod: no answer in time'
tui_wait '^ *60 *60\.00 *40100b  (no code)'
tui_keys Q
tui_sane '^status 0'
