# SPDX-License-Identifier: GPL-2.0-only
# Processes of vmmprof-guest that open files and read them have nothing open but
# /dev/null and sockets, whatever vmmprof-guest has.
# once: it is about another program than the two that cases are run with
[ "${VMMPROF%/asan/vmmprof}" = "$VMMPROF" ] || exit 0
[ "$(id -u)" -eq 0 ] || { echo "skipped: needs root"; exit 0; }
echo "7000 40 hot_loop" > /tmp/perf-$$.map
"$TOP"/build/vmmprof-guest watch --method none -o maps > said 2> err 8< "$0" &
guest=$!
trap 'kill $guest 2> /dev/null || :; rm -f /tmp/perf-$$.map' EXIT
for _ in $(seq 200); do
	! grep -q ready said || break
	sleep 0.05
done
test -e /proc/$guest/fd/8
nr=0
for process in $(pgrep -P $guest); do
	ls -l /proc/$process/fd | sed -n 's/.* \([0-9]* -> [^[]*\).*/\1/p' > open
	cat open
	# a file that it reads comes and goes by a socket
	grep '^[0-4] -> ' open | grep -v '^[012] -> /dev/null$\|^[34] -> socket:$' > more || :
	test ! -s more
	test "$(grep -c . open)" -ge 5
	if grep -e "$0" -e "$PWD" -e /proc -e anon_inode open; then exit 1; fi
	nr=$((nr + 1))
done
# that opens, that parses
test $nr -ge 2
kill -INT $guest
wait $guest
