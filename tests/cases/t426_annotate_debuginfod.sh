# SPDX-License-Identifier: GPL-2.0-only
# annotate asks a debuginfod server for what is not here: by the real library,
# of a server made here.  The host's files by default, guests' only if told so,
# none without DEBUGINFOD_URLS; a server that lies, hangs or is not there costs
# a line of text, and a bounded time.
. "$CASES/annotate.sh"
. "$CASES/debuginfod.sh"
server_program
# What fails says so, and what there was.
wrong() {
	echo "$*; out and err are:"
	cat out err
	exit 1
}
annotate() {
	"$VMMPROF" annotate -i s "$@" spin > out 2> err || wrong "annotate $* ends with status $?"
}
has() { grep -q -- "$1" "${2:-out}" || wrong "no '$1' in ${2:-out}"; }
absent() { ! grep -q -- "$1" out || wrong "'$1' in out"; }
# is WHAT GOT WANTED
is() { [ "$2" = "$3" ] || wrong "$1: '$2', not '$3'"; }
asked() { is "what was asked" "$(sort asked | uniq)" "$1"; }
# eventually COMMAND...: it succeeds, on a busy machine after some seconds
eventually() {
	for _ in $(seq 300); do
		! "$@" || return 0
		sleep 0.1
	done
	wrong "in 30 s not: $*"
}
# took FROM TO: so many ms since $begin
now_ms() { echo $(($(date +%s%N) / 1000000)); }
took() {
	ms=$(($(now_ms) - begin))
	{ [ $ms -ge "$1" ] && [ $ms -lt "$2" ]; } || wrong "it took $ms ms, not $1 to $2"
}
server=

# Nobody is asked without the variable.
annotate --process 9
has '^debuginfod: not asked: set DEBUGINFOD_URLS'
has '^No code: no file of build-id'
has '^ *60 *75\.00 *40100b  (no code)$'

trap '[ -z "$server" ] || kill $server' EXIT
server_start
annotate --debuginfod=no
absent '^debuginfod'
absent ' nop$'
asked ''

# A file's code, its lines and their text, each asked for once; the guest's is
# not, though it is the same file.
annotate
is "errors" "$(cat err)" ''
sed -n '1,/^spin .*guest/p' out > host
has "^Code: debuginfod:executable/$id\$" host
has '^ *60 *60\.00 *40100b  nop$' host
grep -A 1 '^ *; prog.S:5$' host > line || :
has '^ *| \{9\}imul    \$1234, %ebx, %ecx$' line
sed -n '/^spin .*guest/,$p' out > guest
has '^debuginfod: not asked for a guest.s file; --debuginfod=all' guest
has '^ *30 *90\.91 *40100b  (no code)$' guest
asked "/buildid/$id/debuginfo
/buildid/$id/executable
/buildid/$id/source$PWD/prog.S"
# What lies in the cache is not asked for again.
: > asked
annotate --json
asked ''
annotate --guest web
asked ''
annotate --guest web --debuginfod=all
has "^Code: debuginfod:executable/$id\$"
has '^ *; prog.S:5$'
has '^ *| \{9\}imul  '

# A user's cache is that of all clients of the library; root's files are for the
# user nobody to write, and for no other program of root's.
if [ "$(id -u)" -eq 0 ]; then
	[ ! -e cache ] || wrong "root has a user's cache"
	is "root's cache" "$(stat -c '%u %a' cache-vmmprof)" '0 700'
	is "nobody's cache" "$(stat -c '%u %a' cache-vmmprof/files)" '65534 700'
	[ -s cache-vmmprof/files/"$id"/executable ] || wrong "it has no program"
	mkdir -m 700 user
	chown 54321:54321 user
	as_user() { setpriv --reuid 54321 --regid 54321 --clear-groups env DEBUGINFOD_CACHE_PATH="$PWD/user" "$@"; }
	: > asked
	as_user "$VMMPROF" annotate -i s --process 9 spin > out 2> err || wrong "a user's annotate"
	has "^Code: debuginfod:executable/$id\$"
	asked "/buildid/$id/debuginfo
/buildid/$id/executable
/buildid/$id/source$PWD/prog.S"
	: > asked
	as_user "$VMMPROF" annotate -i s --process 9 spin > out 2> err || wrong "a user's annotate"
	has "^Code: debuginfod:executable/$id\$"
	asked ''
	is "owner of a file" "$(stat -c %u user/"$id"/executable)" 54321
	# Somebody else's directory in its place is left alone.
	mv cache-vmmprof ours
	mkdir -m 700 cache-vmmprof
	chown 54321 cache-vmmprof
	annotate --process 9
	has '^debuginfod: its cache may not be written'
	rmdir cache-vmmprof
	mv ours cache-vmmprof
	asked ''
fi

# A file here that has no lines; those of a server's do not need all of it.
cp www/buildid/"$id"/executable gone
touch gone
annotate --process 9
has "^Code: $PWD/gone\$"
has '^ *| \{9\}imul  '
rm gone

# new_server: as before, with an empty cache
new_server() { rm -rf cache cache-vmmprof; : > asked; }
# Another program under that build-id; a page of a portal; nothing at all.
sed 's/1234/4321/' www/buildid/"$id"/source"$PWD"/prog.S > other.S
gcc -g -nostdlib -static -Wl,--build-id -Wl,-Ttext=0x401000 -o other other.S
echo '<html>Log in</html>' > page
for lie in other page; do
	new_server
	cp $lie www/buildid/"$id"/executable
	cp $lie www/buildid/"$id"/debuginfo
	annotate --process 9
	has '^debuginfod: what came is another file and is not used'
	has '^No code: no file of build-id'
	has '^ *60 *75\.00 *40100b  (no code)$'
	absent '^ *; '
	absent '\$4321'
done
new_server
rm www/buildid/"$id"/executable www/buildid/"$id"/debuginfo
annotate --process 9
has '^debuginfod: no server of DEBUGINFOD_URLS has it$'
asked "/buildid/$id/debuginfo
/buildid/$id/executable"

# It hangs: once, whatever there is to ask for, and for no less than the time.
new_server
export DEBUGINFOD_TIMEOUT=2
echo HANG > www/buildid/"$id"/executable
cp www/buildid/"$id"/executable www/buildid/"$id"/debuginfo
begin=$(now_ms)
annotate --debuginfod=all
took 2000 45000
has '^debuginfod: no answer in time'
is "lines of debuginfod" "$(grep -c '^debuginfod: ' out)" 2
has '^ *60 *60\.00 *40100b  (no code)$'
has '^ *30 *90\.91 *40100b  (no code)$'
eventually test -s asked # by then the server has come to it
is "requests of one that hangs" "$(sort -u asked | wc -l)" 1

# It takes no connection: its queue is full.
python3 - > hole <<'EOF' &
import socket, time
s = socket.socket()
s.bind(('127.0.0.1', 0))
s.listen(0)
waiting = [socket.socket() for _ in range(4)]
for c in waiting:
    c.setblocking(False)
    c.connect_ex(s.getsockname())
print(s.getsockname()[1], flush=True)
time.sleep(60)
EOF
hole=$!
eventually test -s hole
begin=$(now_ms)
DEBUGINFOD_URLS=http://127.0.0.1:$(cat hole) annotate --process 9
took 0 45000
has '^debuginfod: no answer in time'
kill $hole

# Who asks has no rights, works in its cache, has nothing of the session open,
# and does not outlive who wants to know.
case $VMMPROF in
*/asan/*) ;; # its parent is another one
*)
	new_server
	DEBUGINFOD_TIMEOUT=50 "$VMMPROF" annotate -i s spin > out 8< asked &
	parent=$!
	eventually test -s asked
	broker=
	for process in $(pgrep -P "$(pgrep -P $parent)"); do
		case $(readlink /proc/$process/cwd) in
		"$PWD"/cache*) broker="$broker $process" ;;
		esac
	done
	set -- $broker
	is "processes in the cache" $# 1
	broker=$1
	cat /proc/$broker/status > out
	has '^Seccomp:[[:space:]]*2$'
	has '^CapEff:[[:space:]]*0000000000000000$'
	has '^CapPrm:[[:space:]]*0000000000000000$'
	has '^NoNewPrivs:[[:space:]]*1$'
	absent '^[UG]id:.*[[:space:]]0[[:space:]]'
	is "its oom_score_adj" "$(cat /proc/$broker/oom_score_adj)" 1000
	ls -l /proc/$broker/fd | grep -- '->' | grep -v "$PWD/cache\|socket:\|pipe:\|eventpoll\|eventfd\|/dev/null" | grep -v " 2 ->" > files || :
	is "what else it has open" "$(cat files)" ''
	kill -9 $parent
	wait $parent || :
	gone() { ! kill -0 $broker 2> /dev/null; }
	eventually gone
	;;
esac

# It is not there.
kill $server
wait $server || :
server=
new_server
annotate --process 9
has '^debuginfod: no server of DEBUGINFOD_URLS can be reached'
has '^ *60 *75\.00 *40100b  (no code)$'
# Nor is the library.
mkdir lib
: > lib/libdebuginfod.so.1
LD_LIBRARY_PATH=$PWD/lib annotate --process 9
has '^debuginfod: not asked: install libdebuginfod1 '
has '^ *60 *75\.00 *40100b  (no code)$'

# A debug file that is named in the program, where gdb looks for it.
unset DEBUGINFOD_URLS
mkdir -p bin/.debug
objcopy --only-keep-debug kept bin/kept.debug
strip -o bin/prog kept
objcopy --add-gnu-debuglink=bin/kept.debug bin/prog
server_session "$PWD/bin/prog"
for place in bin/kept.debug bin/.debug/kept.debug; do
	[ -e $place ] || mv bin/kept.debug $place
	annotate --process 9
	has "^Code: $PWD/bin/prog\$"
	has '^ *; prog.S:5$'
	absent '^debuginfod'
done
annotate --guest web --code-from bin/prog
has '^ *; prog.S:5$'
# Of another program's
objcopy --only-keep-debug other bin/.debug/kept.debug
annotate --process 9
absent '^ *; '
status=0
"$VMMPROF" annotate -i s --debuginfod=some spin > out 2> err || status=$?
is "status of a wrong word" $status 2
