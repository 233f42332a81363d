# SPDX-License-Identifier: GPL-2.0-only
# vmmprof selftest on a real kernel under SVM, by timer: what it checks there is
# good, and what is not possible is said; without KVM or the module it says why
# it cannot be run.

# why [-A N] PATTERN FILE ERRORS: if $status is not 0, what is behind that, as comments
why()
{
	[ "$status" -eq 0 ] && return
	{
		grep "${@:1:$#-1}"
		cat "${@: -1}"
	} | LC_ALL=C tr -cd '\n -~' | sed 's/^/# | /' | tee -a "$RESULT/checks"
}

vmmprof selftest > none 2> none.said
check "without /dev/kvm it is not run" equal $? 2
cat none.said
check "and says what to do" grep -q "modprobe kvm_amd" none.said
kvm
vmmprof selftest > none 2> none.said
check "without the module it is not run" equal $? 2
cat none.said
check "and says how to load it" grep -q "insmod vmmprof.ko" none.said
insmod /lab/vmmprof.ko
vmmprof selftest --seconds 10 -o report > said 2> errors
status=$?
cat said errors report
check "with them it finds nothing wrong" equal $status 0
why '^fail' said errors
check "every check is told" at_least "$(grep -cE '^(ok|skip) ' said)" 16
vmmprof selftest --seconds 10 --json > said.json 2> errors
status=$?
cat errors said.json
check "nor as JSON" equal $status 0
why -A 2 '"verdict": "fail",' said.json errors
check "which has the verdict" grep -q '^  "verdict": "ok",$' said.json
check "and every check" equal "$(grep -cE '^(ok|skip|fail) ' said)" \
	"$(grep -c '"name": ' said.json)"
if [ -e /lab/test_selftest_halts ]; then
	check "its VM that halts is woken 8,000 times" /lab/test_selftest_halts
fi
