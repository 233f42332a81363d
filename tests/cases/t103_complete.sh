#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --complete: what the last word may become (the shells: tests/install).  Names
# that a terminal could not stand are not offered.
cat > s.txt << 'END'
file info
  text tsc_khz=1000000
  event index=0 name=cycles
  event index=1 name=\x1b]2;OWNED\x07
  vm pid=50 nr_vcpus=1 name=web
  vm pid=60 nr_vcpus=1 name=work%20er
  vm pid=70 nr_vcpus=1 name=w\x1b]2;OWNED\x07
  vcpu pid=50 tid=51 id=0 comm=CPU
  stop start=0 stop=100
  end
END
"$TOP"/tests/gen/mksession.py s.txt vmmprof.data
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt two
mkdir -p folder/inner "$(printf 'f\033]2;OWNED\007')"
VMMPROF_SYMBOL_CACHE=$PWD/cache
export VMMPROF_SYMBOL_CACHE
wrong=0
while IFS='|' read -r words want; do
	eval "set -- $words"
	got=$("$VMMPROF" --complete "$@" | cut -f 1 | sort | tr '\n' ' ')
	[ "$got" = "${want:+$want }" ] && continue
	echo "$words: '$got', not '$want'"
	wrong=$((wrong + 1))
done << 'END'
s|script selftest steal
help re|record report
none x|
report --j|--json
report --json --j|
selftest --j|--json
report --guest-b|--guest-bundle
report --guest-bundle web=x --guest-b|--guest-bundle
report --guest w|web work er
report --guest=we|--guest=web
report -i two --guest ""|alpha beta
report -itwo --guest ""|alpha beta
report --input=two --guest ""|alpha beta
report -i nothing --guest ""|
diff two --guest a|alpha
report -e ""|cycles
report -i two -e ""|ref-cycles
record -e ref-c|ref-cycles
record -e cycles,ref|cycles,ref-cycles
report --sort mod|mode module
report -s mode,mod|mode,mode mode,module
steal --by t|thief
steal --method=|--method=both --method=exact --method=samples
export -f p|perf-script perfetto pprof prometheus
export -fp|-fperf-script -fperfetto -fpprof -fprometheus
annotate -M ""|att intel
annotate --debuginfod ""|all host no
annotate -i two beta_|beta_schedule beta_work
report --html f|folder/
report --html folder/|folder/inner/
report --html=folder/i|--html=folder/inner/
report -i ""|folder/ two vmmprof.data
diff two v|vmmprof.data
report --guest-bundle w|web= work er=
report --guest-bundle web=s|web=s.txt
report --guest-bundle=web=s|--guest-bundle=web=s.txt
record --transport v|vsock
record --transport vsock,s|vsock,ssh
record --transport web=li|web=libvirt
guests --cache=|--cache=clear
script --fields gi|gip
script --limit 3 x|
report --limit ""|
report -- --j|
record -- true --j|
END
[ $wrong -eq 0 ]
