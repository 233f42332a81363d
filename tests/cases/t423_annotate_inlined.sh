# SPDX-License-Identifier: GPL-2.0-only
# Source lines of inlined functions, and where they were called.
. "$CASES/annotate.sh"
cat > prog.c <<'EOT'
static inline __attribute__((always_inline)) int inner(int n)
{
	return n * n + 7;
}

static inline __attribute__((always_inline)) int middle(int n)
{
	return inner(n) ^ 3;
}

int spin(int n)
{
	return middle(n) + 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	return spin(argc);
}
EOT
for debug in -gdwarf-4 -gdwarf-5; do
	gcc -O2 $debug -fno-inline-functions -no-pie -Wl,--build-id -o prog prog.c
	chmod 755 prog
	id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	addr=0x$(nm prog | sed -n 's/ T spin$//p')
	# link address -> file offset of the executable segment, both in pages
	set -- $(readelf -lW prog | awk '$1 == "LOAD" && / R E /{print $2, $3}')
	cat > d <<EOT
file info
  end
file host
  proc op=snap ns=0 pid=9 comm=prog
  file_item id=1 path=$PWD/prog build_id=$id
  map pid=9 start=0x10000 end=0x90000 file=1
  end
file cpu-0.rec
  sample tsc=1 flags=NU pid=9 ip=$((addr - $2 + $1 + 0x10000)) repeat=9
EOT
	rm -rf s
	"$TOP"/tests/gen/mksession.py d s
	"$VMMPROF" annotate -i s spin > out
	grep -q '^ *; prog.c:3  inlined inner at prog.c:8, in middle at prog.c:13$' out
	grep -q '^ *; prog.c:8  inlined middle at prog.c:13$' out
	grep -q '^ *; prog.c:1[234]$' out
	grep -q '^      9  100.00  .*imul' out
	grep -q '^100.00  .*the call of this function$' out
	"$VMMPROF" annotate -i s spin --json > json
	python3 - <<'EOT'
import json
lines = json.load(open('json'))['places'][0]['lines']
both = [x['inlined'] for x in lines if x.get('source') == 'prog.c:3']
assert both[0] == [{'function': 'inner', 'called_at': 'prog.c:8'},
                   {'function': 'middle', 'called_at': 'prog.c:13'}], both
assert sum(x['samples'] for x in lines) == 9
EOT
done

# Names that several programs share (dwz): from a file beside the program, from
# a server, and not from another file in its place.
. "$CASES/debuginfod.sh"
{
	echo 'struct big { int a, b, c, d; char e[64]; struct big *next; } *big;'
	cat prog.c
} > big.c
# shared_by NAME: NAME is a function, what two programs share the file NAME.
shared_by()
{
	for v in 1 2; do
		sed "s/inner/$1/" big.c |
			gcc -O2 -gdwarf-4 -fno-inline-functions -no-pie -xc \
			-Wl,--build-id -Wl,--defsym,variant=$v -o prog$v -
	done
	dwz -m "$1" -M shared prog1 prog2
}
shared_by other
shared_by inner
mv inner shared
mv prog1 prog
chmod 755 prog shared
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
shared=$(readelf -n shared | sed -n 's/.*Build ID: //p')
addr=0x$(nm prog | sed -n 's/ T spin$//p')
set -- $(readelf -lW prog | awk '$1 == "LOAD" && / R E /{print $2, $3}')
sed -i "s/build_id=.*/build_id=$id/; s/ip=.* /ip=$((addr - $2 + $1 + 0x10000)) /" d
rm -rf s
"$TOP"/tests/gen/mksession.py d s
named() { grep -q '; [^ ]*:[0-9]*  inlined inner at [^ ]*, in middle at' out; }
"$VMMPROF" annotate -i s spin > out
named
mkdir -p www/buildid/"$shared"
mv shared www/buildid/"$shared"/debuginfo
cp other shared
"$VMMPROF" annotate -i s spin > out
grep -q '^debuginfod: not asked: set DEBUGINFOD_URLS' out
if grep other out; then exit 1; fi
trap 'kill $server' EXIT
server_start
"$VMMPROF" annotate -i s spin > out
named
test "$(cat asked)" = "/buildid/$shared/debuginfo"
