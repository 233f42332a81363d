# SPDX-License-Identifier: GPL-2.0-only
# A script on an emulated machine, as a part of a test (sourced; needs $top).
passed=0
failed=0

# tcg_run NAME ARGUMENT...: tests/testbed/tcg with those; prints its checks, and adds
# them to passed and failed.  Without a machine, what it said of why.
tcg_run()
{
	local name=$1 said p= f=
	shift
	said=$(mktemp)
	"$top/tests/testbed/tcg" "$@" 2> "$said.err" > "$said"
	sed '/^[0-9]* passed, [0-9]* failed$/d' "$said"
	read -r p _ f _ < <(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$said")
	if [ -z "$f" ]; then
		p=0 f=1
		echo "not ok - $name: its machine is built and runs"
		tail -n 10 "$said.err" | sed 's/^/# /'
	fi
	rm -f "$said" "$said.err"
	passed=$((passed + p))
	failed=$((failed + f))
}
