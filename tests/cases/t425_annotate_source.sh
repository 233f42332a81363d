#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# annotate: the text of source lines of what ran on the host, from files that
# belong to the program and that everybody may read; never of what a guest ran,
# and nothing of other files that its debugging information names.
. "$CASES/annotate.sh"
annotate_program
cp prog copy
code=$PWD/prog guest=/usr/bin/gprog guest_id=$id
annotate_session
spin() { "$VMMPROF" annotate -i s "$@" spin > out; }
absent() { if grep -q -- "$1" out; then return 1; fi; }

spin --process 9
grep -A 1 '^ *; prog.S:5$' out | grep -q '^ *| \{9\}imul    \$1234, %ebx, %ecx$'
test "$(grep -c '^ *| ' out)" -eq 6
# The guest's is the same program: its lines have names, and no text.
spin --guest web
grep -q '^ *; prog.S:5$' out
absent '^ *| '
spin --guest web --code-from copy
absent '^ *| '

# Changed after the program was made, or put there: it may be another one.
gone()
{
	spin --process 9
	grep -q '^ *; prog.S:5$' out
	absent '^ *| '
}
back()
{
	touch prog # as if it was made anew
	spin --process 9
	test "$(grep -c '^ *| ' out)" -eq 6
}
sed -i 's/1234/4321/' prog.S
touch prog.S
gone
touch -d '2001-01-01' prog.S
gone
sed -i 's/4321/1234/' prog.S
back

# Not everybody's
chmod 600 prog.S
touch prog
gone
chmod 644 prog.S
back
# No file: nothing waits for a fifo, nothing follows where it leads.
mv prog.S kept
mkfifo prog.S
touch prog
gone
rm prog.S
mkdir prog.S
touch prog
gone
rmdir prog.S
ln -s /proc/version prog.S
touch prog
gone
rm prog.S
touch prog
gone

# What is in it gives no orders; lines are cut, and those that are missing
# missed.
{
	sed -n 1,4p kept
	printf '\timul\t\033]2;OWNED\007 %0300d\n\n\000\n' 7
} > prog.S
touch prog
spin --process 9
grep -q '^ *; prog.S:10$' out
grep -q '^ *|  *imul    \\x1b\]2;OWNED\\x07 0000*$' out
test "$(grep -c '^ *| ' out)" -eq 2
test "$(wc -L < out)" -lt 300
LC_ALL=C absent "$(printf '\033')"
"$VMMPROF" annotate -i s --json spin > json
python3 - <<'EOF'
import json
for p in json.load(open('json'))['places']:
    text = [x['source_text'] for x in p['lines'] if 'source_text' in x]
    assert len(text) == (0 if p['vm'] else 3), text
    assert p['vm'] or text[0] == 'spin:   mov     $3, %eax', text
EOF

# A relative path is a file of whoever reads the session, not of its host.
code=prog
annotate_session
if spin --process 9 2> err; then exit 1; fi
spin --guest web
grep -q '^No code' out
absent 'imul\|prog.S'
"$VMMPROF" report -i s --sort srcline,function > out
absent 'prog.S'
# Readable by its mode, but in a directory that others may not enter
code=$PWD/prog
[ "$(id -u)" -eq 0 ] || exit 0
cp kept prog.S
touch prog
annotate_session
sed 's/ flags=32$//' d > d.1 # somebody's, not root's
rm -r s
"$TOP"/tests/gen/mksession.py d.1 s
chown -R 1234 .
own() { setpriv --reuid 1234 --regid 1234 --clear-groups "$VMMPROF" annotate -i s --process 9 spin > out; }
own
test "$(grep -c '^ *| ' out)" -eq 6
chmod 700 .
own
grep -q '^ *; prog.S:5$' out
absent '^ *| '
