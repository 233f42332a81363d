# SPDX-License-Identifier: GPL-2.0-only
# The machine itself, nothing of ours in it: PMU, KVM, a guest with KASLR and
# PTI, the second channel, and perf seeing the workload natively.
CPUS=1
MODULE=none
LIMIT=240
ALL=longer
AMD=longer

host()
{
	check "the kernel has a PMU driver" \
		sh -c 'dmesg | grep "Performance Events:"'
	check "kvm_$HOST_CPU is there with nested paging" \
		grep -H '[Y1]' /sys/module/kvm_$HOST_CPU/parameters/$nested
	guest_start one
	perf record -q -B -N -e cycles -c 100000 -o perf.data -- \
		spin 12000 > /dev/null
	perf report -i perf.data --stdio -q -n --sort symbol 2>/dev/null |
		grep -v '^$' > native
	result native
	# Share and four standard deviations of it, in percent.
	check "perf finds heavy80 : light20 natively" within $(awk '
		/heavy80/ { h = $2 } /light20/ { l = $2 }
		END { n = h + l; if (n >= 2000)
			print 100 * h / n, 80, 400 * sqrt(0.8 * 0.2 / n) }' native)
	counts > counts.txt
	result counts.txt
	check "a loop of 2 million is counted exactly: by read(), RDPMC, and in a guest by counters of guests alone" \
		equal "$(grep -cE '^instructions .* 2000000$' counts.txt)" 3
	# An interrupt may cost one.
	check "so are its cycles, but for some" equal 3 \
		"$(grep -cE '^cycles (read|rdpmc|guest) (199999.|200000.)$' counts.txt)"
	check "which those of the host alone do not count" at_most \
		"$(sed -n 's/^instructions host //p' counts.txt)" 200000
	check "those of both do" at_least \
		"$(sed -n 's/^instructions both //p' counts.txt)" 2000000
	check "the guest boots" guest_wait one
	check "its kernel was moved (KASLR), PTI is on" guest_kaslr one
	check "its second channel works" equal "$(guest_sh one 'echo $((6 * 7))')" 42
	check "a file comes back whole" guest_get one /bin/shor
	check "a failing command fails" fails guest_sh one 'exit 3'
	guest_sh one 'spin > /dev/null 2>&1 &'
	perf kvm --host --guest record -q -a -B -N -e cycles -c 20000 \
		-o kvm.data -- window sampled 1 2 > /dev/null
}

after()
{
	check "results arrive outside" grep -c heavy80 native
	# The emulator's own count of what became of the counters' NMIs
	awk '/^  time/ { for (i = 1; i < NF; i += 2) n[$i] += $(i + 1) }
		END { for (i in n) print i "=" n[i] }' cost.txt > nmis
	. ./nmis
	check "NMIs leave the guest" at_least $nmi_guest 5000
	# Of two that come together there is one.
	check "overflows are NMIs" within $((nmi_guest + nmi_host)) $pmi 5
	[ $HOST_CPU != amd ] || {
		check "an overflow in the guest leaves it, by SVM_EXIT_NMI" \
			within $nmi_guest $((pmi_guest + held_entering)) 1
		check "one while GIF is 0 waits for the guest or STGI" \
			at_least $((held_entering + held_exiting)) 10
		check "none is delivered while GIF is 0" equal $gif0 0
	}
}
