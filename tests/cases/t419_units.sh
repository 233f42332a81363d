#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The units of systemd: what they start is there, and push's service is left little
# that it could do harm with.
make -s -C "$TOP" -n install prefix=/usr DESTDIR="$PWD/root" > plan
for unit in agent push; do
	grep -q "vmmprof-$unit.service" plan
	sed 's,@bindir@,/usr/bin,' "$TOP"/scripts/install/vmmprof-$unit.service > vmmprof-$unit.service
	grep -q "^ExecStart=/usr/bin/vmmprof $unit" vmmprof-$unit.service
	# each option that it is started with
	for option in $(sed -n 's/^ExecStart=//p' vmmprof-$unit.service | grep -o -e '--[a-z-]*'); do
		"$VMMPROF" $unit --help | grep -q -e "$option"
	done
done
# what push may read of /var is there
sed -n 's,^\t"\(/var/[^"]*\)".*,\1,p' "$TOP"/analyzer/sandbox/confine_network.c > var
test -s var
while read -r path; do
	grep -qx "BindReadOnlyPaths=-$path" vmmprof-push.service
done < var
if ! systemd-analyze --version 2> /dev/null | grep -Eq '^systemd (25[0-9]|2[6-9][0-9])'; then
	echo "skipped: systemd-analyze is not there, or is older than 250"
	exit 0
fi
# exposure UNIT: tenths, from 0 (none) to 100
exposure()
{
	systemd-analyze security --offline=yes --no-pager ./vmmprof-$1.service |
		sed -n 's/.*Overall exposure level for .*: \([0-9]*\)\.\([0-9]\).*/\1\2/p'
}
test "$(exposure push)" -lt 30
# root, who reads of all processes: less than without a line of this
test "$(exposure agent)" -lt 85
systemd-analyze verify ./vmmprof-agent.service ./vmmprof-push.service > said 2>&1 || :
# the programs are not installed here
status=0
grep -v -e 'is not executable' -e "Command 'man " said | grep vmmprof- || status=$?
test $status -eq 1
