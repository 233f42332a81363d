# SPDX-License-Identifier: GPL-2.0-only
# A real terminal for cases (sourced): tmux, keys in, screen out.  Its server
# ends with the case.

tui() { tmux -u -S "$PWD/tmux" -f /dev/null "$@"; }

# tui_start W H [COMMAND]: a terminal of W columns and H lines with a shell, or
# with what else.
tui_start()
{
	trap 'tui kill-server 2> /dev/null || :' EXIT
	if [ $# -gt 2 ]; then
		w=$1 h=$2
		shift 2
		tui new-session -d -x "$w" -y "$h" "exec $*"
		return
	fi
	tui new-session -d -x "$1" -y "$2" "PS1='$ ' exec sh"
	tui_wait '^\$'
	# (its size is the window's, which a case may change)
	tui_type stty -a '|' sed 1d '>' before
}

# tui_type WORDS: type a line.
tui_type() { tui send-keys -l "$*" && tui send-keys Enter; }

# absent REGEX: standard input has no such line (`! grep` does not end a case)
absent() { if grep -- "$1"; then return 1; fi; }

tui_keys() { tui send-keys "$@"; }
tui_screen() { tui capture-pane -p; }

# tui_wait REGEX: until a line of the screen matches; 20 s at most.
tui_wait()
{
	for _ in $(seq 200); do
		if tui_screen | grep -q -- "$1"; then
			return
		fi
		sleep 0.1
	done
	echo "the screen does not show $1:"
	tui_screen
	return 1
}

# tui_still: until the screen stands still: what is looked at once, after that,
# is all there.
tui_still()
{
	was=
	for _ in $(seq 100); do
		now=$(tui_screen)
		if [ "$now" = "$was" ]; then
			return
		fi
		was=$now
		sleep 0.15
	done
	echo 'the screen does not stand still'
	return 1
}

# tui_sane: the terminal is as it was: no other screen, cursor, no mouse, modes.
tui_sane()
{
	tui_wait "${1:-^status}"
	flags='#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag}'
	test "$(tui display-message -p "$flags")" = '0 1 0 0'
	sane=$((${sane:-0} + 1)) # what was said before is still on the screen
	tui_type stty -a '|' sed 1d '>' after ';' clear ';' echo ready $sane
	tui_wait "^ready $sane\$"
	cmp before after
}
