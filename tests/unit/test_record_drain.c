// SPDX-License-Identifier: GPL-2.0-only
/* Rings are emptied whatever else the recorder does meanwhile. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vmmprof/record.h>

#include "host/host_maps.h"
#include "test.h"

static unsigned int stall_us; /* what a tick takes */

static int slow_tick(struct host_maps *hm, bool *started)
{
	(void)hm;
	*started = false;
	usleep(stall_us);
	return 0;
}

static int no_pollfds(const struct host_maps *hm, struct pollfd *fds, int max)
{
	(void)hm;
	(void)fds;
	(void)max;
	return 0;
}

#define host_maps_tick	  slow_tick
#define host_maps_pollfds no_pollfds
#include "cmd/record/record.c"

enum { SIZE = 64 << 10, RECORD = 16 };

static struct vmmprof_ring_head head;
static struct vmmprof_ring_tail tail;
static uint8_t data[SIZE];
static struct mapped_ring ring;
static int file;
static struct record_options opts;
static struct recording r;
static bool over;
static uint64_t lost, done;

static void begin(const char *path)
{
	file = path ? open(path, O_WRONLY) : fileno(tmpfile());
	mapped_ring_init(&ring, 3, &head, &tail, data, SIZE);
	r = (struct recording){
		.opts = &opts,
		.dev.fd = eventfd(0, 0),
		.dev.rings = &ring,
		.dev.nr_rings = 1,
		.files = &file,
		.nr_files = 1,
		.signals = -1,
		.cache.dirfd = -1,
		.start_ns = clock_now(),
	};
	if (file < 0 || r.dev.fd < 0)
		abort();
}

static off_t written(void)
{
	struct stat st;

	return fstat(file, &st) ? -1 : st.st_size;
}

/* The module: one record, if there is room. */
static void produce(void)
{
	const struct vmmprof_rec_hdr rec = { .type = 99, .size = RECORD };
	uint64_t at = head.head;

	done++;
	if (at - __atomic_load_n(&tail.tail, __ATOMIC_ACQUIRE) >= SIZE) {
		lost++;
		return;
	}
	memcpy(data + (at & (SIZE - 1)), &rec, sizeof(rec));
	__atomic_store_n(&head.head, at + RECORD, __ATOMIC_RELEASE);
}

/* A ring in two thirds of a second. */
static void *produce_all(void *arg)
{
	int i;

	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
		for (i = 0; i < SIZE / RECORD / 64; i++)
			produce();
		usleep(10000);
	}
	return arg;
}

TEST(record_drains_while_a_tick_takes_long)
{
	enum vmmprof_stop_reason reason;
	pthread_t module;

	begin(NULL);
	stall_us = 2000000;
	opts.duration_ns = 2000000000;
	TEST_EQ(record_drain_begin(&r), 0);
	TEST_EQ(pthread_create(&module, NULL, produce_all, NULL), 0);
	reason = loop(&r);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	pthread_join(module, NULL);
	record_drain_end(&r);
	TEST_EQ(record_drain(&r), 0);
	TEST_EQ(reason, VMMPROF_STOP_DURATION);
	TEST_OK(done > 2 * SIZE / RECORD);
	TEST_EQ(lost, 0);
	TEST_EQ(written(), done * RECORD);
	return 0;
}

TEST(record_ends_when_a_file_cannot_be_written)
{
	uint64_t begun;

	begin("/dev/full");
	stall_us = 0;
	opts.duration_ns = 60000000000;
	produce();
	TEST_EQ(record_drain_begin(&r), 0);
	begun = clock_now();
	TEST_EQ(loop(&r), VMMPROF_STOP_ERROR);
	TEST_OK(clock_now() - begun < 20000000000);
	TEST_OK(r.unwritten);
	/* it is not in the file, and still in the ring; said once */
	TEST_EQ(tail.tail, 0);
	TEST_EQ(record_drain(&r), -ENOSPC);
	record_drain_end(&r);
	TEST_EQ(record_drain(&r), -ENOSPC);
	return 0;
}

static int empty_file(struct recording *rec)
{
	return ftruncate(rec->files[0], 0) ? -errno : 0;
}

/* Waits until the file has so many bytes. */
static bool comes_to(off_t size)
{
	int i;

	for (i = 0; i < 2000 && written() != size; i++)
		usleep(10000);
	return written() == size;
}

TEST(record_files_stay_while_they_are_read)
{
	int i;

	begin(NULL);
	TEST_EQ(record_drain_begin(&r), 0);
	produce();
	TEST_OK(comes_to(RECORD));
	produce();
	TEST_EQ(record_drain_hold(&r), 0);
	TEST_EQ(written(), 2 * RECORD);
	for (i = 0; i < SIZE / RECORD; i++)
		produce();
	usleep(500000);
	TEST_EQ(written(), 2 * RECORD);
	TEST_EQ(record_drain_release(&r, empty_file), 0);
	TEST_OK(comes_to((off_t)2 * RECORD + SIZE));
	record_drain_end(&r);
	record_drain_end(&r);
	TEST_EQ(lost, 0);
	return 0;
}
