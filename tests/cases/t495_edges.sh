#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the bed allows below a signal's return, tests/testbed/edges.py.
PYTHONPATH="$TOP"/tests/testbed PYTHONDONTWRITEBYTECODE=1 python3 "${0%.sh}.py"
