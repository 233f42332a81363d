#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Samples in exit handling, each of another process of the guest: resolving what the
# guest left moves what the resolver has of samples, which the timeline uses still.
{
	sed '/^file cpu-0/,$d; /^  cpu /d; s/^  event .*/&\n  switches on=1/' "$TOP"/tests/data/chains.txt
	echo 'file cpu-0.rec'
	echo '  vcpu tsc=1000500 pid=500 tid=501 id=0 offset=0 vpid=1'
	echo '  in tsc=1000600 pid=500 tid=501 vcpu=0'
	awk 'BEGIN { for (i = 1; i <= 500; i++) {
		printf "  sample tsc=%d chains=2 flags=NVMSO exit=48 vpid=1 cpl=3 cr3=%d " \
			"gip=0x7f0000001010 ip=0xffffffffc0003010 pid=500 tid=501\n",
			1000000 + 1000000 * i, 1048576 + 8192 * i
		print "  chain kernel=0xffffffffc0003110,0xffffffffc0003210 kend=1"
		print "  chain flags=G user=0x400210,0x400110 uend=1"
	} }'
} > many.txt
"$TOP"/tests/gen/mksession.py many.txt s
"$VMMPROF" report s -g caller --stdio > told
grep 'Total samples: 500 ' told
"$VMMPROF" script s -g | grep -c '\[exit: EPT_VIOLATION\]'
