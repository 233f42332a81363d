// SPDX-License-Identifier: GPL-2.0-only
/* The last counts of a CPU, of a module that may have no memory to tell them. */

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "host/device.h"
#include "test.h"

static int fails, err; /* how often the module says that, and what */
static unsigned int asked;

static int fake_ioctl(int fd, unsigned long cmd, void *arg)
{
	struct vmmprof_cpu_stat *stat = arg;

	(void)fd;
	if (cmd != VMMPROF_IOC_CPU_STAT)
		return 0;
	asked++;
	if (fails-- > 0) {
		errno = err;
		return -1;
	}
	stat->nr_events = 1;
	stat->samples = 776;
	stat->events[0].enabled_ns = 5;
	return 0;
}

#define ioctl(fd, cmd, arg) fake_ioctl(fd, cmd, (void *)(arg))
#include "host/device.c"

static const struct vmmprof_ring_head head = { .head = 64000,
					       .lost = 3,
					       .samples = 776 };
static struct mapped_ring rings[] = { { 0 }, { .cpu = 7, .head = &head } };
static const struct device dev = { .nr_rings = 2, .rings = rings };

TEST(counts_are_the_modules)
{
	struct vmmprof_cpu_stat stat;

	fails = 4; /* it finds some memory in the end */
	err = ENOMEM;
	asked = 0;
	TEST_EQ(device_counts(&dev, 1, &stat), 0);
	TEST_EQ(asked, 5);
	TEST_EQ(stat.cpu, 7);
	TEST_EQ(stat.samples, 776);
	TEST_EQ(stat.events[0].enabled_ns, 5);
	return 0;
}

TEST(without_the_modules_counts_they_are_the_rings)
{
	struct vmmprof_cpu_stat stat;

	memset(&stat, 0xff, sizeof(stat));
	fails = 1000;
	err = ENOMEM;
	TEST_EQ(device_counts(&dev, 1, &stat), -ENOMEM);
	TEST_EQ(stat.cpu, 7);
	TEST_EQ(stat.samples, 776);
	TEST_EQ(stat.lost, 3);
	TEST_EQ(stat.bytes, 64000);
	TEST_EQ(stat.nr_events, 0);
	TEST_EQ(stat.lost_other, 0);
	/* what will not change is not asked for again */
	fails = 1000;
	err = EINVAL;
	asked = 0;
	TEST_EQ(device_counts(&dev, 1, &stat), -EINVAL);
	TEST_EQ(asked, 1);
	TEST_EQ(stat.samples, 776);
	return 0;
}
