# SPDX-License-Identifier: GPL-2.0-only
# Anybody can give a program of his the build-id of another one: such a file is
# shown for the samples in it, but for no other program of the host or a guest.
[ "$(id -u)" -eq 0 ] || { echo "skipped: only root can give files to others"; exit 0; }
. "$CASES/annotate.sh"
annotate_program
code=$PWD/prog guest=/bin/gprog guest_id=$id
annotate_session
cp prog evil
# of the same build-id: lea for imul
printf '\215\004' | dd of=evil bs=1 conv=notrunc seek=$((off + 5)) 2> dd.log
chown 12345 evil
chmod 755 evil
# from FLAGS PATH: the host had both mapped, the other one first
from() {
	sed "s,^  file_item id=1 .*path=$PWD/prog.*,  file_item id=0 path=$2 build_id=$id flags=$1\n&," d > d.1
	"$TOP"/tests/gen/mksession.py d.1 s
}
code_of() {
	want=$1
	shift
	"$VMMPROF" annotate -i s spin "$@" > out 2>&1 || true
	grep -qE "$want" out || { echo "not found: $want"; cat out; exit 1; }
}
# somebody's own, seen as such, and as what was root's when it was mapped
for flags in 0 32; do
	rm -rf s
	from $flags "$PWD/evil"
	code_of "Code: *$PWD/prog$"
	code_of "Code: *$PWD/prog$" --guest web
done
# there is no other, so a guest's has none; the samples' own is shown
sed "s,path=$PWD/prog build_id=$id flags=32,path=$PWD/evil build_id=$id," d > d.1
rm -rf s
"$TOP"/tests/gen/mksession.py d.1 s
code_of "Code: *$PWD/evil$"
code_of "no file of build-id $id" --guest web
