# SPDX-License-Identifier: GPL-2.0-only
# vmmprof top, live on one CPU with two busy guests: lines for scripts, and the
# panels on a terminal, by keys.  Guest one has a bundle from before; guest two
# answers by vsock, so its maps and the code of a function that is looked at
# come while top runs.
CPUS=1
LIMIT=560
ALL=longer
AMD=longer

tui() { tmux -u -S "$PWD/tmux" -f /dev/null "$@"; }

# shown REGEX [SECONDS]: until a line of the screen matches.  Nothing is waited
# for twice: the first screen that does not come is the last one.
shown()
{
	local until=$((SECONDS + ${2:-60}))
	[ ! -e missed ] || return 1
	until tui capture-pane -p > screen && grep -- "$1" screen; do
		if [ $SECONDS -ge $until ]; then
			cp screen screens/missed
			touch missed
			return 1
		fi
		sleep 0.3
	done | cut -c 1-100
	[ ! -e missed ]
}

# step NAME REGEX KEY...: keys, and the screen that shows their effect
step()
{
	local name=$1 want=$2
	shift 2
	tui send-keys "$@"
	check "keys $*: $name" shown "$want"
	# tmux may have been asked in the middle of it
	for _ in 1 2 3 4 5; do
		cp screen "screens/$name"
		sleep 0.3
		tui capture-pane -p > screen
		! cmp -s screen "screens/$name" || break
	done
}

# down_to REGEX: the next row, until a line of the screen matches
down_to()
{
	local i
	for i in 1 2 3 4 5 6; do
		tui send-keys Down
		! shown "$1" 3 || return 0
		rm -f missed
	done
	return 1
}

terminal()
{
	mkdir -p screens
	tui new-session -d -x 100 -y 30 "TERM=tmux-256color vmmprof top -d 2 -e cycles \
		-c 100000 --guest-bundle one=one.bundle 2> top.err; echo status \$? >> top.err"
	check "on a terminal: both guests" shown '^two  *G' 120
	check "guest two is there to be chosen" down_to 'two: '
	check "it is asked in the background, its maps come" \
		shown 'two: maps of [0-9]* s ago, vsock' 240
	# in the next interval samples have names
	step functions 'sorter_' ''
	step paused ', paused' p
	step vcpus '^VMs > two  ' Enter
	step processes '^VMs > two > vCPU 0  ' Down Enter
	step process '^VMs > two > vCPU 0 > .*sorter' Down Enter
	step annotate '^No code: instructions are being fetched from the guest' Down Enter
	tui send-keys p
	check "a function's instructions come from the guest" \
		shown "^Code: the guest's bundle" 240
	step code 'paused, lines' p
	step back '^VMs > two > vCPU 0 > .*sorter' q
	step up '^VMs  ' Escape Escape Escape
	step sort 'Sort:guest' s
	step filter '^filter: two_' / t w o
	step filtered '^VMs .*filter: two' Enter
	step all '^one  *G' Escape
	step help '^Keys (any key' '?'
	step event 'cycles' x v
	step on 'own .* samples, cycles *$' p
	tui send-keys q
	for _ in $(seq 100); do
		! grep -q status top.err || break
		sleep 0.3
	done
	check "q ends it" grep 'status 0' top.err
	tui kill-server 2> /dev/null
	result screens
}

host()
{
	guests_only
	module
	guest_start one $fast
	guest_start two $fast -device vhost-vsock-pci,guest-cid=5
	guest_wait one || return
	guest_wait two || return
	guest_sh one 'shor 33 > /dev/null &'
	guest_sh two 'sorter > /dev/null &'
	guest_sh two 'vmmprof-guest serve --vsock > /tmp/serve.out 2>&1 &'
	check "guest one is watched" guest_watch one
	sleep 1
	check "the bundle of one arrives" guest_bundle one
	vmmprof top --batch -n 3 -d 3 -e cycles -c 100000 --transport none \
		--guest-bundle one=one.bundle > batch 2> batch.err
	check "three intervals, status 0" test $? = 0
	cat batch.err
	check "a session of both, too" vmmprof record -q -e cycles -c 100000 -d 4 \
		--transport none --guest-bundle one=one.bundle -o session
	terminal
	check "nothing is left in memory" \
		fails ls -d /dev/shm/vmmprof-top* /tmp/vmmprof-top*
	check "no process is left" fails pidof vmmprof
	check "nothing is left in two" guest_sh two '! ls -d /tmp/vmmprof.*'
	result batch session
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

# samples SCREEN: in its title
samples() { sed -n '1s/.* \([0-9]*\) samples.*/\1/p' "screens/$1"; }

# sum SCREEN: of the rows above, but for the first, which is all of them
sum()
{
	awk 'NR > 3 && /^Samples/ { exit } NR > 4 { n += $1 } END { print n }' "screens/$1"
}

# instructions SCREEN: where they are, and how their names begin, as objdump has it
instructions()
{
	local of=${VMMPROF_BUILD:-$TOP/build}/workloads/sorter
	sed -n 's/^.\{15\}  *\([0-9a-f]\{6\}\)  \([a-z]\{2\}\).*/\1 \2/p' \
		"screens/$1" > shown
	objdump -d --no-show-raw-insn "$of" |
		sed -n 's/^ *\([0-9a-f]*\):\t\([a-z]\{2\}\).*/\1 \2/p' > there
	test "$(wc -l < shown)" -ge 10 && fails grep -vxFf there shown
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
	check "and it is said why" grep '^two: no maps: --transport none' batch
	check "every view of the session has the same numbers" "$BED/views.py" session
	for n in paused processes process annotate code; do
		echo "--- $n" && cat screens/$n
	done >> table.txt
	check "the screen: its own cost" grep -o "own [0-9.]*% of a CPU" screens/paused
	check "shares of two on the screen sum to 100" within "$(awk '$1 == "two" && /[GS.]/ {
		print $3 + $4 + $5 + $6 + $7 + $8 }' screens/paused)" 100 0.4
	for n in vcpus processes process; do
		check "standing still: as many samples in $n" equal \
			"$(samples $n)" "$(samples paused)"
	done
	check "all processes are the sum of each" equal \
		"$(awk '/all processes$/ { print $1 }' screens/processes)" \
		"$(sum processes)"
	check "all functions of one are its samples" equal \
		"$(awk '/all functions$/ { print $1 }' screens/process)" \
		"$(awk 'NR > 3 && $NF == "sorter" && !/all/ { print $1; exit }' screens/processes)"
	check "the instructions shown are of its function" equal \
		"$(sed -n 's/^\(sorter_[a-z]*\) .*guest two: \([0-9]*\) samples$/\1 \2/p' screens/annotate)" \
		"$(awk '/sorter_/ { print $(NF - 1), $1; exit }' screens/process)"
	check "those from the guest are its program's" instructions code
}
