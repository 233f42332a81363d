// SPDX-License-Identifier: GPL-2.0-only
/* What is kept of readings of a guest, in sessions that end and live ones. */

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "format/session_writer.h"
#include "host/device.h"
#include "introspect/read_apart.h"
#include "test.h"

static int before, out; /* of the last reading that began */
static long adds;	/* bytes, to what was found before */
static int fails;	/* what the next reading ends with */
static unsigned int items;
static struct vmmprof_guest_layout layout; /* that the next reading finds */
static __u32 flags;

static int begins(const struct guest_look *look, __u64 deadline_ns,
		  struct guest_reading *r, struct error *e)
{
	(void)deadline_ns;
	(void)e;
	before = look->before;
	out = look->out;
	r->pid = 1;
	return 0;
}

static int looks(struct guest_reading *r, struct guest_found *ret)
{
	off_t size = before < 0 ? 1000 : lseek(before, 0, SEEK_END);

	memset(ret, 0, sizeof(*ret));
	ret->layout = layout;
	r->pid = 0;
	return fails ? fails : ftruncate(out, size + adds);
}

static int tells(struct session_writer *w,
		 const struct vmmprof_info_memory *item, const char *text)
{
	(void)w;
	(void)text;
	items++;
	flags = item->flags;
	return 0;
}

static unsigned int told_layouts;

static int takes(const struct device *dev, struct vmmprof_guest_layout *l)
{
	(void)dev;
	(void)l;
	told_layouts++;
	return 0;
}

#define device_guest_layout   takes
#define guest_reading_begin   begins
#define guest_reading_look    looks
#define session_writer_memory tells
#include "cmd/record/memory.c"

static const struct guest_sight seen = { .rip = 1 };
static struct recording r = { .dev.fd = -1 };
static struct memory_guest *g;

static void begin(bool live)
{
	r.live = live;
	items = 0;
	fails = 0;
	adds = 1 << 20;
	g = guest_of(&r.memory, 7);
	g->told = true;
}

static void end(void)
{
	record_memory_deinit(&r.memory);
}

static int reading(void)
{
	int ret = begin_reading(&r, g, &seen);

	return ret ? ret : end_reading(&r, g);
}

TEST(a_session_that_ends_has_all_readings)
{
	int i;

	begin(false);
	for (i = 0; i < 100; i++) {
		TEST_EQ(reading(), 0);
		TEST_EQ(before < 0, !i);
	}
	TEST_EQ(size_of(g->bundle), 1000 + (100 << 20));
	TEST_EQ(items, 100);
	TEST_EQ(flags, 0);
	end();
	return 0;
}

TEST(a_live_session_does_not_grow_with_its_readings)
{
	int i, anew = 0;

	begin(true);
	for (i = 0; i < 100; i++) {
		TEST_EQ(reading(), 0);
		anew += before < 0;
		TEST_OK(size_of(g->bundle) <= 1000 + (18 << 20));
	}
	TEST_OK(anew > 3);
	TEST_OK(anew < 8);
	/* it waits as long behind those as behind others */
	TEST_OK(g->next_ns > g->last_ns);
	TEST_EQ(items, 1);
	TEST_EQ(flags, VMMPROF_MEMORY_F_FIRST);
	fails = -EBADMSG;
	TEST_EQ(reading(), -EBADMSG);
	TEST_EQ(items, 2);
	end();
	return 0;
}

/* What was found is kept and added to. */
TEST(a_guest_that_cannot_be_read_anew_keeps_what_there_is)
{
	off_t size;

	begin(true);
	TEST_EQ(reading(), 0);
	adds = MORE_MAX + 1;
	TEST_EQ(reading(), 0);
	TEST_OK(before >= 0);
	size = size_of(g->bundle);
	fails = -EBADE;
	TEST_EQ(reading(), -EBADE);
	TEST_EQ(before, -1);
	TEST_EQ(size_of(g->bundle), size);
	fails = 0;
	TEST_EQ(reading(), 0);
	TEST_OK(before >= 0);
	TEST_EQ(size_of(g->bundle), size + adds);
	TEST_EQ(reading(), 0);
	TEST_EQ(before, -1);
	TEST_EQ(size_of(g->bundle), 1000 + adds);
	end();
	return 0;
}

TEST(a_guest_with_another_kernel_is_read_again_and_told)
{
	struct guest_sight now = seen;

	begin(true);
	g->told = false;
	told_layouts = 0;
	layout = (struct vmmprof_guest_layout){ .size = sizeof(layout),
						.pid = 7,
						.current_task = 0x1000 };
	TEST_EQ(reading(), 0);
	TEST_EQ(reading(), 0);
	TEST_EQ(told_layouts, 1);
	g->next_ns = 0;
	now.unread = UNREAD - 1;
	TEST_OK(!is_due(g, &now));
	now.unread = UNREAD;
	TEST_OK(is_due(g, &now));
	/* it has not started yet: later, and more rarely */
	TEST_EQ(begin_reading(&r, g, &now), 0);
	TEST_EQ(end_reading(&r, g), 0);
	g->next_ns = 0;
	now.unread = 2 * UNREAD - 1;
	TEST_OK(!is_due(g, &now));
	now.unread = 2 * UNREAD;
	TEST_OK(is_due(g, &now));
	TEST_EQ(told_layouts, 1);
	layout.current_task = 0x2000;
	TEST_EQ(reading(), 0);
	TEST_EQ(told_layouts, 2);
	/* one without a layout is told of no more */
	memset(&layout, 0, sizeof(layout));
	TEST_EQ(reading(), 0);
	TEST_EQ(told_layouts, 2);
	end();
	return 0;
}
