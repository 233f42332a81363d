# SPDX-License-Identifier: GPL-2.0-only
# Two guests at once on one CPU, with programs that share no function's name:
# no sample of one under the other.  Bundles are given while recording; then
# one of them is reached by vsock.  On AMD neither of the last: they are the same.
CPUS=1
LIMIT=400
ALL=longer
AMD=longer
length=20
[ "$HOST_CPU" != amd ] || length=10 LIMIT=250

host()
{
	guests_only one two
	module
	guest_start one $fast
	guest_start two $fast -device vhost-vsock-pci,guest-cid=5
	guest_wait one || return
	guest_wait two || return
	guest_sh one 'shor 33 > /dev/null &'
	guest_sh two 'sorter > /dev/null &'
	check "guest one is watched" guest_watch one
	check "guest two is watched" guest_watch two
	check "both are recorded" \
		vmmprof record -e cycles -c 100000 -d $length -o session
	check "the bundle of one arrives" guest_bundle one
	check "the bundle of two arrives" guest_bundle two
	result session one.bundle two.bundle
	[ $HOST_CPU != amd ] || return 0
	check "a recording takes bundles that are there already" \
		vmmprof record -q -e cycles -c 100000 -d 2 -o short \
		--guest-bundle one=one.bundle --guest-bundle two=two.bundle
	guest_sh two 'vmmprof-guest serve --vsock > /tmp/serve.out 2>&1 &'
	sleep 1
	check "guest two can be reached by vsock" \
		grep "two  *vsock" <(vmmprof guests)
	check "and is, without a file" vmmprof record -e cycles -c 100000 -d 2 \
		-o vsock --guest-timeout 60 --guest-bundle one=one.bundle
	vmmprof record -e cycles -c 100000 -d 2 -o again --guest-timeout 60 \
		--guest-bundle one=one.bundle 2> said
	check "once more: symbols come from the host's cache" \
		grep "symbols of [1-9][0-9]* files .* from the cache" said
	# Most of a bundle is the kernel's symbols, which move at each boot.
	check "so the guest sends less" at_least \
		$(stat -c %s again/guests/two.bundle) \
		$(($(vmmprof guests -i again | sed -n 's/^two .* \([0-9]*\) received$/\1/p') + 20000))
	check "nothing is left there" guest_sh two '! ls -d /tmp/vmmprof.*'
	result short vsock again
}

after()
{
	bundles="--guest-bundle one=one.bundle --guest-bundle two=two.bundle"
	"$VMMPROF" report -i session --json $bundles > session.json
	check "no sample of one under two" \
		"$BED/shares.py" only session.json two sorter sorter_ quantum_
	check "no sample of two under one" \
		"$BED/shares.py" only session.json one shor quantum_ sorter_
	check "99 % of the guests' samples have a function" \
		"$BED/shares.py" resolved session.json 99
	check "the account adds up, nothing is lost at 1 ms" \
		"$BED/shares.py" account session.json
	[ $HOST_CPU != amd ] || return 0
	"$VMMPROF" report -i vsock --json > vsock.json
	check "the session says how" grep "^two  *vsock, watching after" \
		<("$VMMPROF" guests -i vsock)
	check "by vsock: 99 % have a function" \
		"$BED/shares.py" resolved vsock.json 99
	"$VMMPROF" report -i again --json > again.json
	check "and with symbols of the cache" \
		"$BED/shares.py" resolved again.json 99
	"$VMMPROF" report -i short --json > short.json
	check "bundles in the session need no option" \
		"$BED/shares.py" resolved short.json 99
}
