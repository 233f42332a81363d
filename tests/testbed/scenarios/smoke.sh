# SPDX-License-Identifier: GPL-2.0-only
# From an NMI to a function name, once through: one guest, one workload.
CPUS=1
LIMIT=300
ALL=longer
AMD=yes
how=	# moved (KASLR)
[ "$HOST_CPU" != amd ] || how=$fast LIMIT=200

# reports DIR PROGRAM...: what the session is in text and JSON
reports()
{
	local dir=$1 bundle="--guest-bundle one=one.bundle"
	shift
	(cd "$dir" && "$@" report -i session $bundle) > here.txt &&
		(cd "$dir" && "$@" report -i session --json $bundle) > here.json
}

host()
{
	guests_only one
	check "the module loads" module
	guest_start one $how
	guest_wait one || return
	guest_sh one 'spin > /dev/null &'
	check "the guest is watched" guest_watch one
	# something of the host's, in user mode
	nice -n 10 sh -c 'while :; do :; done' &
	busy=$!
	check "the host is recorded" \
		vmmprof record -e cycles -c 100000 -d 6 -o session
	kill $busy
	check "the bundle arrives" guest_bundle one
	check "the VM and its vCPU are found by name" \
		sh -c "vmmprof guests | grep -E '^one +[0-9]+ +0 +[0-9]+ +CPU 0/KVM'"
	check "it is reported where it was recorded" reports . vmmprof
	result session one.bundle here.txt here.json
	check "the module can be removed" rmmod vmmprof
}

after()
{
	"$VMMPROF" report -i session --stdio --guest-bundle one=one.bundle \
		> host.txt
	"$VMMPROF" report -i session --stdio --guest-bundle one=one.bundle \
		--guest one > guest.txt
	cp guest.txt table.txt
	check "the guest is a row of the host's table" grep '\[one\]' host.txt
	check "heavy80 of spin is named" grep heavy80 guest.txt
	check "light20 of spin is named" grep light20 guest.txt
	check "the guest's kernel functions are named" \
		grep -E '\[kernel|vmlinux' guest.txt

	check "the host's user mode is named" \
		grep -E ' [0-9]+ +[0-9.]+ +[^(].*(sh|dash|busybox|libc.so.6)$' host.txt
	# On another machine, by somebody who may do nothing there
	mkdir there
	other=$(mktemp -d)
	tar -c session one.bundle | tar -x -C "$other"
	cp "$VMMPROF" "$other/program"
	chmod -R go=rX "$other"
	# ... where no debug files are, which give names when a report is made
	printf '#!/bin/sh\nmount -t tmpfs none /usr/lib/debug 2> /dev/null\nexec "$@"\n' \
		> "$other/alone"
	chmod 755 "$other/alone"
	nobody=
	[ "$(id -u)" -ne 0 ] ||
		nobody="unshare -m ./alone setpriv --reuid 65534 --regid 65534 --clear-groups"
	(cd there && reports "$other" $nobody ./program)
	rm -rf "$other"
	check "elsewhere the report is the same" cmp here.txt there/here.txt
	check "and so is its JSON" cmp here.json there/here.json
}
