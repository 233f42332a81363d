# SPDX-License-Identifier: GPL-2.0-only
# Checks of a scenario, inside the host and outside (sourced).  Lines of the
# form "ok - RULE [NUMBERS]" and "not ok - ..." go to $RESULT/checks.

# check RULE COMMAND...: passes if COMMAND succeeds; what it prints are the
# numbers.  (By way of a file: a pipe would wait for what runs on behind.)
check()
{
	local rule=$1 out status=0
	shift
	"$@" > "$RESULT/.said" 2>&1 || status=$?
	out=$(tail -n 6 "$RESULT/.said" | tr '\n\t' '; ' |
		LC_ALL=C tr -cd ' -~')
	out=${out%;}
	if [ $status = 0 ]; then
		rule="ok - $rule"
	else
		rule="not ok - $rule"
	fi
	echo "$rule${out:+ [$out]}" | tee -a "$RESULT/checks"
	return 0
}

# fails COMMAND...: succeeds if COMMAND does not
fails() { ! "$@"; }

# soon COMMAND...: wait until it succeeds, a minute at most
soon()
{
	local i
	for i in $(seq 120); do
		! "$@" > /dev/null 2>&1 || return 0
		sleep 0.5
	done
	"$@"
}

# into FILE COMMAND...: what it prints is kept there; if it fails, the lines that
# say what is wrong, or else the last ones, are the check's
into()
{
	local file=$1 status=0
	shift
	"$@" > "$file" 2>&1 || status=$?
	[ $status = 0 ] || grep -i wrong: "$file" || tail -n 5 "$file"
	return $status
}

# within A B TOLERANCE: |A - B| <= TOLERANCE
within()
{
	awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {
		d = a - b; if (d < 0) d = -d
		printf "%s and %s, apart %.3f, at most %s\n", a, b, d, t
		exit !(a != "" && b != "" && d <= t) }'
}

# at_least A MINIMUM, at_most A MAXIMUM
at_least()
{
	awk -v a="$1" -v b="$2" 'BEGIN {
		printf "%s, at least %s\n", a, b; exit !(a != "" && a >= b + 0) }'
}

at_most()
{
	awk -v a="$1" -v b="$2" 'BEGIN {
		printf "%s, at most %s\n", a, b; exit !(a != "" && a <= b + 0) }'
}

# equal A B
equal()
{
	echo "$1 and $2"
	[ "$1" = "$2" ]
}
