# SPDX-License-Identifier: GPL-2.0-only
# The chains that the host has of a guest's program beside those that Debian's
# perf has of it inside the same guest: who calls whom, and how often.
# Not on AMD: a guest's memory is read alike; chains has what is SVM's.
CPUS=1
LIMIT=300
ALL=longer

# perf_into NAME: put perf, and the libraries that it needs, into the guest
perf_into()
{
	local perf
	perf=$(command -v perf)
	tar -chf "$guests/$1/share/perf.tar" "$perf" \
		$(ldd "$perf" | sed -nE 's/^[^/]*(\/[^ ]+) .*/\1/p')
	guest_sh "$1" 'tar -xf /share/perf.tar -C / && rm /share/perf.tar'
}

host()
{
	guests_only one
	module
	guest_start one $fast -m 512 -cpu host,pmu=on,erms=off
	check "the guest boots" guest_wait one
	check "perf is in the guest" perf_into one
	guest_sh one 'deep > /dev/null 2>&1 &'
	check "the guest is watched" guest_watch one --unwind
	check "its chains are recorded from the host" \
		vmmprof record -q -g --transport none -e cycles -c 50000 -d 5 \
		-o session
	check "the bundle arrives" guest_bundle one
	check "perf records them in the guest" guest_sh one '
		echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent
		/usr/bin/perf record -q -g -B -N -e cycles -c 50000 \
			-p "$(pidof deep)" -o /tmp/perf.data -- sleep 8' 300
	check "what it has recorded arrives" guest_get one /tmp/perf.data
	perf script -i perf.data -F ip > perf.txt 2>/dev/null
	guest_sh one 'cat /proc/kallsyms' > symbols
	result session one.bundle perf.txt symbols
}

after()
{
	mkdir -p session/guests
	cp one.bundle session/guests/
	check "callers have the shares that perf has in the guest" \
		into table.txt "$BED/callers.py" "$VMMPROF" session perf.txt \
		symbols "$BUILD/workloads/deep"
}
