#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Who reads a session has no rights; root's session is read all the same.
# AddressSanitizer's leak checker could not do its work.
case $VMMPROF in */asan/*) exit ;; esac
cat > d <<END
file info
  vm pid=1 name=vm1
  end
file host
  end
file cpu-0.rec
  vcpu tsc=1 pid=1 tid=1 id=0 offset=0
  sample tsc=2000 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x400110 handling=2 pid=1 repeat=20000
END
"$TOP"/tests/gen/mksession.py d s
chmod -R go= .

# The listing does not fit into the pipe: its writer waits.
mkfifo pipe
"$VMMPROF" script -i s > pipe 8< d &
parent=$!
exec 3< pipe
read -r line <&3
child=$(pgrep -P $parent)
# Those that demangle names or open files have no rights either.
for demangler in $(pgrep -P $child); do
	grep -q '^Seccomp:[[:space:]]*2$' /proc/$demangler/status
done
test "$(pgrep -P $child | wc -l)" -eq 4
# Nothing is open that it does not need: of the user's standard files none.
# fds PROCESS: what it has open, descriptors first
fds() {
	for fd in /proc/"$1"/fd/*; do
		echo "${fd##*/} $(readlink "$fd" | sed 's/:\[.*//')"
	done
}
fds $child > open
grep -qx '0 /dev/null' open
grep -qx '1 pipe' open
grep -qx '2 pipe' open
grep -v "^[012] \| socket\$\| $PWD/s\$\| $PWD/s/" open > more || :
test ! -s more || { cat more; exit 1; }
for other in $(pgrep -P $child); do
	test "$(fds $other | grep -v '^[012] /dev/null$' | cut -d ' ' -f 2-)" = socket
	test "$(cat /proc/$other/oom_score_adj)" -eq 1000
done
test "$(cat /proc/$child/oom_score_adj)" -eq 1000
# Memory and time end somewhere, of each.
for reader in $child $(pgrep -P $child); do
	grep -q '^Max address space  *[0-9]' /proc/$reader/limits
	grep -q '^Max cpu time  *[0-9]' /proc/$reader/limits
done
test "$(readlink /proc/$parent/fd/1)" = "$PWD/pipe"
cat /proc/$child/status > status
# /proc/PID/fd of another user's process is not for everybody.
ls /proc/$child/fd > /dev/null 2>&1 || test "$(id -u)" -ne 0
grep -q '^Seccomp:[[:space:]]*2$' status
grep -q '^NoNewPrivs:[[:space:]]*1$' status
grep -q '^CapEff:[[:space:]]*0000000000000000$' status
if grep '^Uid:[[:space:]]*0[[:space:]]' status; then exit 1; fi

# Whoever ends the program ends the reader.
kill -9 $parent
wait $parent || test $? -eq 137
# What has ended is there until its new parent takes notice.
for _ in $(seq 100); do
	grep -q '^State:[[:space:]]*[^XZ[:space:]]' /proc/$child/status 2> /dev/null || break
	sleep 0.1
done
if grep '^State:[[:space:]]*[^XZ[:space:]]' /proc/$child/status; then exit 1; fi 2> /dev/null
exec 3<&-

# A reader that computes too long is ended, and the program says so.
"$VMMPROF" script -i s > pipe 2> err &
parent=$!
exec 3< pipe
read -r line <&3
kill -XCPU "$(pgrep -P $parent)"
cat <&3 > /dev/null
status=0
wait $parent || status=$?
exec 3<&-
test $status -eq 1
grep -q 'was ended: more than 600 s of CPU time' err

# A reader that goes away is no error of ours, and nothing to talk about.
"$VMMPROF" script -i s 2> err | head -n 1 > /dev/null
test ! -s err
# What cannot be written is an error.
status=0
"$VMMPROF" script -i s > /dev/full 2> err || status=$?
test $status -eq 1
grep -q '^vmmprof script: No space' err
status=0
"$VMMPROF" report -i s >&- 2> err || status=$?
test $status -eq 1
grep -q '^vmmprof report: Bad file' err
# Two streams into one file keep their order, one after the other in it.
echo before > both
"$VMMPROF" report -i s --guest none >> both 2>&1 || :
"$VMMPROF" report -i none >> both 2>&1 || :
head -n 1 both | grep -qx before
tail -n 1 both | grep -q 'none: No such file'
# Status and messages come through.
status=0
"$VMMPROF" report -i none 2> err || status=$?
test $status -eq 1
grep -q 'none: No such file' err
status=0
"$VMMPROF" report --no-such-option 2> err || status=$?
test $status -eq 2
"$VMMPROF" report -i s | grep -q '20000.*vm1'

# Root's private files are not looked at, and the report says so.
test "$(id -u)" -eq 0 || exit 0
mkdir -m 700 private
cp "$VMMPROF" private/prog
id=$(readelf -n private/prog | sed -n 's/.*Build ID: //p')
cat > e <<END
file info
  end
file host
  proc op=snap ns=0 pid=9 comm=prog
  file_item id=1 path=$PWD/private/prog build_id=$id
  map pid=9 start=0x10000 end=0x20000 file=1
  end
file cpu-0.rec
  sample tsc=1 flags=NU pid=9 ip=0x10010
END
"$TOP"/tests/gen/mksession.py e t
"$VMMPROF" report -i t --sort function,module | grep -q '(file could not be read) *prog'
