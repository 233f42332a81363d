#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# report --tui under 10,000 random keys and 20 random sizes: no crash, no leak,
# no hanging.  Only the build with sanitizers sees what this is about.
case $VMMPROF in */asan/*) ;; *) exit 0 ;; esac
. "$CASES/tui.sh"
: "${KEYS:=10000}" "${SEED:=1}"
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/chains.txt s
: > runs
# Keys that end it begin it again: nothing of them reaches a shell.
cat > again <<END
while [ ! -e stop ]; do
	"$VMMPROF" report --tui -i s 2>> err || echo \$? >> bad
	echo >> runs
done
echo ended
sleep 60
END
tui_start 80 24 sh again
tui_wait '^alpha'
python3 - "$KEYS" "$SEED" > keys << 'EOF'
import random, sys
random.seed(int(sys.argv[2]))
keys = ('Up Down Left Right PPage NPage Home End Enter Escape Tab BSpace '
        'F1 F2 F3 F4 F5 F6 F7 F8 F9').split() * 3 + \
       'a b s e m x p h t w / ? . Z 7 é + E C g v'.split() * 2 + ['q', 'F10']
nr, sizes = int(sys.argv[1]), 20
for i in range(sizes):
    print('size', random.randint(1, 220), random.randint(1, 70))
    print('keys', *random.choices(keys, k=nr // sizes))
EOF
# all_read WORD: the keys have been, as what is typed last is on the screen.  What
# was typed behind a key that ended the program may be lost: type it again.
all_read() {
	for _ in $(seq 30); do
		tui_keys Escape Escape Escape Escape Escape Escape / Escape /
		tui_keys -l "$1"
		# A window that is small and large again within a moment tells
		# nobody, and what it cut off is gone.
		tui_keys C-l
		for _ in 1 2 3 4 5 6 7 8; do
			if tui_screen | grep -q "^filter: .*$1_"; then return; fi
			sleep 0.1
		done
	done
	echo "keys are not read any more, after $(wc -l < runs) runs:"
	tui_screen | grep . || echo "(nothing on the screen)"
	ps -o pid,ppid,stat,wchan:24,etime,time,args \
		-t "$(tui display-message -p '#{pane_tty}')"
	return 1
}

i=0
while read -r what rest; do
	# shellcheck disable=SC2086
	case $what in
	size) tui resize-window -x "${rest% *}" -y "${rest#* }" ;;
	keys)
		tui send-keys $rest
		sleep 0.2
		tui resize-window -x 80 -y 24
		i=$((i + 1))
		all_read "mark$i."
		tui_keys Escape
		;;
	esac
done < keys
test $i -eq 20
touch stop
tui_keys F10
tui_wait '^ended'
test ! -e bad
test ! -s err
test "$(wc -l < runs)" -ge 1
