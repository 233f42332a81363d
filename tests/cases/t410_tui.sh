#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# report --tui in a real terminal: what the screen shows, at two sizes, with
# and without UTF-8, in time stretches, by keys and by mouse.
. "$CASES/tui.sh"
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt s
tui_start 80 24
tui_type TERM=screen "$VMMPROF" report --tui -i s ';' echo 'status $?'

# The numbers are those of `vmmprof steal`.
tui_wait '^alpha .* 26\.0   2\.5  19\.5  52\.0   0\.0   0\.0 25.6% beta'
tui_still
tui_screen > screen
grep -q '^  vCPU 0 *█*  42\.0   5\.0  32\.0  21\.0   0\.0   0\.0' screen
grep -q '^gamma .* 4\.5   0\.0   0\.0  95\.5   0\.0   0\.0' screen
grep -q '^steal  .*▄▄▄.* 0.000-1.000 s' screen
grep -q '^ *52 *55\.3 ████[^ ]* *\[alpha\] *(VM1)' screen
# 24 lines of 80 columns, the first and the last used
test "$(wc -l < screen)" -eq 24
sed -n 1p screen | grep -q '^vmmprof  s  host1 .* 94 samples, ref-cycles'
sed -n 24p screen | grep -q '^F1 Help .*F10 Quit'

# Another size
tui resize-window -x 200 -y 60
tui_wait 'steal    halt   block    unkn top thief'
tui_wait '25.6% vCPU 0 of beta (VM2)'
test "$(tui_screen | wc -l)" -eq 60
tui resize-window -x 30 -y 5
tui_wait 'the terminal is too small'
tui resize-window -x 80 -y 24
tui_wait '^alpha'

# Down to a function and back
tui_keys Down Enter
tui_wait '^VMs > alpha$'
tui_keys Down Enter
tui_wait '^VMs > alpha > vCPU 0$'
tui_wait '^ *42 *100 *90.5 *all processes'
tui_keys Enter
tui_wait '38   90.5  *[^ ]* *(no bundle for this guest)'
tui_keys Escape
tui_wait '^VMs > alpha > vCPU 0$'
tui_keys q q
tui_wait '^VMs$'

# Sort by steal: beta has most of it.
tui_keys s s s
tui_wait '\*steal'
tui_still
tui_screen | grep -E '^(alpha|beta|gamma)' | head -n 1 | grep -q '^beta'

# A filter shows as it is typed.
tui_keys Home Tab /
tui_keys -l 'GAM'
tui_wait '^filter: GAM_'
tui_wait 'Function   filter: GAM'
tui_still
tui_screen | grep -q '\[gamma\]'
tui_screen | absent '\[beta\]'
tui_keys Escape
tui_wait '\[beta\]'

# A stretch of time; the same by the mouse
for _ in 1 2 3 4 5 6 7 8 9 10; do tui_keys Right; done
tui_keys m
tui_wait 'from 0.156 s'
tui_keys Right Right Right Right Right Right Right m
tui_wait '11 samples'
tui_wait 'beta .* 60\.7   0\.0  39\.3   0\.0'
tui_keys x
tui_wait '94 samples'
# A click on line 5 (as TERM=screen reports it) chooses a row, another enters it.
click() { tui send-keys -l "$(printf '\033[M #%%\033[M##%%')"; }
click
tui_wait '^ *0\.200  *20\.0 .*(no bundle for this guest)'
click
tui_wait '^VMs > beta$'
tui_keys Escape
tui_wait '^VMs$'

# Help, and the end
tui_keys '?'
tui_wait '^ Enter *into the chosen VM'
tui_keys '?'
tui_wait '^alpha'
tui_keys F10
tui_sane '^status 0'

# The event, and a terminal without colours and UTF-8
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt u
tui_type LC_ALL=C TERM=vt100 "$VMMPROF" report --tui -i u -e ref-cycles ';' echo 'status $?'
tui_wait '^VM, vCPU'
tui_wait '^alpha'
tui_still
tui_screen | absent '[▁▂▃▄▅▆▇█]'
tui capture-pane -p -e | absent "$(printf '\033\\[3[0-8]')"
tui_keys q
tui_sane '^status 0'
tui_type NO_COLOR=1 "$VMMPROF" report --tui -i s ';' echo 'status $?'
tui_wait '▄▄▄'
# without colours the states' letters stay
tui_wait '^  vCPU 0 *GGGG*V*SSS*\.*  42\.0'
tui_still
tui capture-pane -p -e | absent "$(printf '\033\\[3[0-8]')"
tui_keys q
tui_sane '^status 0'

# No terminal, one of which nothing is known, one that has lines only, and
# options that do not fit
status=0
"$VMMPROF" report --tui -i s > out 2> err < /dev/null || status=$?
test $status -eq 1
grep -q 'no terminal' err
status=0
"$VMMPROF" report --tui --json -i s 2> err || status=$?
test $status -eq 2
tui_type TERM=nonesuch "$VMMPROF" report --tui -i s ';' echo 'status $?'
tui_wait 'TERM=nonesuch'
tui_sane '^status 1'
tui_type TERM=dumb "$VMMPROF" report --tui -i s ';' echo 'status $?'
tui_wait 'can only print lines'
tui_sane '^status 1'
