# SPDX-License-Identifier: GPL-2.0-only
# In the machine of tests/package/systemd, as root: what the packages left there, the
# two services as vmmprof-agent(1) and vmmprof-push(1) have them, killed, told of
# other options, and stopped.
. /lab/check.sh
exec 7>&2
BASH_XTRACEFD=7
set -x
metrics=/var/lib/prometheus/node-exporter
prom=$metrics/vmmprof.prom
spool=/var/lib/vmmprof/spool
agent=vmmprof-agent push=vmmprof-push

# of UNIT PROPERTY
of() { systemctl show "$1" -P "${2:-}"; }

# until SECONDS COMMAND...: wait for it
until_()
{
	local end=$((SECONDS + $1))
	shift
	until "$@" > /dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.5
	done
}

# said UNIT: what its processes and systemd said of it since this was asked last
said()
{
	journalctl -q -o cat --sync > /dev/null 2>&1
	journalctl -q -o cat -u "$1" --cursor-file="/run/cursor-$1"
}

# value METRIC [LABELS]
value() { grep "^$1[{ ]" $prom | grep -e "${2:-}" | awk '{ print $NF }'; }

windows() { [ "$(value vmmprof_agent_windows_total)" -ge "$1" ]; }

# book FILE KEY...: the sum of these counts
book()
{
	local file=$spool/$1 key
	shift
	for key; do
		sed -n "s/^$key //p" "$file"
	done | awk '{ n += $1 } END { print n + 0 }'
}

# Profiles in the spool, without those of a window that push has sent of already
there()
{
	local sum window
	sum=$(find $spool -name '*.tar' -o -name '*.tar.push' |
		sed -E 's/.*-0*([0-9]*)\.tar.*/\1/' | awk '{ n += $1 } END { print n + 0 }')
	window=$(sed -n 's/^window //p' $spool/push.book)
	[ -z "$window" ] || [ ! -e "$spool/$window.push" ] ||
		sum=$((sum - $(book push.book at)))
	echo $sum
}

# What was produced is what was sent, is there, or was dropped: by a copy, which is
# made faster than windows come.
books()
{
	local made sent there dropped
	rm -rf /run/books
	cp -r $spool /run/books || return 1
	local spool=/run/books
	made=$(book agent.book produced) sent=$(book push.book sent) there=$(there)
	dropped=$(($(book agent.book 'dropped_[a-z]*') + $(book push.book 'dropped_[a-z]*')))
	echo "$made produced, $sent sent, $there there, $dropped dropped"
	[ "$made" -gt 0 ] && [ "$made" = $((sent + there + dropped)) ]
}
# (Between two looks of one a window may come or go.)
books_soon()
{
	local status=0
	until_ 60 eval 'books > books.said' || status=1
	cat books.said
	return $status
}

# The agent's directories for the records of a second
of_agents() { find /dev/shm /tmp -maxdepth 1 -name 'vmmprof-*' | wc -l; }

none_there() { find $spool -name '*.tar'; [ "$(there)" = 0 ]; }

sent() { [ "$(book push.book sent)" -gt "$1" ]; }
is() { [ "$(of "$1" "${2:-}")" = "$3" ] || { of "$1" "${2:-}"; return 1; }; }
runs() { is "$1" ActiveState active && is "$1" SubState running; }
as() { runuser -u "$1" -- "${@:2}"; }

# record_as USER [,+CAPABILITY]: may that one record?
record_as()
{
	rm -rf "/home/$1/data"
	HOME=/home/$1 setpriv --reuid "$1" --regid "$1" --init-groups --inh-caps "-all${2:-}" \
		--ambient-caps "-all${2:-}" vmmprof record -d 1 -o "/home/$1/data"
}

# Does a profile in the spool have this word?
named()
{
	rm -rf /run/windows
	mkdir /run/windows
	find $spool -name '*.tar*' -exec tar -xf {} -C /run/windows \;
	find /run/windows -name '*.gz' -exec zcat {} + | grep -aq "$1"
}

systemctl is-system-running --wait
systemctl --failed --no-legend

### What the packages left
check "a real systemd is the first process" grep -qx systemd /proc/1/comm
check "modules-load.d: the module was loaded at boot" grep -q '^vmmprof ' /proc/modules
check "by systemd-modules-load" is systemd-modules-load Result success
until_ 30 test -c /dev/kvm
check "udev has loaded KVM" test -c /dev/kvm
check "sysusers.d: the groups are there" getent group vmmprof vmmprof-push
check "udev's rule: the device is the group's, for it and root alone" equal \
	"$(stat -c '%U %G %a' /dev/vmmprof)" "root vmmprof 660"
for unit in $agent $push; do
	systemctl start $unit
	check "$unit: without its file of options it does not start" \
		is $unit ConditionResult no
	check "$unit: which is no failure" is $unit ActiveState inactive
done
check "a member of the group with CAP_PERFMON records" record_as member ,+perfmon
check "and reads that" as member vmmprof report -i /home/member/data
check "a member without CAP_PERFMON does not" fails record_as member
record_as stranger ,+perfmon 2> stranger.said
check "CAP_PERFMON without the group does not" test $? != 0
check "and is told what it takes" grep -q "be in the device's group and have CAP_PERFMON" stranger.said

# A guest of Linux; it boots while other things are looked at.
systemd-run -q --unit=linux qemu-system-x86_64 -name guest=linux \
	-M pc -enable-kvm -cpu host,pmu=off -m 256 \
	-nodefaults -no-user-config -nographic -display none \
	-serial file:/run/linux.console \
	-kernel /lab/guest/vmlinux -initrd /lab/guest/initramfs \
	-append "console=ttyS0,115200 quiet tsc=reliable cryptomgr.notests"

### Without the module
mkdir -p /etc/vmmprof $metrics
cat > /etc/vmmprof/agent.conf << END
metrics-dir = $metrics
spool-dir = $spool
spool-group = vmmprof-push
records-dir = /var/lib/vmmprof/records
window = 5
END
rmmod vmmprof
systemctl start $agent
check "without the module: the start fails" test $? != 0
until_ 20 is $agent Result exit-code
check "with the agent's status" is $agent ExecMainStatus 1
said $agent > none.said
check "the journal says what to do" grep -q 'modprobe vmmprof' none.said
systemctl stop $agent
systemctl reset-failed
modprobe vmmprof
rm -rf /var/lib/vmmprof

### As the manuals say
install -m 600 /dev/stdin /etc/vmmprof/push.token <<< sesame
cat > /etc/vmmprof/push.conf << END
url = http://127.0.0.1:4040
token-file = /run/credentials/vmmprof-push.service/token
retry-max = 5
END
mkdir -p /etc/systemd/system/$push.service.d
cat > /etc/systemd/system/$push.service.d/override.conf << END
[Service]
LoadCredential=token:/etc/vmmprof/push.token
END
systemctl daemon-reload
mkdir -p /run/sink
echo ok > /run/sink/mode
systemd-run -q --unit=sink -E SINK_PORT=4040 -E PYTHONDONTWRITEBYTECODE=1 \
	python3 /lab/sink.py /run/sink
systemd-run -q --unit=web -p CPUQuota=10% tinyvm -name web
until_ 30 test -e /run/sink/port

systemctl start $push
until_ 20 is $push Result exit-code
check "push without a spool: it says so" eval \
	'said $push | grep "no spool is there: vmmprof agent makes it"'
systemctl start $agent
until_ 60 runs $push
check "and begins by itself when that is there" runs $push
systemctl stop $agent $push
rm -rf /var/lib/vmmprof /run/sink/log

systemctl enable --now $agent $push
check "both are started, at the first time" test $? = 0
check "the agent runs" runs $agent
check "push runs" runs $push
until_ 60 windows 3
check "windows come" windows 3
check "metrics are of the VM" value vmmprof_vcpu_time_seconds_total 'vm="web",state="guest"'
check "another user reads them" as stranger grep -q vmmprof_agent_windows_total $prom
check "and nothing in the spool" fails as stranger ls $spool
check "nor the records" fails as stranger ls /var/lib/vmmprof/records
until_ 30 sent 0
check "push has sent" sent 0
check "with the token that only root can read" grep -q '"Authorization": "Bearer sesame"' /run/sink/log
check "profiles of the VM" grep -q '"vm": "web"' /run/sink/log
check "the spool is push's group's" equal "$(stat -c '%U %G %a' $spool)" "root vmmprof-push 770"
check "what was produced is accounted for" books_soon

### What they may
pid=$(of $push MainPID)
grep -E 'Uid|Gid|Groups|Cap|NoNew|Seccomp:' "/proc/$pid/status"
uid=$(awk '/^Uid/ { print $2 }' "/proc/$pid/status")
check "push is a user of its own" test "$uid" -ge 61184 -a "$uid" -le 65519
check "without capabilities, and filtered" test "$(grep -c -E \
	'^Cap(Inh|Prm|Eff|Bnd|Amb):.0{16}$|^NoNewPrivs:.1|^Seccomp:.2' "/proc/$pid/status")" = 7
seen=/proc/$pid/root
check "of /var it sees the spool alone" equal \
	"$(cd "$seen/var" && find . -type d ! -path './tmp*' | sort | tr '\n' ' ')" \
	". ./lib ./lib/vmmprof ./lib/vmmprof/spool "
main=$(of $agent MainPID)
grep -E 'NoNew|Seccomp:' "/proc/$main/status"
check "the agent gets no new rights" grep -q '^NoNewPrivs:.1' "/proc/$main/status"
read -r reader _ < "/proc/$main/task/$main/children"
grep -E 'Uid|Cap|NoNew|Seccomp:' "/proc/$reader/status"
check "its reader is nobody, without capabilities, and filtered" test "$(grep -c -E \
	'^Uid:.65534|^Cap(Prm|Eff):.0{16}$|^NoNewPrivs:.1|^Seccomp:.2' "/proc/$reader/status")" = 5
check "root makes a session of the newest records" vmmprof agent freeze -o /var/tmp/slow
check "which is read" vmmprof steal /var/tmp/slow

# Windows stay in the spool while the store does not want them.
echo 429 > /run/sink/mode
until_ 300 grep -q 'guest: up' /run/linux.console
check "a guest of Linux is up" grep 'guest: up' /run/linux.console
systemctl set-property --runtime linux CPUQuota=25%
until_ 180 named toiler
check "its reader finds the process of the guest in its memory" named toiler
check "what was produced is accounted for" books_soon
echo ok > /run/sink/mode
check "when the store wants them all are sent" until_ 120 none_there
check "what was produced is accounted for" books_soon

### Other options
before=$(value vmmprof_agent_windows_total)
sed -i 's/^window = .*/window = 2/' /etc/vmmprof/agent.conf
systemctl reload $agent
check "reload: systemd says it went well" test $? = 0
until_ 30 eval '[ "$(value vmmprof_agent_windows_total)" -lt "$before" ]'
check "reload: it begins anew" test "$(value vmmprof_agent_windows_total)" -lt "$before"
check "reload: as the same process" is $agent MainPID "$main"
a=$(value vmmprof_agent_window_end_timestamp_seconds)
n=$(value vmmprof_agent_windows_total)
until_ 30 windows $((n + 3))
b=$(value vmmprof_agent_window_end_timestamp_seconds)
n=$(($(value vmmprof_agent_windows_total) - n))
check "reload: the window is the new one" within 2 \
	"$(awk -v a="$a" -v b="$b" -v n=$n 'BEGIN { print (b - a) / n }')" 0.9
check "what was produced is accounted for" books_soon
for unit in $agent $push; do
	check "$unit was never restarted" is $unit NRestarts 0
	check "and runs" runs $unit
	said $unit > $unit.said
	check "and the journal has no word of what was refused" fails grep -i -E \
		'denied|permi|not allowed|seccomp|killed|dumped|fail|cannot' $unit.said
done

### Killed
sent=$(book push.book sent)
systemctl kill -s KILL --kill-whom=main $agent
systemctl kill -s KILL $push
for unit in $agent $push; do
	until_ 20 is $unit Result signal
	check "$unit is killed" is $unit Result signal
done
until_ 90 is $agent NRestarts 1
until_ 30 runs $agent
check "the agent is started again" runs $agent
until_ 90 is $push NRestarts 1
until_ 30 runs $push
check "push is started again" runs $push
check "by systemd, once" equal "$(of $agent NRestarts) $(of $push NRestarts)" "1 1"
check "nothing of the killed one is left" equal "$(of_agents)" 1
until_ 60 sent "$sent"
check "push goes on" sent "$sent"
check "what was produced is accounted for" books_soon
until_ 30 windows 3

### Upgraded
main=$(of $agent MainPID) sender=$(of $push MainPID)
dpkg -i /lab/vmmprof_*.deb
check "the package is installed over itself" test $? = 0
runs $push
check "an upgrade starts the agent again, and push" test \
	"$(of $agent MainPID)" != "$main" -a "$(of $push MainPID)" != "$sender"
until_ 30 runs $push
check "both run" eval 'runs $agent && runs $push'
until_ 30 windows 2

### The end
for unit in $agent $push; do
	systemctl stop $unit
	check "$unit is stopped" is $unit ActiveState inactive
	check "with success" is $unit Result success
done
check "what was produced is accounted for, once more" books
# With the one that it was killed at, the store may have a profile twice.
check "the store has got what was sent" equal "$(grep '"answer": 200' /run/sink/log |
	sed 's/.*"id": "\([^"]*\)".*/\1/' | sort -u | wc -l)" "$(book push.book sent)"
check "nothing is left in memory" equal "$(of_agents)" 0
check "the device is free" rmmod vmmprof
cp $prom $spool/*.book .
modprobe vmmprof
systemctl start $agent $push
runs $agent
dpkg -r vmmprof
check "the package is removed" test $? = 0
check "and with it the processes" fails grep -qx vmmprof /proc/[0-9]*/comm
dpkg -P vmmprof
check "purged: nor what they wrote, or that they were enabled" equal \
	"$(find /var/lib/vmmprof /var/cache/vmmprof /etc/systemd/system/*.wants -name '*vmmprof*')" ""
for unit in $agent $push; do
	said $unit > $unit.end
	journalctl -q -u $unit > $unit.journal
done
cp /run/sink/log sink.log
systemctl kill -s KILL web linux
cp /run/linux.console .
systemctl --failed --no-legend
true
