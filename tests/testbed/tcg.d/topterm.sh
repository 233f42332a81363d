# SPDX-License-Identifier: GPL-2.0-only
# vmmprof top on a terminal of a real kernel: what it shows at two sizes and on
# poor terminals, by keys and mouse; that whatever ends it leaves the terminal,
# the memory and the module as they were; any keys (built with the sanitizers).
cd /tmp || exit # where a socket can be
. /lab/tui.sh
export TERM=screen

insmod /lab/vmmprof.ko
# 150,000 symbols of the kernel are read twice at each start: not here
echo 2 > /proc/sys/kernel/kptr_restrict
spin=$(basename "$(command -v spin)")
# busy for a part of the time: most of this test is waiting
"$spin" 20 100 > /dev/null & busy=$!
tui_start 80 24
sh=$(tui display-message -p '#{pane_pid}')

# must RULE COMMAND...: a check without which nothing can follow
must()
{
	check "$@"
	tail -n 1 "$RESULT/checks" | grep -q '^ok' || exit 1
}

# begin [ENVIRONMENT...]: top, until its first interval is there
begin()
{
	tui_type "$@" vmmprof top -d 1
	must "it runs${*:+ ($*)}" tui_wait "$spin"
	read -r owner _ < "/proc/$sh/task/$sh/children"
	read -r reader _ < "/proc/$owner/task/$owner/children"
}

# gone PROCESS
gone()
{
	local i
	for i in $(seq 100); do
		grep -q '^State:.*[RSDT]' "/proc/$1/status" 2> /dev/null || return 0
		sleep 0.1
	done
	return 1
}

# ended STATUS WHAT: it has, and all is as before
ended()
{
	# what a shell has behind a command that a signal ended it does not run
	must "$2: its process is gone" gone "$owner"
	check "$2: so is the other one" gone "$reader"
	tui_type echo 'status $?'
	must "$2: status $1" tui_wait "^status $1"
	check "$2: the terminal is as it was" tui_sane "^status $1"
	check "$2: nothing is left in memory" \
		fails ls -d /dev/shm/vmmprof-top* /tmp/vmmprof-top*
}

# The screen at two sizes
begin
tui_still || true
tui_screen > small
check "80x24: what it is, its cost and the samples" \
	grep '^vmmprof top .*own [0-9.]*%.* samples, cpu-clock' small
check "80x24: 24 lines, the last one has the keys" \
	eval 'test "$(wc -l < small)" -eq 24 && tail -n 1 small | grep -q "F1 Help.*p Pause.*F10 Quit"'
tui resize-window -x 200 -y 60
check "200x60: the whole of it" tui_wait '^F1 Help .*F10 Quit'
tui_screen > large
check "200x60: 60 lines" test "$(wc -l < large)" -eq 60
tui resize-window -x 80 -y 24
tui_keys p
check "p stands still" tui_wait ', paused'
tui_keys Enter
check "Enter: the host's processes" tui_wait "^VMs > host"
tui_keys / s p i n Enter
check "a filter" tui_wait "filter: spin"
tui_keys Down Enter
check "Enter: the functions of one" tui_wait "^VMs > host > .*$spin"
tui_screen > process
tui_keys Down Enter
check "Enter: its instructions" tui_wait 'lines [0-9]'
tui_screen > code
# The same by the mouse, as TERM=screen reports it: a row that has code, which does
# not all fit on the screen, and the wheel there.
tui_keys q Up
check "q: back" tui_wait "^VMs > host > .*$spin"
tui_screen > process
row=$(grep -n "heavy80 .*$spin" process | head -n 1 | cut -d: -f1)
n=$(sed -n "${row}s/^ *\([0-9]*\) .*/\1/p" process)
there=$(printf "\\$(printf %o $((32 + row)))")
click() { tui send-keys -l "$(printf '\033[M #%s\033[M##%s' "$there" "$there")"; }
click
check "a click chooses a row" tui_wait "^ *$n  *100 .* $spin  *-"
click
check "a click on the row chosen enters it" tui_wait 'lines [0-9]'
tui resize-window -x 80 -y 16
tui_keys Home
check "80x16: the first lines" tui_wait 'lines 1-13 of'
tui send-keys -l "$(printf '\033[Ma#%%')"
check "the wheel scrolls" tui_wait 'lines [2-9]-'
tui resize-window -x 80 -y 24
tui_keys p
check "they go on" fails eval 'sleep 1.5; tui_screen | grep "paused,"'
tui_keys q Escape Escape Escape Escape
check "Escape: back" tui_wait '^VMs *$'
tui_keys '?'
check "help" tui_wait 'stand still; again: go on'
tui_screen > help
tui_keys x q
ended 0 q

begin TERM=vt100 LC_ALL=C
check "vt100: no colours" fails eval \
	"tui capture-pane -p -e | grep \"\$(printf '\\033\\\\[3[0-8]')\""
check "LC_ALL=C: ASCII only" fails eval 'tui_screen | LC_ALL=C grep "[^ -~]"'
tui_keys Q
ended 0 Q
begin NO_COLOR=1
check "NO_COLOR: none" fails eval \
	"tui capture-pane -p -e | grep \"\$(printf '\\033\\\\[3[0-8]')\""
tui_keys C-c
ended 130 Ctrl-C

for sig in TERM:143 HUP:129 SEGV:139; do
	begin
	kill -${sig%:*} "$owner"
	ended ${sig#*:} "SIG${sig%:*}"
done
for sig in SEGV; do
	begin
	kill -$sig "$reader"
	ended 1 "its reader, SIG$sig"
done

begin
tui_keys C-z
check "Ctrl-Z: stopped" tui_wait 'Stopped\|suspended'
check "Ctrl-Z: the shell's screen" \
	test "$(tui display-message -p '#{alternate_on} #{cursor_flag}')" = '0 1'
sleep 2
tui_type fg
check "fg: it goes on" tui_wait '^VM, vCPU'
tui_keys Down Enter q q q
ended 0 "after fg"

begin
tui kill-server
check "a terminal that is closed ends it" gone "$owner"
check "and its reader" gone "$reader"
check "and leaves nothing" fails ls -d /dev/shm/vmmprof-top* /tmp/vmmprof-top*
kill $busy
check "the module is free again" rmmod vmmprof
mkdir /share/screens
cp small large process code help /share/screens/
