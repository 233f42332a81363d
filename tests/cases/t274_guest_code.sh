# SPDX-License-Identifier: GPL-2.0-only
# vmmprof-guest serve whose host hangs up while it opens a file that does not answer
# (here one whose opening nobody permits) ends.
# once: it is about another program than the two that cases are run with
[ "${VMMPROF%/asan/vmmprof}" = "$VMMPROF" ] || exit 0
[ "$(id -u)" -eq 0 ] || { echo "skipped: needs root"; exit 0; }
python3 "$CASES/t274_guest_code.py"
