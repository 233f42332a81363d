#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An option that would have no effect with the others given is refused with
# status 2 before anything is opened; the message names both.  All that may
# stand together is taken: the session is what is missing then.
export VMMPROF_SYMBOL_CACHE="$PWD/cache"
wrong=0
while IFS='|' read -r line a b; do
	case $line in '' | '#'*) continue ;; esac
	eval "set -- $line"
	status=0
	"$VMMPROF" "$@" > out 2> err < /dev/null || status=$?
	if [ $status -ne 2 ] || [ -s out ] || ! head -n 1 err | grep -qF -- "$a" ||
		! head -n 1 err | grep -qF -- "$b"; then
		echo "$line: status $status, '$a' and '$b' are not named:"
		cat err
		wrong=$((wrong + 1))
	fi
done << 'END'
# what none of the verbs takes twice
report --guest a --guest b|--guest is given twice|'a'
steal --by vcpu --by thief|--by is given twice|'vcpu'
report -i a -i b|--input is given twice|'a'
report --sort pid --sort cpu|--sort is given twice|'pid'
# report
report --stdio --json|--stdio|--json
report --stdio --tui|--stdio|--tui
report --stdio --html x|--stdio|--html
report --tui --json|--tui|--json
report --tui --html x|--tui|--html
report --json --html x|--json|--html
report --tui --guest a|--guest|--tui
report --tui --vcpu 1|--vcpu|--tui
report --tui --pid 1|--pid|--tui
report --tui --sort pid|--sort|--tui
report --tui --limit 1|--limit|--tui
report --tui --classify paper|--classify|--tui
script --json --color always|--color|--json
script -g --json|--callchains|--json
export -f csv -G|--hide-call-graph|--format
export -f json -G|--hide-call-graph|--format
script -g --check|--callchains|--check
report -g folded --tui|--call-graph=folded|--tui
report -g callee --csv|--call-graph|--csv
report -g folded --html x|--call-graph|--html
report --inline|--inline|--call-graph
report --inline --csv|--inline|--call-graph
export -f pprof -G --inline|--inline|--hide-call-graph
export -f csv --inline|--inline|--format
report --hierarchy --tui|--hierarchy|--tui
report --hierarchy --csv|--hierarchy|--csv
report --hierarchy --html x|--hierarchy|--html
report --hierarchy --children|--hierarchy|--children
export -f pprof --levels tid|--levels|--format
report --children --csv|--children|--csv
report --children --html x|--children|--html
report --no-children --csv|--no-children|--csv
report --no-children --html x|--no-children|--html
report --children --no-children|--children|--no-children
report -v --tui|--verbose|--tui
report -v --json|--verbose|--json
report -v --csv|--verbose|--csv
report -v --html x|--verbose|--html
steal -v --json|--verbose|--json
steal -v --csv|--verbose|--csv
steal -v --method both|--verbose|--method=both
report --html x --sort pid|--sort|--html
report --html x --limit 1|--limit|--html
report --html x --classify paper|--classify|--html
report --csv --json|--json|--csv
report --csv --html x|--csv|--html
report --tui --csv|--tui|--csv
report --tui --cpu 1|--cpu|--tui
report --html x -C 1|--cpu|--html
report --html x --percent-limit 1|--percent-limit|--html
report --guest a --vm b|--guest is given twice|'a'
report --tui --vm b|--guest|--tui
report --sort comm,process|--sort has|twice
report -i a b|DIR|--input
steal -i a b|DIR|--input
timeline -i a b|DIR|--input
script -i a b|DIR|--input
export -i a b -f csv|DIR|--input
annotate -i a f b|DIR|--input
report --code-from x|--code-from|without --tui
report --json --debuginfod no|--debuginfod|without --tui
timeline --debug-dir x|--debug-dir|without --perfetto
timeline --json --debuginfod all|--debuginfod|without --perfetto
# colours
report --color=never --tui|--color|--tui
report --color=never --json|--color|--json
report --color=never --csv|--color|--csv
report --color=never --html x|--color|--html
steal --color=never --json|--color|--json
steal --color=never --csv|--color|--csv
timeline --color=never --svg|--color|--svg
timeline --color=never --perfetto|--color|--perfetto
timeline --color=never --csv|--color|--csv
timeline --color=never --json|--color|--json
diff a b --inline|--inline|--call-graph
diff a b --color=never --json|--color|--json
annotate f --color=never --json|--color|--json
# annotate
annotate --stdio --json f|--stdio|--json
annotate --code-list|--code-list|without --guest
annotate --code-list --guest a f|FUNCTION|--code-list
annotate --code-list --guest a --stdio|--stdio|--code-list
annotate --code-list --guest a --json|--json|--code-list
annotate --code-list --guest a --process p|--process|--code-list
annotate --code-list --guest a -e cycles|--event|--code-list
annotate --code-list --guest a -M att|--syntax|--code-list
annotate --code-list --guest a --code-from x|--code-from|--code-list
annotate --code-list --guest a --debuginfod no|--debuginfod|--code-list
# steal, timeline
steal --json --csv|--json|--csv
steal --by thief --method both|--by|--method=both
exits --json --csv|--json|--csv
exits --csv --limit 1|--limit|--csv
exits --vcpu 1 --by vm|--vcpu|--by=vm
exits -i a b|DIR|--input
timeline --svg --perfetto|--svg|--perfetto
timeline --svg --csv|--svg|--csv
timeline --perfetto --csv|--perfetto|--csv
timeline --perfetto --from 1|--from|--perfetto
timeline --perfetto --to 1|--to|--perfetto
timeline --perfetto --width 9|--width|--perfetto
timeline --csv --from 1|--from|--csv
timeline --csv --to 1|--to|--csv
timeline --csv --width 9|--width|--csv
timeline --csv --json|--csv|--json
timeline --svg --json|--svg|--json
timeline --perfetto --json|--perfetto|--json
timeline --json --from 1|--from|--json
timeline --json --to 1|--to|--json
timeline --json --width 9|--width|--json
# export, diff
export -f perfetto --guest a|--guest|--format=perfetto
export -f perfetto -e cycles|--event|--format=perfetto
export -f perfetto --samples-only|--samples-only|--format=perfetto
export -f prometheus --vm a|--guest|--format=prometheus
export -f prometheus -e cycles|--event|--format=prometheus
export -f prometheus --samples-only|--samples-only|--format=prometheus
export -f prometheus -G|--hide-call-graph|--format=prometheus
export -f prometheus --inline|--inline|--format=prometheus
export -f csv --per-vm|--per-vm|--format=pprof
export -f pprof --per-vm --samples-only|--samples-only|--per-vm
export --guest a|--format|missing
diff --stdio --json a b|--stdio|--json
diff --html x --json a b|--json|--html
diff --html x -g a b|--call-graph|--html
diff --html x -n 3 a b|--limit|--html
diff --html x --color=never a b|--color|--html
diff -g -n 3 a b|--limit|--call-graph
diff -g -s pid a b|--sort|--call-graph
# guests
guests --cache -i a|--input|--cache
guests --cache name|NAME|without --cache=clear
guests -i a b|DIR|--input
guests --cache=clear --json|--json|--cache=clear
guests --cache --cache=clear|--cache is given twice|'clear'
# record
record -c 5 -F 5|--count|--freq
record -a -C 1|--all-cpus|--cpu
record -q -v|--quiet|--verbose
record --max-stack 5|--max-stack|without --callchains
record -d 1 -- true|--duration|COMMAND
record --transport none --ssh a=b@c|--ssh|--transport=none
record --transport none --guest-timeout 9|--guest-timeout|--transport=none
record --transport none --guest-program x|--guest-program|--transport=none
record --no-guest-memory --identity auto|--identity|--no-guest-memory
record --no-guest-memory --call-graph guest|--call-graph|--no-guest-memory
record --transport none -N|--no-buildid-cache|--transport=none
record --transport none --no-code|--no-code|--transport=none
record --transport agent --ssh a=b@c|--ssh|--transport
record --transport a=agent --ssh a=b@c|--ssh|--transport
record --transport agent --transport vsock|--transport|twice
record --transport a=agent --transport a=vsock|--transport|twice
record --ssh a=b@c --ssh a=d@e|--ssh|twice
record --guest-bundle a=b --guest-bundle a=c|--guest-bundle|twice
record --force-pmu -e cpu-clock|--force-pmu|--event
# agent
agent --spool-size 5 --metrics-dir x|--spool-size|without --spool-dir
agent --spool-age 5 --metrics-dir x|--spool-age|without --spool-dir
agent --spool-group x --metrics-dir x|--spool-group|without --spool-dir
push --url http://x --spool-dir x y|SESSION|--spool-dir
push --url http://x --once y|--once|SESSION
push --url http://x --max-age 5 y|--max-age|SESSION
agent --debug-dir x --metrics-dir x|--debug-dir|without --spool-dir
agent --records-size 5|--records-size|without --records-dir
agent --records-time 5|--records-time|without --records-dir
agent --freeze-steal 5 --freeze-dir x|--freeze-steal|without --records-dir
agent --freeze-steal 5 --records-dir x|--freeze-steal|without --freeze-dir
agent --freeze-dir x --records-dir x|--freeze-dir|without --freeze-steal
agent --freeze-for 5 --records-dir x|--freeze-for|without --freeze-steal
agent --freeze-keep 5 --records-dir x|--freeze-keep|without --freeze-steal
agent --freeze-steal 5 --records-dir x --freeze-dir x --no-switches|--freeze-steal|--no-switches
agent -o x --records-dir x|--output|without freeze
agent -c 5 -F 5|--count|--freq
agent --transport none -N|--no-buildid-cache|--transport=none
agent --transport none --guest-timeout 3|--guest-timeout|--transport=none
agent --identity auto --no-guest-memory|--identity|--no-guest-memory
# top
top --inline|--inline|--callchains
top -b -c 5 -F 5|--count|--freq
top --limit 3|--limit|without --batch
top --json|--json|without --batch
top -b --max-stack 5|--max-stack|without --callchains
top -b --code-from x|--code-from|--batch
top -b --debuginfod no|--debuginfod|--batch
top -b --transport none -N|--no-buildid-cache|--transport=none
top -b --guest-bundle a=b --guest-bundle a=c|--guest-bundle|twice
END
[ $wrong -eq 0 ]

while read -r line; do
	eval "set -- $line"
	status=0
	"$VMMPROF" "$@" > out 2> err < /dev/null || status=$?
	[ $status -eq 1 ] && [ ! -s out ] && continue
	echo "$line: status $status"
	cat out err
	exit 1
done << 'END'
report --json --json -i none
report -i none -g caller --children --json -s pid -n 3
report -i none -g callee --no-children --classify paper -v
report -i none -i none --guest a --vcpu 1 --pid 2 -e cycles -s pid,cpu -n 0 --classify paper -v
report -i none --html x --guest a --vcpu 1 --pid 2 -e cycles
annotate -i none --json --guest a --process b -e cycles -M att --debuginfod no f
annotate -i none --code-list --guest a
steal -i none --by thief --method exact --csv
exits -i none --by vcpu --vcpu 1 --guest a --sort time --limit 1 --json
timeline -i none --from 1 --to 2 --width 9 --svg
export -i none -f folded --guest a -e cycles --samples-only
diff none none2 --json --guest a -e cycles -s pid -n 0 --samples-only
script -i none -F ip,ip,time,symbol --check -C 0-3
script none
report none --csv --vm a -p 2 -C 1 --sort comm,dso,sym --percent-limit 0.5
export none -f folded --vm a
annotate f none
guests none
END
[ -e /dev/vmmprof ] || while read -r line; do
	eval "set -- $line"
	status=0
	"$VMMPROF" "$@" > out 2> err < /dev/null || status=$?
	[ $status -eq 1 ] && grep -q '/dev/vmmprof is not there' err && continue
	echo "$line: status $status"
	cat out err
	exit 1
done << 'END'
record -q -C 0 -e cpu-clock -F 5 -d 1 -o none --no-drain --no-switches
record --transport none --transport a=ssh --ssh a=b@c --guest-timeout 9 -N --no-code -d 1 -o none
record --force-pmu -e cpu-clock,cycles -v -o none -- true
top -b -n 1 --limit 3 --guest-bundle a=/dev/null --transport agent --guest-timeout 9 -N
END

# the guest's program: each verb has its own
guest="$TOP/build/vmmprof-guest"
[ -x "$guest" ]
while IFS='|' read -r line a b; do
	eval "set -- $line"
	status=0
	"$guest" "$@" > out 2> err < /dev/null || status=$?
	[ $status -eq 2 ] && [ ! -s out ] && grep -q -- "^vmmprof-guest: $a has no effect with $b" err && continue
	echo "$line: status $status"
	cat out err
	exit 1
done << 'END'
dump -o x -d 3|-d|dump
watch -o x --bundle y|--bundle|watch
dump -o x --list y|--list|dump
watch -o x --vsock|--vsock|watch
code --bundle x --list y --method none|--method|code
code --bundle x --list y --have z|--have|code
code --bundle x --list y -v|-v|code
code --bundle x --list y -d 3|-d|code
serve -o x|-o|serve
serve --vsock --method none|--method|serve
serve -v|-v|serve
serve --unwind|--unwind|serve
code --bundle x --list y --unwind|--unwind|code
END
