#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# No byte of a guest's names reaches the terminal as a control character.
esc=$(printf '\\x1b[2J\\x07\\xe2\\x80\\xae\\xff')
cat > d <<END
file info
  vm pid=1 name=$esc
  guest pid=1 name=$esc
  end
file guests/x.bundle
  text from=watch phys_mask=0xffffffffff000
  kallsyms
    ffffffff91000000 T $esc\t[$esc]
  .
  mm op=snap ns=1 key=0x2000 pid=7 comm=$esc
  proc op=snap ns=1 pid=7 comm=$esc
  file_item id=1 path=/$esc
  map pid=7 start=0x400000 end=0x401000 file=1
  symtab file=1 seg=0:0x400000:0x1000 sym=0x400000:0x100:$esc
  end
file cpu-0.rec
  sample tsc=2000 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x400110 handling=2 pid=1
  sample tsc=2001 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x400010 handling=2 pid=1
  sample tsc=2002 flags=NVMSOGH cpl=0 cr3=0x2000 gip=0xffffffff91000000 handling=2 pid=1
END
"$TOP"/tests/gen/mksession.py d s
name=$(printf '\033[2J\007\342\200\256\377')
for args in 'report -v' script 'report --json' 'report -v --sort process,function,module'; do
	"$VMMPROF" $args -i s "--guest-bundle=$name=s/guests/x.bundle" > out 2> err
	cat out err > all
	! LC_ALL=C grep -aq "$(printf '[\001-\010\013-\037\177\200-\377]')" all || exit 1
	echo "$args: $(grep -c 'x1b' all) lines with escapes shown"
done
