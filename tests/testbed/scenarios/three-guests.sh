# SPDX-License-Identifier: GPL-2.0-only
# One command, three guests: one with QEMU's guest agent, one whose bundle is
# given as a file, one with nothing in it, which is read from its memory.
CPUS=1
LIMIT=600
ALL=longer
AMD=longer

host()
{
	guests_only
	module
	guest_start web $fast $(agent_channel web)
	guest_start db $fast
	guest_start dark $fast
	guest_wait web && guest_wait db && guest_wait dark || return
	agent_start web
	guest_sh web 'shor 33 > /dev/null &'
	guest_sh db 'sorter > /dev/null &'
	guest_sh dark 'spin > /dev/null &'
	check "guest db is watched by hand" guest_watch db
	# The agent of an emulated guest reads 1.5 MB in half a minute.
	vmmprof record -e cycles -c 100000 -o session --guest-timeout 120 \
		--guest-bundle db=db.bundle -- sh -c '
			sleep 20; touch over
			until [ -e fetched ]; do sleep 0.5; done' > said 2>&1 &
	recorder=$!
	until [ -e over ] || ! kill -0 $recorder; do sleep 0.5; done
	check "its bundle arrives" guest_bundle db
	# What follows is done sooner, and of a process that has ended.
	guest_sh web 'killall shor'
	guest_sh db 'killall sorter'
	guest_sh dark 'killall spin'
	touch fetched
	wait $recorder
	check "one command records three guests" equal $? 0
	cat said
	names="[1-9][0-9]* processes, symbols of [1-9][0-9]* of [0-9]* files and the kernel"
	check "web was reached by its agent, its names are here" \
		grep "guest web  *agent  *$names" said
	check "so are db's, by its file" grep "guest db  *file  *$names" said
	check "the times and bytes of web are told" \
		grep "watching after .* s, fetched in .* s; [1-9][0-9]* bytes sent, [1-9][0-9]* received" said
	check "so is its code" grep "code of [1-9][0-9]* functions, [1-9][0-9]* bytes" said
	check "and those of all" \
		grep "guests done .* s after the end of sampling; [1-9][0-9]* bytes sent, [1-9][0-9]* received" said
	check "dark's are out of its memory" grep "guest dark  *memory  *$names" said
	check "nothing is left in web" guest_sh web '! ls -d /tmp/vmmprof*'
	check "nothing of it runs in web" guest_sh web '! pidof vmmprof-guest'
	check "the session lists how" vmmprof guests -i session
	result session said
}

after()
{
	"$VMMPROF" report -i session --json > session.json
	check "web's process is named, by its agent's bundle" \
		"$BED/shares.py" only session.json web shor quantum_ sorter_
	check "db's, by the file" \
		"$BED/shares.py" only session.json db sorter sorter_ quantum_
	check "the account adds up" "$BED/shares.py" account session.json
	check "web's functions have their instructions, without a file" \
		"$BED/code.py" "$VMMPROF" session session.json web
}
