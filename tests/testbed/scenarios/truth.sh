# SPDX-License-Identifier: GPL-2.0-only
# The same factorings natively under Debian's perf and in a guest (PTI on):
# the five hottest functions have the same shares.  Then two equal processes.
# On AMD without KASLR and PTI, and one process.
CPUS=1
LIMIT=500
AMD=longer
how= rounds=5 period=50000
[ "$HOST_CPU" != amd ] || how=$fast LIMIT=250

host()
{
	guests_only one
	module
	guest_start one $how
	perf record -q -B -N -e cycles -c $period -o perf.data -- \
		shor 33 $rounds > /dev/null
	perf report -i perf.data --stdio -q -n --sort symbol 2>/dev/null |
		grep -v '^$' > native.txt
	guest_wait one || return
	[ -n "$how" ] || check "the guest has KASLR and PTI" guest_kaslr one
	check "the guest is watched" guest_watch one
	check "$rounds factorings in the guest are recorded" \
		vmmprof record -q -e cycles -c $period -o session -- \
		/lab/host/guest-sh one "shor 33 $rounds > /dev/null" 400
	[ $HOST_CPU = amd ] || check "two equal processes are recorded" \
		vmmprof record -q -e cycles -c $period -o equal -- \
		/lab/host/guest-sh one 'shor 33 3 > /dev/null &
			shor 33 3 > /dev/null; wait' 400
	check "the bundle arrives" guest_bundle one
	result session one.bundle native.txt
	[ $HOST_CPU = amd ] || result equal
}

after()
{
	"$VMMPROF" report -i session --json --guest-bundle one=one.bundle > session.json
	check "shares of the five hottest functions within 1.5 points of perf's" \
		"$BED/shares.py" native session.json one native.txt 1.5
	check "99 % of the guest's samples have a function" \
		"$BED/shares.py" resolved session.json 99
	check "the account adds up, nothing is lost" \
		"$BED/shares.py" account session.json
	[ $HOST_CPU != amd ] || return 0
	"$VMMPROF" report -i equal --json --guest-bundle one=one.bundle > equal.json
	"$VMMPROF" report -i equal --guest one --guest-bundle one=one.bundle > equal.txt
	check "two equal processes differ by at most 1.5 points" \
		"$BED/shares.py" equal equal.json one shor 1.5
	check "both are named in the table" \
		equal "$(grep -c 'quantum_toffoli.*shor([12])' equal.txt)" 2
	check "99 % of their samples have a function" \
		"$BED/shares.py" resolved equal.json 99
	check "the account adds up, nothing is lost" \
		"$BED/shares.py" account equal.json
}
