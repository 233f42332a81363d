# SPDX-License-Identifier: GPL-2.0-only
# Debian's MariaDB, stripped, under load in a guest: each sample has a function,
# and what a sample with its chain takes on the disk.
# Not on AMD: names and chains of user code do not depend on the vendor.
CPUS=1
LIMIT=600
ALL=longer

host()
{
	guests_only db
	module
	guest_start db $fast -m 768 -cpu host,pmu=off,erms=off
	check "the guest boots" guest_wait db
	mv /lab/mariadb.tar $guests/db/share/
	check "MariaDB is put into it" guest_sh db 'tar -xf /share/mariadb.tar -C / &&
		rm /share/mariadb.tar && mkdir /tmp/data' 300
	guest_sh db '/usr/sbin/mariadbd --no-defaults --user=root --datadir=/tmp/data \
		--socket=/tmp/sock --skip-grant-tables --skip-networking \
		--innodb-log-file-size=4M --innodb-buffer-pool-size=32M \
		--lc-messages-dir=/usr/share/mysql > /share/mariadbd.log 2>&1 &'
	check "it answers" guest_sh db 'until [ -S /tmp/sock ]; do sleep 1; done' 300
	guest_sh db '/usr/sbin/mariadb-slap --no-defaults --socket=/tmp/sock -u root \
		--auto-generate-sql --auto-generate-sql-load-type=mixed \
		--auto-generate-sql-execute-number=100000 --engine=InnoDB \
		--concurrency=4 > /share/slap.log 2>&1 &'
	check "the guest is watched" guest_watch db --unwind
	check "it is recorded" vmmprof record -g --transport none -e cycles \
		-c 100000 -d 20 -o session
	check "the load went on" guest_sh db 'pidof mariadb-slap'
	cp $guests/db/share/*.log .
	check "the bundle arrives" guest_bundle db
	mkdir -p session/guests
	cp db.bundle session/guests/
	check "the kernel had nothing to say" kernel_calm
	result session mariadbd.log slap.log
}

after()
{
	local bytes samples
	"$VMMPROF" report -i session --by-process -n 40 > report.txt 2>&1
	"$VMMPROF" script -i session > script.txt
	check "each sample of its code has a function" into table.txt \
		"$BED/mariadb.py" script.txt
	bytes=$(cat session/cpu-*.rec | wc -c)
	samples=$(grep -c '^type=sample' script.txt)
	check "a sample with its chain takes less than 200 bytes" \
		at_most $((bytes / samples)) 199
}
