#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# LONG
# push: a session, and a spool, to a store that plays what stores do; the books of
# both sides equal, whenever either is killed.
if [ -e /etc/vmmprof/push.conf ]; then exit 0; fi
export PYTHONDONTWRITEBYTECODE=1
fails()
{
	want=$1
	shift
	status=0
	"$VMMPROF" push "$@" > out 2> err < /dev/null || status=$?
	test $status -eq "$want"
}

# what is wrong with the options
fails 2 --spool-dir x
grep -q -- '--url' err
fails 2 --url http://127.0.0.1:1
grep -q '^vmmprof push: what to send? Name --spool-dir, or a session' err
fails 2 --url ftp://x --spool-dir x
grep -q "^vmmprof push: --url wants http:// or https://, not 'ftp://x'" err
fails 2 --url http://x --spool-dir x --api pyro
grep -q "^vmmprof push: --api wants pyroscope, parca or otlp, not 'pyro'" err
printf 'api = pyro\n' > conf
fails 2 --conf conf --url http://x --spool-dir x
fails 2 --url http://x --spool-dir x --tenant 'a b'
grep -q '^vmmprof push: --tenant is empty, or has a space' err
fails 1 --url http://127.0.0.1:1 --spool-dir nothing
grep -q '^vmmprof push: nothing: no spool is there: vmmprof agent makes it' err
printf 'url = http://127.0.0.1:1\nspool-dir = nowhere\nmax-age = 60\n' > conf
fails 1 --conf conf
grep -q '^vmmprof push: nowhere: no spool is there' err
# a session is sent with a service's file, too
fails 1 --conf conf no-session
grep -q '^vmmprof: no-session: No such file' err
fails 2 --conf conf --spool-dir x no-session
grep -q '^vmmprof push: SESSION has no effect with --spool-dir' err
# a token goes nowhere in the clear
echo secret > token
fails 1 --url http://store.example --spool-dir x --token-file token
grep -q 'a token is sent by https:// only, or to this machine$' err
fails 1 --url http://localhost@store.example --spool-dir x --token-file token
grep -q 'a token is sent by https:// only, or to this machine$' err
printf 'two words' > words
fails 1 --url http://127.0.0.1:1 --spool-dir x --token-file words
grep -q '^vmmprof push: words: that is no bearer token$' err

python3 "$CASES"/t418_push.py
