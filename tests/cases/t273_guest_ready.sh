# SPDX-License-Identifier: GPL-2.0-only
# From "ready" on vmmprof-guest misses no process, whatever ran while it began: its
# ring of a CPU is full then, if nobody has read it.
# once: it is about another program than the two that cases are run with
[ "${VMMPROF%/asan/vmmprof}" = "$VMMPROF" ] || exit 0
[ "$(id -u)" -eq 0 ] || { echo "skipped: needs root"; exit 0; }
echo 'int main(void) { return 0; }' > late.c
gcc -o late-program late.c
guest=
trap '[ -z "$guest" ] || kill -KILL $guest 2> /dev/null || :' EXIT
# begin: stopped between its rings and "ready"; 1: it was faster
begin()
{
	rm -f maps
	: > said
	"$TOP"/build/vmmprof-guest watch --method none -o maps > said 2> err &
	guest=$!
	for _ in $(seq 2000); do
		ls -l /proc/$guest/fd 2> /dev/null | grep -q perf_event && break
	done
	kill -STOP $guest
	! grep -q ready said || return 1
}
for try in 1 2 3 4 5; do
	begin && break
	kill -KILL $guest
done
if grep 'no perf events' err; then echo "skipped"; exit 0; fi
cpu=$(taskset -pc $$ | sed 's/.*[:,-] *//')
taskset -c $cpu bash -c 'for i in $(seq 1000); do /bin/true; done'
kill -CONT $guest
until grep -q ready said; do kill -0 $guest; done
taskset -c $cpu ./late-program
kill -TERM $guest
wait $guest
guest=
cat err >&2
python3 - "$TOP" <<'EOF'
import sys
sys.path.insert(0, sys.argv[1] + "/tests/guest")
from bundle import Bundle
b = Bundle("maps")
assert b.ended
assert [p for p in b.procs if p.comm == "late-program"], "not seen"
EOF
