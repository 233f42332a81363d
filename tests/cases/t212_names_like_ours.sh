#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Names that a guest or a process chose to look like a row, frame or word of
# ours are told apart from it in every view; the kernel's own names in brackets
# stay, and so do all others.
cat > d << 'END'
file info
  text hostname=h tsc_khz=1000
  event index=0 type=0 config=9 period=1000 name=ref
  switches on=1
  vm pid=5 nr_vcpus=1 name=host
  vm pid=8 nr_vcpus=1 name=[steal]
  vcpu pid=5 tid=6 id=0 comm=v
  vcpu pid=8 tid=9 id=0 comm=v
  guest pid=5 name=x
  stop start=0 stop=40000
  end
file host
  end
file guests/x.bundle
  text from=watch phys_mask=0xffffffffff000
  mm op=snap ns=1 key=0x2000 pid=7 comm=[unknown]
  proc op=snap ns=1 pid=7 comm=[unknown]
  mm op=snap ns=1 key=0x4000 pid=9 comm=-
  proc op=snap ns=1 pid=9 comm=-
  file_item id=1 path=/bin/(host)
  file_item id=2 path=/tmp/[jit]
  file_item id=3 path=[vdso]
  file_item id=4 path=/bin/bench(2)
  map pid=7 start=0x400000 end=0x401000 file=1
  map pid=7 start=0x500000 end=0x501000 file=2
  map pid=9 start=0x600000 end=0x601000 file=3
  map pid=9 start=0x700000 end=0x701000 file=4
  symtab file=1 seg=0:0x400000:0x1000 sym=0x400000:0x100:[steal],0x400100:0x100:[halt];(asleep)
  symtab file=2 seg=0:0x500000:0x1000 sym=0x500000:0x100:(no%20kernel%20symbols),0x500100:0x100:(anonymous%20namespace)::f(int)
  symtab file=3 seg=0:0x600000:0x1000 sym=0x600000:0x100:gettime
  symtab file=4 seg=0:0x700000:0x1000 sym=0x700000:0x100:plain[1]
  end
file cpu-0.rec
  sample tsc=2000 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x400010 handling=2 pid=5 tid=6
  sample tsc=3000 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x400110 handling=2 pid=5 tid=6
  sample tsc=4000 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x500010 handling=2 pid=5 tid=6
  sample tsc=5000 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x500110 handling=2 pid=5 tid=6
  sample tsc=6000 flags=NVMSOGH cpl=3 cr3=0x4000 gip=0x600010 handling=2 pid=5 tid=6
  sample tsc=7000 flags=NVMSOGH cpl=3 cr3=0x4000 gip=0x700010 handling=2 pid=5 tid=6
  sample tsc=8000 flags=NVMSOGH cpl=3 cr3=0x7000 gip=0x700010 handling=2 pid=5 tid=6
  out tsc=9000 pid=5 tid=6 vcpu=0 flags=R opid=3 otid=3 ocomm=nobody
  in tsc=12000 pid=5 tid=6 opid=3 otid=3 ocomm=nobody
  out tsc=13000 pid=5 tid=6 vcpu=0 flags=R opid=4 otid=4 ocomm=[x]\x20(pid\x201)
  in tsc=15000 pid=5 tid=6 opid=4 otid=4 ocomm=[x]\x20(pid\x201)
END
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" export -f folded -i s 2> /dev/null | sort
echo
"$VMMPROF" timeline --csv -i s 2> /dev/null | grep preempted
"$VMMPROF" steal --by thief -i s 2> /dev/null
for format in json speedscope firefox; do
	"$VMMPROF" export -f $format -i s 2> /dev/null > $format
	python3 - $format << 'END'
import json
import sys
text = open(sys.argv[1]).read()
json.loads(text)
for forged in ('"[unknown]"', '"(host)"', '"[jit]"', '"bench(2)"',
               '"(no kernel symbols)"', '"[halt];(asleep)"'):
    # our own word of that name may be there
    assert forged == '"[unknown]"' or forged == '"(host)"' or \
        forged not in text, forged
for shown in (r'\\x5bsteal]', r'\\x28host)', r'/[jit]', r'bench\\x282)',
              r'\\x28no kernel symbols)', r'\\x68ost', r'plain[1]', '[vdso]'):
    assert shown in text, shown
END
done
"$VMMPROF" report -v -i s -n 0 2> /dev/null | sed -n '/^Guest .x68ost/,/^Guest/p'
