# SPDX-License-Identifier: GPL-2.0-only
# What a switch record costs, and a switch that makes none, in instructions: of
# the module and of what calls it, counted by the emulator.  A VM of one
# instruction and a process by turns; then two processes.  docs:
# cost/switches.py, pmu/cost.cc.
CPUS=1
LIMIT=240
ALL=longer
AMD=longer

# counted NAME SECONDS: one window
counted()
{
	check "window $1" vmmprof record -q -m 64M --no-drain -e cycles \
		-c 1000000 --transport none -o "$1" -- \
		sh -c "window $1 1 $2 hist > $1.out"
}

host()
{
	guests_only
	window_at_nmi
	module
	cp /proc/kallsyms symbols
	tinyvm -name vm & local vm=$!
	spin > /dev/null & local one=$!
	counted switched 2
	kill $vm
	spin > /dev/null & local two=$!
	counted others 1
	kill $one $two
	result symbols switched switched.out
}

after()
{
	python3 "$BED/cost/switches.py" switched symbols switched \
		> switched.txt
	python3 "$BED/cost/switches.py" others symbols > others.txt
	cat switched.txt others.txt > table.txt
	# Counted: 257 and 37; the wake-ups among it differ a little.  On AMD 293:
	# the VMCB is validated before it is read.
	check "a switch record costs at most 275, on AMD 310" \
		at_most "$(awk '/^records/ { print $3 }' switched.txt)" \
		$([ "$HOST_CPU" = amd ] && echo 310 || echo 275)
	check "a switch of others at most 45" \
		at_most "$(awk '/^switches/ { print $3 }' others.txt)" 45
}
