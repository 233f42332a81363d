# SPDX-License-Identifier: GPL-2.0-only
# The machine itself, nothing of ours in it: PMU, KVM, a guest with KASLR and
# PTI, the second channel, and perf seeing the workload natively.
CPUS=1
MODULE=none
LIMIT=240

host()
{
	check "the kernel has a PMU driver" \
		sh -c 'dmesg | grep "Performance Events:"'
	check "kvm_intel is there with EPT" \
		grep -H Y /sys/module/kvm_intel/parameters/ept
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
	check "the guest boots" guest_wait one
	check "its kernel was moved (KASLR), PTI is on" guest_kaslr one
	check "its second channel works" equal "$(guest_sh one 'echo $((6 * 7))')" 42
	check "a file comes back whole" guest_get one /bin/shor
	check "a failing command fails" fails guest_sh one 'exit 3'
}

after()
{
	check "results arrive outside" grep -c heavy80 native
}
