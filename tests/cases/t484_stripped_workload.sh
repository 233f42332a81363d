#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Python and OpenSSL of Debian, stripped: no instruction that they execute is
# without a function, but the few before main().
command -v valgrind > /dev/null || { echo "skipped: no valgrind"; exit 0; }
/usr/bin/python3 -c 'import hashlib, ssl' 2> /dev/null ||
	{ echo "skipped: no Python with OpenSSL"; exit 0; }
cat > work.py << 'END'
import hashlib
data = bytes(range(256)) * 100
for name in 'sha1', 'sha256', 'sha512', 'md5', 'sha3_256', 'blake2b':
    hashlib.new(name, data).hexdigest()
hashlib.pbkdf2_hmac('sha256', b'a', b'b', 50)
END
valgrind -q --tool=callgrind --dump-instr=yes --compress-pos=no \
	--compress-strings=no --callgrind-out-file=executed \
	/usr/bin/python3 -S -E work.py > log 2>&1 || { cat log; exit 1; }
python3 "${0%.sh}.py" "$VMMPROF" "$TOP/tests/gen/mksession.py" executed
