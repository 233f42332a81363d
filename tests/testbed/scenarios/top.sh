# SPDX-License-Identifier: GPL-2.0-only
# vmmprof top, live on one CPU with two busy guests: lines for scripts, and the
# panels on a terminal.  Guest one has a bundle from before: last known maps.
CPUS=1
LIMIT=500

# Without decompression: up in a third of the time.
fast="-kernel /lab/guest/vmlinux"

host()
{
	guests_only
	module
	guest_start one $fast
	guest_start two $fast
	guest_wait one || return
	guest_wait two || return
	guest_sh one 'shor 33 > /dev/null &'
	guest_sh two 'sorter > /dev/null &'
	check "guest one is watched" guest_watch one
	sleep 1
	check "the bundle of one arrives" guest_bundle one
	vmmprof top --batch -n 3 -d 3 -e cycles -c 100000 \
		--guest-bundle one=one.bundle > batch 2> batch.err
	check "three intervals, status 0" test $? = 0
	cat batch.err
	# vt100 leaves the last screen where it was, but for the line that ends it
	script -qec "stty rows 24 cols 80; TERM=vt100 vmmprof top -n 2 -d 2 \
		-e cycles -c 100000 --guest-bundle one=one.bundle" screen \
		> /dev/null < /dev/null
	check "on a terminal: status 0" test $? = 0
	check "nothing is left in memory" \
		fails ls -d /dev/shm/vmmprof-top* /tmp/vmmprof-top*
	result batch screen
}

# interval N: its lines
interval() { awk -v n="$1" '/^vmmprof top/ { i++ } i == n' batch; }

# share NAME COLUMN [N]: of the VM's row in the Nth interval
share() { interval "${3:-2}" | awk -v n="$1" -v c="$2" '$8 ~ "^" n ",?$" { print $c; exit }'; }

# functions NAME [N]: of that machine
functions()
{
	interval "${2:-2}" | awk -v n="$1" '/ functions of / { on = $NF == n; next } on'
}

after()
{
	local n
	cat batch >> table.txt
	check "a title each" test "$(grep -c '^vmmprof top .* own .* of a CPU' batch)" = 3
	check "its own cost" grep -o 'own [0-9.]*% of a CPU' batch
	for n in 1 2 3; do
		check "interval $n: shares of one sum to 100" within "$(interval $n |
			awk '$8 == "one," || $8 == "one" { print $1 + $2 + $3 + $4 + $5 + $6 }')" 100 0.4
	done
	# one CPU, two guests and top itself: what one runs the other waits
	check "one runs" at_least "$(share one 1)" 15
	check "two runs" at_least "$(share two 1)" 15
	check "and they wait for one another" at_least "$(share one 3)" 25
	check "the thief of one is named" grep "^.* one, .*of steal: .*vCPU 0 of two" batch
	check "functions of one by its bundle" grep quantum_ <(functions one)
	check "no function of one in two" fails grep quantum_ <(functions two)
	check "two has no names" grep "no bundle" <(functions two)
	tmux -S "$PWD/tmux" -f /dev/null new-session -d -x 80 -y 24 \
		"grep -v '^Script ' screen; sleep 60"
	for n in $(seq 60); do
		tmux -S "$PWD/tmux" capture-pane -p -S -2 > screen.txt
		! grep -q 'F10 Quit' screen.txt || break
		sleep 0.5
	done
	tmux -S "$PWD/tmux" kill-server
	cat screen.txt >> table.txt
	check "the screen: its own cost" grep "own .* of a CPU" screen.txt
	check "the screen: both guests" grep -E "^(one|two) +G" screen.txt
}
