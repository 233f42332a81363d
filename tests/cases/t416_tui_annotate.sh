#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# report --tui: Enter on a function shows what `vmmprof annotate` writes of it,
# of the samples of the row, with the reason where there is no code; one scrolls
# in it and gets back to where one was; names give the terminal no orders.
. "$CASES/tui.sh"
. "$CASES/annotate.sh"
annotate_program
cp prog copy
code=$PWD/prog guest=/usr/bin/gprog guest_id=aabbccdd
annotate_session
tui_start 200 60

# shown FILE: between title and keys the screen has FILE, and nothing else.
shown()
{
	tui_wait "^spin .* lines 1-$(wc -l < "$1") of $(wc -l < "$1")\$"
	tui_still
	tui_screen | sed -e 1d -e '$d' -e 's/ *$//' | sed -e '/./,$!d' > screen
	sed -e 's/ *$//' "$1" > want
	head -n "$(wc -l < want)" screen | diff want -
	test "$(sed -e "1,$(wc -l < want)d" screen | tr -d '\n')" = ''
}

"$VMMPROF" annotate -i s spin --guest web > web
grep -q '^No code: no file of build-id aabbccdd: copy the program' web
"$VMMPROF" annotate -i s spin --process 9 > process
grep -q '^ *60 *75\.00 *40100b  nop' process
"$VMMPROF" annotate -i s spin --process 9 -M intel > intel
"$VMMPROF" annotate -i s spin -e cpu-clock > clock
tui_type "$VMMPROF" report --tui -i s ';' echo 'status $?'
tui_wait '^web'

# In the lower pane: of a guest whose program is not here
tui_keys Down
tui_wait '^ *33 *100 *[^ ]* *spin'
tui_keys Tab Enter
shown web
tui_keys Escape
tui_wait '^VMs '
# Down to the function, then its instructions: of that process only
tui_keys q Home Enter
tui_wait '^VMs > host  '
tui_keys Down
tui_wait '^ *80  *94\.1  *[^ ]* *spin'
tui_keys Enter
tui_wait '^VMs > host > prog  '
tui_keys Down Enter
shown process
tui_keys i
tui_wait 'Syntax:intel'
shown intel
tui_keys i q
tui_wait '^VMs > host > prog  '
# Another event, whose interrupt is a timer's
tui_keys q q
tui_wait '^VMs '
tui_keys v Home
tui_wait '^ *7 *100 *[^ ]* *spin'
tui_keys Tab Enter
shown clock
tui_keys q
tui_wait '^VMs '
tui_keys q

# Small: one scrolls, and goes from one line of many samples to the next.
tui resize-window -x 80 -y 12
tui_keys v Tab Enter
# at the line that has most
tui_wait '^spin .* lines [0-9]*-[0-9]* of '
tui_wait '^ *60  *60\.00 *40100b'
tui_keys Home
tui_wait '^spin .* lines 1-9 of '
tui_keys n
tui_wait '^ *60  *60\.00 *40100b'
tui_keys n
tui_wait '^ *30  *30\.00 *401011'
tui_keys N Right Right
tui_wait '^ *40100b  nop'
tui_keys Left Left End
tui_wait '^ 30\.00  *401011  the end of what 40100c called'
tui_keys Down Home
tui_wait '^Samples: 100    event: ref-cycles'
tui_keys '?'
tui_wait '^ Enter  *into the chosen VM'
tui_keys x
tui_wait '^spin .* lines 1-9 of '
tui resize-window -x 200 -y 60
tui_wait '^spin .* lines 1-33 of 33$'
tui_keys F10
tui_sane '^status 0'

# A copy of the guest's program: its code is there.
code=$PWD/prog guest_id=$id
annotate_session
chmod 600 copy # opened while the process still may
sed 's,/.*/prog build,/nowhere build,' d > e
"$TOP"/tests/gen/mksession.py e n
"$VMMPROF" annotate -i n spin --guest web --code-from copy > copied
grep -q '^Code: copy$' copied
tui_type "$VMMPROF" report --tui -i n --code-from copy ';' echo 'status $?'
tui_wait '^web'
# without a function there are no instructions
tui_keys Tab Enter
tui_wait '^These samples have no function'
tui_keys q q Down
tui_wait '^ *33 *100 *[^ ]* *spin'
tui_keys Tab Enter
shown copied
tui_keys Q
tui_sane '^status 0'

# Names
bad='\x1b]2;OWNED\x07\xe2\x80\xae'
sed -e "s,:spin\$,:$bad," -e "s,/usr/bin/gprog,/$bad," -e "s,name=web,name=$bad," d > e
"$TOP"/tests/gen/mksession.py e h
tui pipe-pane 'cat > raw'
tui_type "$VMMPROF" report --tui -i h "--guest-bundle=\"\$(printf '\\033]2;OWNED\\007\\342\\200\\256')\"=h/guests/web.bundle" ';' echo 'status $?'
tui_wait '^\\x1b\]2;OWNED\\x07'
tui_keys Down
tui_wait '^ *33 *100 *[^ ]* *\\x1b\]2;OWNED\\x07'
tui_keys Tab Enter
tui_wait '^\\x1b\]2;OWNED\\x07.* lines 1-'
tui_wait '^\\x1b\]2;OWNED\\x07.* \[\\x1b.*\], guest \\x1b\]2;OWNED.*: 33 samples$'
tui_keys Q
tui_sane '^status 0'
test -s raw
LC_ALL=C absent "$(printf '\033\\]2;')" < raw
LC_ALL=C absent "$(printf '\342\200\256')" < raw

# Without --tui there are none to show.
status=0
"$VMMPROF" report -i s --code-from copy 2> err || status=$?
test $status -eq 2
grep -q 'has no effect without --tui[^:]*: .*`vmmprof annotate`' err
status=0
"$VMMPROF" report -i s --debuginfod=no 2> err || status=$?
test $status -eq 2
grep -q 'has no effect without --tui[^:]*: .*`vmmprof annotate`' err
status=0
"$VMMPROF" report --tui -i s --code-from none 2> err > out < /dev/null || status=$?
test $status -eq 1
grep -q '^vmmprof report: none: No such file' err
