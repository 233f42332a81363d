#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A session that somebody else made: what root is handed of it is what its owner
# may read, under the names that a session has, and no fifo is opened.
cat > d <<END
file info
  text hostname=hut
  vm pid=50 name=web
  vcpu pid=50 tid=51 id=0 comm=x
  guest pid=50 name=web
  end
file host
  clock tsc=0 mono=0
  proc op=snap ns=0 pid=9 comm=init
  end
file guests/web.bundle
  text from=watch phys_mask=0xffffffffff000
  mm op=snap ns=0 key=0x2000 pid=7 comm=secretive
  proc op=snap ns=0 pid=7 comm=secretive
  end
file cpu-0.rec
  vcpu tsc=1 pid=50 tid=51 id=0 offset=0
  sample tsc=20 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=0x2000b repeat=30
END
export ASAN_OPTIONS=detect_leaks=0
has() { grep -q -- "$1" "$2" || { echo "no '$1' in $2:"; cat "$2"; exit 1; }; }
hasnt() { if grep -q -- "$1" "$2"; then echo "'$1' in $2:"; cat "$2"; exit 1; fi; }
report() { "$VMMPROF" report --sort process -i "$@" > out 2> err; }
make() { rm -rf s && "$TOP"/tests/gen/mksession.py d s; }

make
report s
has secretive out

# The directory of bundles is another one: none of its files is opened, not even
# those that have a bundle's name.
mv s/guests elsewhere
echo private > elsewhere/key
ln -s ../elsewhere s/guests
strace -f -qq -e trace=openat,openat2 -o trace "$VMMPROF" report --sort process -i s > out 2> err
hasnt secretive out
has 'guests/web.bundle: Too many levels of symbolic links' err
hasnt '"[^"]*\(key\|web.bundle\|elsewhere\)"' trace
ln -sfn /proc/$$ s/guests
strace -f -qq -e trace=openat,openat2 -o trace "$VMMPROF" report -i s > out 2> err
hasnt '"[^"]*\(environ\|maps\|mem\)", O_RDONLY|O_NONBLOCK' trace

# A bundle, the records or the host's maps that are links.
for name in guests/web.bundle cpu-0.rec host; do
	make
	mv s/$name $(basename $name)
	ln -s "$PWD/$(basename $name)" s/$name
	report s || test $name = cpu-0.rec
	has "$(basename $name).*: Too many levels of symbolic links" err
done

# What a session has no name for is none of its files.
make
echo private > s/key
mkfifo s/pipe s/guests/pipe
strace -f -qq -e trace=openat,openat2 -o trace "$VMMPROF" report --sort process -i s > out 2> err
has secretive out
hasnt '"[^"]*\(key\|pipe\)"' trace
# A fifo under a name that it has is looked at and not opened.
rm s/host
mkfifo s/host
strace -f -qq -e trace=openat,openat2 -o trace "$VMMPROF" report -i s > out 2> err
has 'host: not a regular file' err
has '"host", .*O_PATH' trace
if grep '"host"' trace | grep -qv O_PATH; then
	cat trace
	exit 1
fi

# The directory by a link: mine is followed, not another user's.
make
ln -s s mine
report mine
has secretive out
[ "$(id -u)" -eq 0 ] || { echo 'skipped: not root'; exit 0; }
ln -s s theirs
chown -h 1234 theirs
if report theirs; then exit 1; fi
has "another user's symbolic link: name the directory where it is" err

# Another user's session: readable, with that user's rights.
make
chown -R 1234:1234 s
chmod 700 s s/guests
chmod 600 s/*.rec s/host s/info s/guests/*
report s
has secretive out
# A file that its owner may not read, by any name
echo private > mine.bundle
chmod 600 mine.bundle
cp s/guests/web.bundle mine.bundle
ln -f mine.bundle s/guests/web.bundle
report s
hasnt secretive out
has 'guests/web.bundle: Permission denied' err
# and one that everybody may read, and that has its place elsewhere
chmod 644 mine.bundle
report s
hasnt secretive out
has 'guests/web.bundle: .*several names' err
# Root's own, where others may put files
make
report s
has secretive out
chmod 777 s/guests s
mv s/host there
ln there s/host
report s
has 'host: .*several names' err
chmod 755 s
report s
hasnt 'several names' err
# The owner may not read it
make
chown 1234 s
chmod 700 s
chmod 600 s/info
if report s; then exit 1; fi
has "s/info: Permission denied: its directory is another user's" err
# Root that cannot be another user: nothing is opened
make
chown -R 1234:1234 s
if setpriv --bounding-set=-setuid,-setgid "$VMMPROF" report -i s > out 2> err; then exit 1; fi
has "s/info: .*another user's session takes CAP_SETUID" err
