# SPDX-License-Identifier: GPL-2.0-only
# vmmprof-guest serve, ended by a signal or by a host that hangs up while it
# watches, leaves no process and no file, and ends soon.
# once: it is about another program than the two that cases are run with
[ "${VMMPROF%/asan/vmmprof}" = "$VMMPROF" ] || exit 0
trap 'kill $guest $watcher 2> /dev/null || :; rm -rf "$made"' EXIT
mkfifo to
# serve: begins to watch; its directory is $made, who watches $watcher
serve()
{
	"$TOP"/build/vmmprof-guest serve < to > from 2> err &
	guest=$!
	exec 8> to
	echo "watch ${1:-600}" >&8
	for _ in $(seq 200); do
		! grep -q "ready\|error" from || break
		sleep 0.05
	done
	test "$(cat from)" = "VMMPROF 2
ready"
	watcher=$(pgrep -P $guest)
	made=$(readlink /proc/$watcher/fd/* | sed -n 's,/bundle$,,p')
	test -d "$made"
}
# gone: within five seconds
gone()
{
	for _ in $(seq 100); do
		kill -0 $guest 2> /dev/null || kill -0 $watcher 2> /dev/null ||
			[ -d "$made" ] || return 0
		sleep 0.05
	done
	return 1
}
for signal in TERM HUP; do
	serve
	kill -$signal $guest
	gone
	if wait $guest; then exit 1; fi
	exec 8>&-
done
# by nothing that it can see
serve
kill -KILL $guest
for _ in $(seq 100); do
	kill -0 $watcher 2> /dev/null || break
	sleep 0.05
done
if kill -0 $watcher 2> /dev/null; then exit 1; fi
rm -r "$made"
exec 8>&-
# the host is gone: nobody waits until the bundle is written
serve
exec 8>&-
gone
wait $guest
# as long as `vmmprof record -d` can be
serve 100000060
exec 8>&-
gone
wait $guest
