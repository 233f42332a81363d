# SPDX-License-Identifier: GPL-2.0-only
# A fork storm: a shell runs short commands in a guest that is watched.  The
# emulator reads the guest's `current` at each NMI (pmu/truth.cc); the names
# that `vmmprof script` gives have to agree.  Beside it: a snapshot alone.
CPUS=1
LIMIT=400
ALL=longer
AMD=longer

host()
{
	guests_only one
	module
	# In the emulator each step of a string instruction takes as long as an
	# instruction; with ERMS a cleared page would have 4,096 of them.
	guest_start one $fast -cpu host,pmu=off,erms=off
	guest_wait one || return
	guest_sh one taskoffsets > offsets
	guest_sh one 'vmmprof-guest dump -o /tmp/snapshot' > /dev/null
	check "the snapshot arrives" guest_get one /tmp/snapshot
	check "the guest is watched" guest_watch one
	# exec, exec of the same file, vfork, a leader that ends first, and a
	# fork without exec
	guest_sh one 'echo 0 > /tmp/rounds
		(n=0; while :; do
			/bin/nop; /bin/nop exec; /bin/nop thread; (:)
			/bin/nop vfork; /bin/nop; /bin/nop vfork
			n=$((n + 17)); echo $n > /tmp/rounds
		done) > /dev/null 2>&1 &'
	window -t "$(cat offsets)"
	guest_sh one 'cat /tmp/rounds /proc/uptime' > before
	check "the storm is recorded" vmmprof record -q -m 16M -e cycles \
		-c 59999 -d 18 -o session
	guest_sh one 'cat /tmp/rounds /proc/uptime' 300 > after
	window -t ''
	check "200 processes or more a guest second" at_least "$(cat before \
		after | awk '{ v[NR] = $1 }
		END { print (v[3] - v[1]) / (v[4] - v[2]) }')" 200
	check "the bundle arrives" guest_bundle one
	result session one.bundle snapshot
}

after()
{
	"$VMMPROF" script -i session --guest-bundle one=one.bundle > watched.txt
	"$VMMPROF" script -i session --guest-bundle one=snapshot > snapshot.txt
	"$BED/storm.py" table truth.txt watched.txt snapshot.txt > table.txt
	check "CPL 3: 99 % right, at most 0.2 % wrong; CPL 0: 94 %, 0.05 %" \
		"$BED/storm.py" check truth.txt watched.txt
	check "... which a snapshot alone does not reach" \
		fails "$BED/storm.py" check truth.txt snapshot.txt
}
