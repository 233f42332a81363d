#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Whatever ends report --tui leaves the terminal as it was: keys, signals to
# either of its processes, a crash of either, being stopped and continued.
. "$CASES/tui.sh"
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt s
tui_start 80 24
sh=$(tui display-message -p '#{pane_pid}')

# The process that has the terminal, and the one that reads
begin()
{
	tui_type "$VMMPROF" report --tui -i s
	tui_wait '^alpha'
	owner=$(pgrep -P "$sh" vmmprof)
	reader=$(pgrep -P "$owner" vmmprof | head -n 1)
}

# ended STATUS: the program has, and the terminal is as it was.  (What a shell
# has after a command that a signal ended it does not run.)
ended()
{
	for _ in $(seq 200); do
		pgrep -P "$sh" > /dev/null || break
		sleep 0.1
	done
	tui_type echo 'status $?'
	tui_sane "^status $1"
}

begin
tui_keys q
ended 0

begin
tui_keys C-c
ended 130

alive() { grep -q '^State:.*[RSDT]' "/proc/$1/status" 2> /dev/null; }

for sig in TERM HUP SEGV ABRT; do
	begin
	kill -$sig "$owner"
	ended 1
	for _ in $(seq 300); do
		alive "$reader" || break
		sleep 0.1
	done
	if alive "$reader"; then exit 1; fi
done

for sig in TERM KILL; do
	begin
	kill -$sig "$reader"
	ended 1
done
# A reader that crashed is told of.
begin
kill -SEGV "$reader"
ended 1

begin
tui_keys C-z
tui_wait 'Stopped\|suspended'
test "$(tui display-message -p '#{alternate_on} #{cursor_flag}')" = '0 1'
tui_type fg
tui_wait '^alpha'
tui_keys Down Enter
tui_wait '^VMs > alpha'
tui_keys F10
ended 0
