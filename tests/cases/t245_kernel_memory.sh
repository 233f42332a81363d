#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Of the running kernel's memory annotate shows code, and that for a session of
# root's own: a session names any address. Who reads the session never has
# /proc/kcore open (a made-up one here).
[ "$(id -u)" -eq 0 ] || { echo 'skipped: not root'; exit 0; }
# the sanitizer wants to be the first library
case $VMMPROF in */asan/*) exit ;; esac
cat > standin.c <<'EOT'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *other(const char *path)
{
	if (!strcmp(path, "/proc/kcore"))
		return getenv("KCORE");
	if (!strcmp(path, "/proc/kallsyms"))
		return getenv("KALLSYMS");
	return path;
}
int open(const char *path, int flags, int mode)
{
	int (*f)(const char *, int, int) = dlsym(RTLD_NEXT, "open");
	return f(other(path), flags, mode);
}
int openat(int dir, const char *path, int flags, int mode)
{
	int (*f)(int, const char *, int, int) = dlsym(RTLD_NEXT, "openat");
	return f(dir, other(path), flags, mode);
}
FILE *fopen(const char *path, const char *mode)
{
	FILE *(*f)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
	return f(other(path), mode);
}
EOT
gcc -shared -fPIC -o standin.so standin.c -ldl
python3 - <<'EOT'
import struct
text, size = 0xffffffff81000000, 0x3000
eh = struct.pack('<16sHHIQQQIHHHHHH', b'\x7fELF\2\1\1', 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
ph = struct.pack('<IIQQQQQQ', 1, 7, 4096, text, 0, size, size, 4096)
open('kcore', 'wb').write((eh + ph).ljust(4096, b'\0') + b'\x90' * 0x2000 + b'\xc3' * 0x1000)
EOT
cat > kallsyms <<'EOT'
ffffffff81000000 T _stext
ffffffff81000100 T copy
ffffffff81002000 T _etext
ffffffff81002100 D secret
EOT
cat > d <<EOT
file info
  event index=0 type=0 config=3 period=1000 name=ref-cycles
  end
file host
  text from=record boot_id=$(cat /proc/sys/kernel/random/boot_id)
  clock tsc=0 mono=0
  kallsyms
    ffffffff81000000 T startup
    ffffffff81000100 T copy
    ffffffff81000110 T next
    ffffffff81002100 T secret
    ffffffff81002110 T end
  .
  end
file cpu-0.rec
  sample tsc=10 flags=N ip=0xffffffff81000102 repeat=10
  sample tsc=11 flags=N ip=0xffffffff81002102 repeat=10
EOT
"$TOP"/tests/gen/mksession.py d s
annotate()
{
	KCORE=$PWD/kcore KALLSYMS=$PWD/kallsyms LD_PRELOAD=$PWD/standin.so \
		"$VMMPROF" annotate -i s "$@" > out 2> err
}
shown() { annotate "$1" && grep -q '^Code: /proc/kcore$' out && grep -q "$2" out; }
hidden()
{
	annotate "$1"
	grep -q '^No code' out || { cat out err; exit 1; }
	if grep -q 'Code: \| nop$\| retq*$' out; then
		cat out
		exit 1
	fi
}
shown copy nop || { cat out err; exit 1; }
hidden secret
# Not root's own
chown 1234 s
hidden copy
chown 0 s
chmod 775 s
hidden copy
chmod 700 s
chown 1234 s/host
hidden copy
chown 0 s/host
shown copy nop
# Another boot's
sed 's/boot_id=[0-9a-f]*/boot_id=00000000/' d > d.1
rm -r s
"$TOP"/tests/gen/mksession.py d.1 s
hidden copy

# Who reads the session has other files open.
rm -r s
"$TOP"/tests/gen/mksession.py d s
KCORE=$PWD/kcore KALLSYMS=$PWD/kallsyms LD_PRELOAD=$PWD/standin.so \
	strace -f -qq -e trace=openat,openat2,open -e signal=none -o trace "$VMMPROF" \
	annotate -i s copy > out 2> err
kernel=$(sed -n 's/^\([0-9]*\) .*kcore".*/\1/p' trace)
reader=$(sed -n 's/^\([0-9]*\) .*"info".*/\1/p' trace | head -n 1)
[ -n "$kernel" ] && [ -n "$reader" ] && [ "$kernel" != "$reader" ]
