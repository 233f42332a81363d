#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# CHAIN records, longer than others, are lines of script behind their samples;
# those that were lost are in the account, and a damaged one ends its file.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/chains.txt s
"$VMMPROF" script s -F type,cpu,flags,chain,kernel,user,stack | grep '^type=chain' | uniq -c
"$VMMPROF" script s -F type,cpu,tsc | sed -n '/tsc=20000[0-2]000/p'
"$VMMPROF" report s -v 2> /dev/null | sed -n '/other records lost/,/^$/p'
"$VMMPROF" report s --json 2> /dev/null | grep -E '"(lost_other|lost_chains|chain_records|unordered)"'

# more frames than the record has bytes for
sed '/CHAIN$/d; s/^  chain tsc=999 .*/&\n  raw 0500 2000 00000000 0000000000000000 00000000 0100 0000 0000 0000 00000000/' \
	"$TOP"/tests/data/chains.txt > damaged.txt
"$TOP"/tests/gen/mksession.py damaged.txt damaged
"$VMMPROF" report damaged -v 2>&1 > /dev/null | sed 's/at byte [0-9]*/at byte N/'

# words of a stack, in a record of 4 KiB and its stack of 16 KiB: all are read
python3 - > long.txt << 'END'
print('file info\nstop start=0 stop=9\nevent index=0 type=0 config=9 period=1 name=e')
print('file cpu-0.rec\nsample tsc=1 flags=N')
print('chain tsc=1 flags=GWS kernel=' + ','.join(str(i) for i in range(512)) +
      ' user=' + ','.join('7' for i in range(128)) +
      ' stack=' + 'ab' * 16384 + ' kend=10 uend=2')
print('sample tsc=2 flags=N')
END
"$TOP"/tests/gen/mksession.py long.txt long
"$VMMPROF" script long -F type,tsc,flags,kernel,user,stack 2> /dev/null

# the frames below their samples; all samples, each once
"$VMMPROF" script s -g -F type,cpu,tsc > chained
sed -n '/tsc=500000000/,/^$/p; /tsc=620004000/,/^$/p' chained
"$VMMPROF" script s -F type | grep -cx type=sample
grep -c '^type=sample' chained
! grep -q type=chain chained || exit 1

# of an OUT record, with the state of the guest and without (older recordings)
cat > out.txt << 'END'
file info
  stop start=0 stop=9
file cpu-0.rec
  out tsc=1 pid=500 tid=501 vcpu=0 flags=RM exit=1
  chain tsc=1 flags=O kernel=0xffffffff81000210 kend=1
  chain tsc=1 flags=GOS user=0x400210,0x400110 uend=1 id=2 gip=0x400310 cr3=0x200000 rsp=0x7ffc00001000 cpl=3
  out tsc=2 pid=500 tid=501 vcpu=0 flags=M exit=12
  chain tsc=2 flags=GO user=0x400210,0x400110 uend=1 id=2
  out tsc=3 pid=500 tid=501 vcpu=0 flags=M exit=12
  chain tsc=3 flags=GOSR nuser=2 uend=1 id=2 gip=0x400320 cr3=0x200000
END
"$TOP"/tests/gen/mksession.py out.txt out
"$VMMPROF" script out -F type,tsc,flags,cpl,cr3,gip,user 2> /dev/null
