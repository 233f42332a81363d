# SPDX-License-Identifier: GPL-2.0-only
# vmmprof record -g of a hostile guest whose page tables have five levels (CR4.LA57);
# tests/record/tcg looks at its chains.

kvm
insmod /lab/vmmprof.ko
tinyvm -name first & vm=$!
sleep 1
kill -9 $vm
vmmprof record -q -g --transport none -c 500000 -o five -- \
	sh -c 'hostilevm -5 20 > five.txt' 2> five.said
check "a guest with five levels is recorded" equal $? 0
cat five.said
check "its samples are there" at_least "$(vmmprof script -i five | grep -c 'mode=guest')" 500
rmmod vmmprof
check "the kernel had nothing to say" silent
