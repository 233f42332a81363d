# SPDX-License-Identifier: GPL-2.0-only
# Code that is not at hand: the samples by address, and why; a guest's file is
# taken from where the user says, by its build-id, never by the guest's path.
. "$CASES/annotate.sh"
annotate_program
annotate() {
	status=0
	"$VMMPROF" annotate -i s "$@" > out 2>&1 || status=$?
	sed "s,$PWD/,,g; s/$id/ID/g; s/$other/OTHER/g" out
	[ $status -eq 0 ] || echo "status $status"
}
other=$(echo "$id" | tr 0-9a-f 1-9a-f0)
echo "-- the guest's path is there, and is not looked at"
code=$PWD/gone guest=$PWD/prog guest_id=$id
annotate_session
sed 's/build_id=[0-9a-f]*/build_id=00/' d > d.1 # the host has none of that
sed -i "s,\($PWD/prog build_id\)=00,\1=$id," d.1
rm -r s
"$TOP"/tests/gen/mksession.py d.1 s
annotate spin --guest web
echo "-- another build-id"
guest_id=$other
annotate_session
annotate spin --guest web --code-from prog | grep 'ode:'
echo "-- the same"
guest_id=$id
annotate_session
annotate spin --guest web --code-from prog | grep -E 'Code|nop'
mkdir -m 700 private # the reader of a session is not root
cp prog private
chmod 600 private/prog
annotate spin --guest web --code-from private/prog | grep -E 'Code|nop'
echo "-- no build-id"
guest_id=
annotate_session
annotate spin --guest web --code-from prog | grep -E 'ode:'
echo "-- a debug file has lines, a stripped one code"
guest_id=$id
annotate_session
objcopy --only-keep-debug prog prog.debug
strip -o stripped prog
annotate spin --guest web --code-from prog.debug | grep -E 'ode:|;|401013'
annotate spin --guest web --code-from stripped | grep -E 'ode:|;|nop'
annotate spin --guest web --code-from prog.debug --code-from stripped |
	grep -E 'ode:|;|nop'
echo "-- errors"
annotate
annotate spin more
annotate spin -M masm
annotate spin --code-from none
annotate spin --guest none
annotate nothing
annotate leaf --guest web
