# SPDX-License-Identifier: GPL-2.0-only
# What the cases of debuginfod servers share (sourced, after annotate.sh): a
# program that is on a server only, below www/buildid/$id, with its source; a
# session of the host and a guest that ran it.

# server_program: kept is the whole program, nothing of it is elsewhere here
server_program()
{
	annotate_program
	mkdir -p www/buildid/"$id"/source"$PWD"
	strip -o www/buildid/"$id"/executable prog
	objcopy --only-keep-debug prog www/buildid/"$id"/debuginfo
	mv prog.S www/buildid/"$id"/source"$PWD"
	mv prog kept
	guest=/usr/bin/gprog guest_id=$id
	server_session "$PWD/gone"
}

# server_session FILE: the host's program, whose functions have names without it
server_session()
{
	code=$1
	annotate_session
	sed -i "/map pid=10/a \\  symtab file=1 seg=$off:0x401000:0x1000 sym=0x401000:0x16:spin" d
	"$TOP"/tests/gen/mksession.py d s.new
	rm -r s
	mv s.new s
}

# server_start: as $server, until the caller ends it; what is asked is in asked
server_start()
{
	: > asked
	python3 "$CASES"/debuginfod.py &
	server=$!
	for _ in $(seq 100); do
		[ ! -e port ] || break
		sleep 0.1
	done
	export DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)"
	export DEBUGINFOD_CACHE_PATH=$PWD/cache DEBUGINFOD_TIMEOUT=30
}
