#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a session, a guest or a file can cost grows no faster than it does:
# AddressSanitizer's time and memory are its own.
case $VMMPROF in */asan/*) exit ;; esac
[ -z "$QUICK" ] || exit 0 # the longest of all
python3 "$CASES"/t246_growth.py "$VMMPROF"
