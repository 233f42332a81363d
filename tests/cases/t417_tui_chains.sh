#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# report --tui of a session with call chains: trees to fold and unfold by perf's
# keys, both ways round, at two sizes, with and without UTF-8, with the shares
# that `report -g` prints; instructions of any frame; a word in chains.
. "$CASES/tui.sh"
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/chains.txt s
"$VMMPROF" report s -g caller --guest alpha > caller
grep -q '^ *|--46\.92%--main$' caller
tui_start 80 24
tui_type TERM=screen "$VMMPROF" report --tui -i s ';' echo 'status $?'
tui_wait '^alpha'
tui_keys Down Tab
tui_wait '^ *62 *47\.7 [^ ]* *+ toffoli  *libquantum\.so\.8$'
tui_keys +
tui_wait '^ *61 *46\.9 *├─+ main  *shor$'
tui_wait '^ *1 *0\.8 *└─+ __libc_start_call_main  *shor$'
tui_wait '^ *62 *47\.7 [^ ]* *- toffoli'
tui_wait '^F1 Help .* + e E C Fold  g Callees .*F10 Quit$'
# one branch more; what all its chains have stands below it
tui_keys Down +
tui_wait '^ *60 *46\.2 *│ ├─+ factor  *shor$'
tui_wait '^ *1 *0\.8 *│ └─+ \[broken: code without a frame pointer\]$'
tui_keys Down +
tui_wait '^ *│ │   recurse  *shor$'
# Enter: the instructions of a frame, at its calls; back: where one was
tui_keys Enter
tui_wait '^factor  *lines 1-9 of 9$'
tui_wait '^Samples: 60 '
tui_wait '^Samples of the chains through this function'
tui_wait '^ *60  100\.00 *40020f  '
tui_keys q
tui_wait '^ *60 *46\.2 *│ ├─- factor  *shor$'
tui_keys Down a
tui_wait '^recurse  *lines 1-'
tui_wait '^ *60  100\.00 *40034f  '
tui_keys Escape
# what is no code is folded by Enter
tui_keys Down Down Enter
tui_wait '^ *1 *0\.8 *│ └─- \[broken: code'
# all of a row, nothing, all
tui_keys C
tui_wait '^ *62 *47\.7 [^ ]* *+ toffoli'
tui_still
tui_screen | absent '─'
tui_keys e
tui_wait '^ *sort  *shor$'
tui_keys E
tui_wait '^ *28 *21\.5 [^ ]* *- recurse'
tui_keys End
tui_wait '(nested guest (L2))  *(user)$'
# the other way round
tui_keys C g Home +
tui_wait '^ *62 *47\.7 *└─- toffoli'
tui_wait '^ *60 *46\.2 *├─+ recurse'
tui_keys g C
# the host: exits are below the guest's code
tui_keys Tab Tab Home Tab / e x i t : Enter
tui_wait '- kvm_mmu_page_fault  *kvm$'
tui_wait '^ *\[exit: EPT_VIOLATION\]$'
tui_still
tui_screen | absent 'bench_read'
tui_keys / Escape
tui_wait 'bench_read'
# as wide as the screen
tui resize-window -x 200 -y 60
tui_keys C Down Down e
tui_wait '^ *1[05] .* - [a-z_]*  *[a-z]*$'
test "$(tui_screen | wc -l)" -eq 60
tui_keys '?'
tui_wait '^ +  *unfold or fold the call chains'
tui resize-window -x 80 -y 24
tui_keys x
# the size has arrived
tui_wait 'guest   vmm steal  halt block'
tui_keys F10
tui_sane '^status 0'

# ASCII, the function first, few of its branches
tui_type LC_ALL=C TERM=vt100 "$VMMPROF" report --tui -g callee --percent-limit 5 -i s ';' echo 'status $?'
tui_wait '^alpha'
tui_keys Down Tab Down +
tui_wait '^ *28 *21\.5  *`-- recurse'
tui_wait '^ *14 *10\.8  *|-+ recurse'
tui_wait '^ *[0-9]* *[0-9.]*  *`-+ \[5 more\]'
tui_still
tui_screen | LC_ALL=C absent '[^ -~]'
tui_keys End Up Up Up +
tui_keys q q
tui_sane '^status 0'

# With what functions called
tui_type "$VMMPROF" report --tui --children -i s ';' echo 'status $?'
tui_wait '^alpha'
tui_keys Down
tui_wait '^Childrn      %    Self      % '
tui_wait '^ *117 *90\.0  *0  *0\.0  *+ main'
tui_wait '^ *88 *67\.7  *28  *21\.5  *+ recurse'
tui_keys Tab +
tui_wait '^ *98 *75\.4  *├─+ factor'
tui_keys Q
tui_sane '^status 0'

# ... of time as the report has it, where vCPUs did not run, too
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/off_cpu.txt timed
"$VMMPROF" report timed --children > callees 2> /dev/null
grep -q '^ *1\.080 *54\.00 *0\.000 *0\.00 *0  default_idle ' callees
grep -q '^ *0\.525 *26\.25 *0\.076 *3\.79 *10  factor ' callees
tui resize-window -x 120 -y 30
tui_type "$VMMPROF" report --tui --children -i timed ';' echo 'status $?'
tui_wait '^alpha'
tui_keys Down
tui_wait '^Childrn      %    Self      %  Samples  *Function'
tui_wait '^ *1\.080 *54\.0 *0\.000 *0\.0 *0 + default_idle  *vmlinux'
tui_wait '^ *0\.525 *26\.2 *0\.076 *3\.8 *10 + factor  *shor'
tui_wait '^ *0\.070 *3\.5 *0\.070 *3\.5 *0 + \[blocked\]'
tui_keys Tab +
tui_wait '^ *1\.070 *53\.5  *├─  *\[halt\]'
tui_keys Q
tui resize-window -x 80 -y 24
tui_sane '^status 0'

# Without them, and where there are none
tui_type "$VMMPROF" report --tui -g none -i s ';' echo 'status $?'
tui_wait '^alpha'
tui_keys Down
tui_wait '^ *62 *47\.7 [^ ]* *toffoli'
tui_keys Q
tui_sane '^status 0'
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt none
tui_type "$VMMPROF" report --tui -g -i none ';' echo 'status $?'
tui_wait 'the session has no call chains'
tui_sane '^status 1'
