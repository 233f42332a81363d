# SPDX-License-Identifier: GPL-2.0-only
# The guests of two-guests and of three-guests with nothing of ours in them: the same
# tables by their memory alone.  Programs begin once the kernels have been read.
. "${BASH_SOURCE%/*}/agentless.sh"
LIMIT=500
ALL=longer
AMD=longer

# at_work NAME=PROGRAM...: record the guests for 20 s of their programs' work
at_work()
{
	GUEST_MEMORY=yes vmmprof record -e cycles -c 100000 --transport none \
		-o $session -- bash -c '. /lab/host/lib.sh
			sleep 15
			for one; do guest_sh ${one%=*} "${one#*=} > /dev/null &"; done
			sleep 20
			for one; do
				program=${one#*=}
				guest_sh ${one%=*} "killall -STOP ${program%% *}"
			done' \
		at_work "$@" > said 2>&1
	check "$session is recorded" equal $? 0
	cat said
	result $session
}

host()
{
	guests_only
	module
	guest_start one $fast
	guest_start two $fast
	guest_wait one && guest_wait two || return
	session=two at_work one='shor 33' two=sorter
	bundles_afterwards one two
	guests_only
	for name in web db dark; do guest_start $name $fast; done
	for name in web db dark; do guest_wait $name || return; done
	session=three at_work web='shor 33' db=sorter dark=spin
	bundles_afterwards web db dark
	check "the kernel has nothing to say" kernel_calm
}

# table SESSION OTHER GUEST...: the names, and the table beside that of a scenario whose guests have helpers
table()
{
	local session=$1 other=../$2$suffix/session.json
	shift 2
	names_agree $session 99 95 "$@"
	"$VMMPROF" report -i $session --json > $session.json
	check "$session: the account adds up" "$BED/shares.py" account $session.json
	[ ! -e "$other" ] ||
		check "$session: the table is that of bundles" \
			"$BED/shares.py" same $session.json "$other" 3
}

after()
{
	local suffix=
	[ "$HOST_CPU" != amd ] || suffix=-amd
	debug_data
	table two two-guests one two
	check "no sample of one under two" \
		"$BED/shares.py" only two.json two sorter sorter_ quantum_
	check "no sample of two under one" \
		"$BED/shares.py" only two.json one shor quantum_ sorter_
	table three three-guests web db dark
	check "web's functions are in shor alone" \
		"$BED/shares.py" only three.json web shor quantum_ sorter_
	check "db's are in sorter alone" \
		"$BED/shares.py" only three.json db sorter sorter_ quantum_
}
