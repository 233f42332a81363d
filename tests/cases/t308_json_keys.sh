#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# No object of our JSON has a key twice (readers take the last one, silently),
# and a guest of `steal` has its name.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt s
cat > once.py << 'EOF'
import json
import sys

def once(pairs):
    keys = [k for k, _ in pairs]
    twice = sorted({k for k in keys if keys.count(k) > 1})
    if twice:
        sys.exit(f'twice: {twice} among {keys}')
    return dict(pairs)

data = json.load(sys.stdin, object_pairs_hook=once)
print(*(g['name'] for g in data['guests']))
EOF
for method in exact samples; do
	"$VMMPROF" steal -i s --json --method=$method | python3 once.py
	"$VMMPROF" steal -i s --json --by thief --method=$method |
		python3 once.py
done
"$VMMPROF" report -i s --json | python3 once.py
"$VMMPROF" report -i s --json --classify=paper | python3 once.py
