#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# report --tui: names out of guests, of files and of the session cannot give
# the terminal orders, at any depth; they are shown as \xNN.
. "$CASES/tui.sh"
bad='\x1b]2;OWNED\x07\xe2\x80\xae'
cat > d <<END
file info
  text hostname=$bad tsc_khz=1000000
  event index=0 type=0 config=9 period=1000 name=$bad
  vm pid=1 nr_vcpus=1 name=$bad
  vcpu pid=1 tid=2 id=0 comm=$bad
  guest pid=1 name=x
  stop start=1000 stop=9000
  end
file guests/x.bundle
  text from=watch phys_mask=0xffffffffff000
  mm op=snap ns=1 key=0x2000 pid=7 comm=$bad
  proc op=snap ns=1 pid=7 comm=$bad
  file_item id=1 path=/$bad
  map pid=7 start=0x400000 end=0x401000 file=1
  symtab file=1 seg=0:0x400000:0x1000 sym=0x400000:0x100:$bad
  end
file cpu-0.rec
  sample tsc=2000 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x400010 handling=2 pid=1 tid=2 vcpu_id=0
  sample tsc=2001 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x400110 handling=2 pid=1 tid=2 vcpu_id=0
END
"$TOP"/tests/gen/mksession.py d s
tui_start 200 60
tui pipe-pane 'cat > raw'
tui_type "$VMMPROF" report --tui -i s "--guest-bundle=\"\$(printf '\\033]2;OWNED\\007\\342\\200\\256')\"=s/guests/x.bundle"
# the VM above, the function below
tui_wait '^\\x1b\]2;OWNED\\x07'
tui_wait '^vmmprof .*\\x1b\]2;OWNED\\x07.*2 samples, \\x1b\]2;OWNED\\x07'
tui_keys Down
tui_wait '^ *1 *50\.0 *[^ ]* *\\x1b\]2;OWNED\\x07'
tui_keys Enter
tui_wait '^VMs > \\x1b\]2;OWNED\\x07'
tui_keys Enter
tui_wait '7 \\x1b\]2;OWNED\\x07'
tui_keys Down Enter
tui_wait '^VMs > .* > \\x1b\]2;OWNED\\x07'
tui_keys Tab s s
tui_still
tui_keys Q
tui_sane '^\$'
test "$(tui display-message -p '#{pane_title}')" != OWNED
# What the terminal got has the order nowhere, and of the controls only those
# that ncurses makes.
test -s raw
LC_ALL=C absent "$(printf '\033\\]2;')" < raw
LC_ALL=C absent "$(printf '\342\200\256')" < raw
LC_ALL=C absent "$(printf '\007')" < raw
