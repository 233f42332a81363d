#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every string of a session and of a bundle is safe to print, in every verb.
python3 "$CASES"/t241_hostile_strings.py "$VMMPROF" "$TOP"/tests/gen/mksession.py
