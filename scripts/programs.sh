# SPDX-License-Identifier: GPL-2.0-only
# Sourced by what runs many tests, with $TOP: where python3 is a script of a version
# manager, which takes a tenth of a second to begin, thousands of times, Debian's own
# comes first.
if [ -x /usr/bin/python3 ] && [ "$(head -c 2 "$(command -v python3)")" = '#!' ]; then
	mkdir -p "$TOP/build/bin"
	ln -sfn /usr/bin/python3 "$TOP/build/bin/python3"
	PATH=$TOP/build/bin:$PATH
fi
