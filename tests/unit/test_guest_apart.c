// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/introspect/read_apart.c: the process, and what is believed of it. */

#include "introspect/read_apart.c"

#include "base/clock.h"
#include "tests/gen/guest_make.h"
#include "test.h"

static const struct vmmprof_guest_layout good = {
	.size = sizeof(good),
	.pid = 5,
	.current_task = 0x1fb80,
	.task_tgid = 92,
	.task_pid = 88,
	.task_mm = 32,
	.task_comm = 104,
	.task_flags = VMMPROF_NONE,
	.task_start = 64,
};

TEST(memory_without_a_kernel_is_said)
{
	const struct guest_slot slot = { 0, MADE_SIZE, 0 };
	struct guest_found found;
	struct made m;
	struct guest_look look = {
		.slots = &slot, .nr_slots = 1, .pid = 5, .before = -1
	};

	TEST_EQ(made_init(&m), 0);
	look.memory = m.fd;
	look.cr3 = MADE_ROOT;
	look.out = memfd_create("out", 0);
	TEST_EQ(guest_read_apart(&look, clock_now() + 60000000000ull, &found),
		-ENOENT);
	TEST_EQ(found.error.code, -ENOENT);
	TEST_OK(strstr(found.error.text, "no Linux kernel"));
	TEST_EQ(found.layout.size, 0);
	TEST_EQ(lseek(look.out, 0, SEEK_END), 0);
	/* a kernel without symbols */
	made_entry(&m, MADE_ROOT, 511, 0x3000 | P | W);
	made_entry(&m, 0x3000, 510, 0x4000 | P | W);
	made_entry(&m, 0x4000, 8, 0x200000 | P | LARGE);
	made_entry(&m, 0x4000, 9, 0x400000 | P | LARGE | NX);
	TEST_EQ(guest_read_apart(&look, clock_now() + 60000000000ull, &found),
		-EOPNOTSUPP);
	TEST_OK(strstr(found.error.text, "no symbol tables"));
	TEST_OK(!found.error.hints[0]);
	/* slots that overlap */
	look.nr_slots = 0;
	TEST_EQ(guest_read_apart(&look, clock_now() + 60000000000ull, &found),
		-EINVAL);
	close(look.out);
	made_deinit(&m);
	return 0;
}

TEST(a_process_that_hangs_is_ended)
{
	struct guest_found found = { .error.code = 0 };

	/* What the kernel says of it, whatever it has said itself. */
	memset(&found, 0xff, sizeof(found));
	TEST_EQ(take(5, -EBADE, &found), -EBADE);
	TEST_EQ(found.error.code, -EBADE);
	TEST_OK(!found.error.hints[0] && !found.error.hints[1]);
	TEST_EQ(found.layout.size, 0);
	memset(&found, 0xff, sizeof(found));
	TEST_EQ(take(5, -EINTR, &found), -EBADE);
	/* an error that it says without a code, or with one that is none */
	memset(&found, 0, sizeof(found));
	TEST_EQ(take(5, 1, &found), -EBADE);
	found.error.code = 7;
	TEST_EQ(take(5, 1, &found), -EBADE);
	found.error.code = -100000;
	TEST_EQ(take(5, 1, &found), -EBADE);
	/* it has ended, and does not read still */
	found.error.code = -EAGAIN;
	TEST_EQ(take(5, 1, &found), -EBADE);
	TEST_EQ(found.error.code, -EBADE);
	memset(found.error.text, 'x', sizeof(found.error.text));
	found.error.code = -ENOENT;
	TEST_EQ(take(5, 1, &found), -ENOENT);
	TEST_EQ(strlen(found.error.text), sizeof(found.error.text) - 1);
	return 0;
}

/* Is @l believed with the member at @at changed? */
static bool believed(size_t at, __u32 value)
{
	struct guest_found found = { .layout = good };

	memcpy((char *)&found.layout + at, &value, 4);
	return !take(5, 0, &found) && found.layout.size;
}

TEST(a_layout_that_the_module_would_refuse_is_not_believed)
{
#define AT(name) offsetof(struct vmmprof_guest_layout, name)
	TEST_OK(believed(AT(task_comm), 96));
	TEST_OK(!believed(AT(task_comm), 7));
	TEST_OK(believed(AT(flags), VMMPROF_GUEST_LAYOUT_F_PTI));
	TEST_OK(believed(AT(task_start), VMMPROF_NONE));
	TEST_OK(!believed(AT(size), 40));
	TEST_OK(!believed(AT(pid), 6));
	TEST_OK(!believed(AT(flags), 1));
	TEST_OK(!believed(AT(reserved), 1));
	TEST_OK(!believed(AT(task_tgid), 2));
	TEST_OK(!believed(AT(task_pid), VMMPROF_NONE));
	TEST_OK(!believed(AT(task_mm), 65536));
	TEST_OK(!believed(AT(task_mm), 4));
	TEST_OK(!believed(AT(task_flags), 2));
	TEST_OK(!believed(AT(task_start), 4));
	return 0;
}

/* In a process of its own: is what a guest could have it write bounded? */
static int writes_too_much(void *arg)
{
	int out = *(int *)arg;

	if (set_limits() || ftruncate(out, OUT_MAX) ||
	    !ftruncate(out, OUT_MAX + 1) || errno != EFBIG)
		return 1;
	return pwrite(out, "x", 1, OUT_MAX) < 0 && errno == EFBIG ? 0 : 2;
}

TEST(a_process_writes_no_more_than_a_large_bundle)
{
	int out = guest_reading_open(), status, signal;
	pid_t pid;

	TEST_OK(out >= 0);
	pid = confine_start(writes_too_much, &out);
	TEST_OK(pid > 0);
	do
		status = confine_look(pid, clock_now() + 60000000000ull,
				      &signal);
	while (status == -EAGAIN);
	TEST_EQ(status, 0);
	TEST_EQ(lseek(out, 0, SEEK_END), (off_t)OUT_MAX);
	TEST_EQ(guest_reading_keep(out), 0);
	close(out);
	return 0;
}

TEST(what_is_kept_is_changed_by_nobody)
{
	int out = guest_reading_open();

	TEST_EQ(write(out, "bundle", 6), 6);
	TEST_EQ(guest_reading_keep(out), 0);
	TEST_OK(pwrite(out, "x", 1, 0) < 0 && errno == EPERM);
	TEST_OK(ftruncate(out, 0) && errno == EPERM);
	/* it is ours, who else would have sealed it? */
	TEST_EQ(guest_reading_keep(out), -EPERM);
	close(out);
	out = guest_reading_open();
	TEST_EQ(ftruncate(out, OUT_MAX + 1), 0);
	TEST_EQ(guest_reading_keep(out), -EFBIG);
	close(out);
	return 0;
}
