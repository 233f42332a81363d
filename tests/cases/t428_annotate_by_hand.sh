# SPDX-License-Identifier: GPL-2.0-only
# A bundle that is copied by hand: the list of what is hot, vmmprof-guest adds the
# code to the bundle, and the file is not needed any more.
. "$CASES/annotate.sh"
annotate_program
annotate() {
	"$VMMPROF" annotate -i s --guest web "$@" 2>&1 |
		sed "s,$PWD/,,g; s/$id/ID/g"
}
code=$PWD/gone guest=$PWD/prog guest_id=$id
annotate_session
sed "s,$PWD/gone build_id=$id,$PWD/gone," d > d.1 # the host has none of that
rm -r s
"$TOP"/tests/gen/mksession.py d.1 s
annotate spin | grep 'ode:'
annotate --code-list > list
[ "$(cat list)" = "1 $(printf %x "$off") 22" ]
cp s/guests/web.bundle web
"$TOP"/build/vmmprof-guest code --bundle web --list list
# twice: it is there twice, and all is well
"$TOP"/build/vmmprof-guest code --bundle web --list list
mv prog gone.prog
annotate spin --guest-bundle web=web
"$TOP"/build/vmmprof-guest code --bundle web --list list # has become an empty one
annotate spin --guest-bundle web=web | grep 'ode:'
echo "-- another file by now"
mv gone.prog prog
sed 's/1234/1235/' prog.S > other.S
gcc -nostdlib -static -Wl,--build-id -Wl,-Ttext=0x401000 -o prog other.S
cp s/guests/web.bundle other
"$TOP"/build/vmmprof-guest code --bundle other --list list
cmp s/guests/web.bundle other
echo "-- errors"
"$VMMPROF" annotate -i s --code-list 2>&1 || echo "status $?"
"$VMMPROF" annotate -i s --code-list --guest web spin 2>&1 || echo "status $?"
"$VMMPROF" annotate -i s --code-list --guest none 2>&1 || echo "status $?"
cp -r s n
rm n/guests/web.bundle
"$VMMPROF" annotate -i n --code-list --guest web 2>&1 || echo "status $?"
"$TOP"/build/vmmprof-guest code --bundle web --list web 2>&1 || echo "status $?"
"$TOP"/build/vmmprof-guest code --bundle list --list list 2>&1 || echo "status $?"
"$TOP"/build/vmmprof-guest code --bundle none --list list 2>&1 || echo "status $?"
