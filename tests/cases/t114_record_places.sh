# SPDX-License-Identifier: GPL-2.0-only
# Where others could put something in the way nothing is written: not into their
# directories, not where they may write, not through their links.
[ "$(id -u)" -eq 0 ] || { echo 'skipped: not root'; exit 0; }
refused()
{
	want=$1
	shift
	status=0
	"$VMMPROF" "$@" > out 2> err || status=$?
	[ $status -eq 1 ] && grep -q -- "$want" err && return
	echo "$*: status $status, not '$want'"
	cat err
	exit 1
}
# What is right here fails later: there is no module.
taken()
{
	"$VMMPROF" record -d 1 -o "$1" 2> err || :
	if grep 'session' err; then exit 1; fi
}
mkdir theirs open shared shared/mine sticky sticky/mine mine
chown 1234 theirs
chmod 777 open shared
chmod 1777 sticky
chmod 775 mine
ln -s nowhere/s link
ln -s mine own
ln -s mine alien
chown -h 1234 alien
refused "directory is another user's" record -d 1 -o theirs
grep -q 'Name a directory that is not' err
refused 'other users may write to the directory' record -d 1 -o open
refused 'other users may write to the directory' record -d 1 -o mine
grep -q 'chmod go-w' err
refused 'another directory in its place' record -d 1 -o shared/mine
grep -q 'chmod +t' err
refused 'symbolic link' record -d 1 -o link
refused 'symbolic link' record -d 1 -o own --force
refused "another user's symbolic link" record -d 1 -o alien/s
refused "another user's symbolic link" record -d 1 -o "$PWD"/alien/../s
grep -q 'realpath' err
[ -z "$(find theirs open mine shared/mine -mindepth 1)" ]
taken sticky/mine
taken shared/new
taken own/new
taken theirs/new
chmod 700 mine
taken mine

# The same of files.
printf 'file info\n end\nfile cpu-0.rec\n sample tsc=1\n' > d
"$TOP"/tests/gen/mksession.py d s
echo precious > kept
ln -s kept to_kept
refused 'symbolic link' export -f json -i s -o alien/out
ln -s mine/out to_out
chown -h 1234 to_kept
refused 'realpath' export -f json -i s -o to_kept
refused "another user's symbolic link" report -i s --html to_kept
[ "$(cat kept)" = precious ]
"$VMMPROF" export -f json -i s -o to_out
[ -s mine/out ]
"$VMMPROF" export -f json -i s -o /dev/stdout | cmp - mine/out
"$VMMPROF" export -f json -i s -o /dev/null
