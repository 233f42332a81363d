# SPDX-License-Identifier: GPL-2.0-only
# A CPU goes and comes back while it is sampled by its PMU, and while perf tells of
# the processes that begin there.
CPUS=2
LIMIT=240
AMD=longer

online() { echo "$1" > /sys/devices/system/cpu/cpu1/online; }

host()
{
	guests_only
	module
	vmmprof record -e cycles -c 100000 -d 20 -o session 2> said & recorder=$!
	until grep -q sampling said; do sleep 0.2; done
	spin > /dev/null & local first=$!
	spin > /dev/null & local second=$!
	for i in 1 2 3; do
		sleep 2
		check "CPU 1 goes offline while it is sampled ($i)" online 0
		sleep 1
		check "... and comes back" online 1
	done
	sleep 1
	cp "$(command -v spin)" late
	taskset 2 ./late > /dev/null & local late=$!
	check "the recorder ends well" wait $recorder
	kill $first $second $late
	check "both CPUs were sampled" grep -cE 'CPU +[01] +[0-9]{3,} samples' said
	check "no NMI afterwards" quiet
	check "the module can be removed" rmmod vmmprof
	check "the kernel has nothing to say" kernel_calm
	result session said
}

# late_of SCRIPT.TXT: there are samples of it, all on CPU 1, with its functions
late_of()
{
	awk '/^type=sample/ && / comm=late / {
		n++; there += / cpu=1 /; known += / sym=/ && !/ sym=\[unknown/
	} END { print n + 0 " samples, " there + 0 " there, " known + 0 " known"
		exit !(n > 50 && there == n && known > n * 0.9) }' "$1"
}

after()
{
	"$VMMPROF" script -i session > script.txt
	"$VMMPROF" report -i session --json > report.json
	check "CPU 1 is sampled again after it came back" \
		at_least "$(awk '/ cpu=1 / { sub("t=", "", $3); print $3 }' \
			script.txt | tail -n 1)" 8
	check "a program that was executed there then has its name" \
		late_of script.txt
	check "the account adds up, nothing is lost" \
		"$BED/shares.py" account report.json
}
