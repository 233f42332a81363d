# SPDX-License-Identifier: GPL-2.0-only
# Code that a guest's bundle holds: of a program without any file here, of its
# kernel and of a module, as it ran; samples add up.
. "$CASES/annotate.sh"
annotate_program
other=$(echo "$id" | tr 0-9a-f 1-9a-f0)
text=$(objdump -s -j .text prog | awk '/^ [0-9a-f]+ /{print $2 $3 $4 $5}' |
	tr -d '\n' | cut -c 1-44)
[ ${#text} -eq 44 ]
code=$PWD/gone guest=/bin/gprog guest_id=$other
annotate_session
# session CODE...: with these items in the bundle, and a kernel
session() {
	printf '  %s\n' "$@" > items
	awk '/symtab file=1/ {
		print
		print "  kallsyms"
		print "    ffffffff81000000 T startup"
		print "    ffffffff81000010 T copy"
		print "    ffffffff81000020 T _etext"
		print "    ffffffffc0001000 t inmod\\t[mod]"
		print "    ffffffffc0001010 t inmod_end\\t[mod]"
		print "  ."
		print "  modules"
		print "    mod 8192 0 - Live 0xffffffffc0001000"
		print "  ."
		while ((getline line < "items") > 0)
			print line
		close("items")
		next
	}
	{ print }
	END {
		k = "  sample flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=0 cr3=0x2000"
		print k " tsc=30 gip=0xffffffff81000012 repeat=4"
		print k " tsc=31 gip=0xffffffffc0001001 repeat=2"
	}' d > d.1
	rm -rf s
	"$TOP"/tests/gen/mksession.py d.1 s
}
annotate() {
	"$VMMPROF" annotate -i s "$@" > out
	sed "s,$PWD/,,g; s/$id/ID/g; s/$other/OTHER/g" out
}
session "code file=1 addr=$off bytes=$text" \
	"code addr=0xffffffff81000010 bytes=f3a4c3" \
	"code addr=0xffffffffc0001000 bytes=90ffc0c3"
annotate spin --guest web
annotate copy --guest web | tail -n +4
annotate inmod --guest web | tail -n +4
"$VMMPROF" report -i s --html page
python3 "$CASES"/t440_html.py page s
for insn in spin copy inmod; do
	grep -q "\"function\":\"$insn\",[^]]*\"from\":\"the guest's bundle\"" page
done
grep -q '"repz\? movsb\|"rep movsb' page
echo "-- the same as JSON"
annotate spin --guest web --json > a
"$VMMPROF" report -i s --json > r
python3 - "$text" <<'EOT'
import json, sys
a, r = json.load(open('a')), json.load(open('r'))
p, = a['places']
assert p['code'] == "the guest's bundle" and not p['may_be_patched']
assert ''.join(l.get('bytes', '') for l in p['lines']) == sys.argv[1]
row, = [x for x in r['guests'][0]['rows'] if x['function'] == 'spin']
assert sum(l['samples'] for l in p['lines']) == row['samples'] == 33
EOT
echo "-- a file that is named comes first: it has lines, too"
guest_id=$id
annotate_session
session "code file=1 addr=$off bytes=$text"
annotate spin --guest web --code-from prog | grep -E 'Code:|;'
objcopy --only-keep-debug prog prog.debug
annotate spin --guest web --code-from prog.debug | grep -E 'Code:|;'
echo "-- a part of it, from its middle on, of another file"
session "code file=1 addr=$off bytes=$(echo "$text" | cut -c 1-24)"
annotate spin --guest web | tail -n +5
session "code file=1 addr=$((off + 1)) bytes=$text" \
	"code file=2 addr=$off bytes=$text" "code addr=$off bytes=$text" \
	"code file=1 addr=0xffffffffffffffff bytes=$text"
annotate spin --guest web 2>&1 | grep -E 'ode:|damaged'
