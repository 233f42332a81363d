// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/cmd/top/maps.c: which of a guest's maps are used. */

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd/top/maps.h"
#include "model/analysis.h"
#include "test.h"

#define VMM 50

static struct analysis a;
static struct top_maps m;
static int pair[2];

static int begin(void)
{
	static const struct top_options o;

	memset(&a, 0, sizeof(a));
	TEST_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	top_maps_init(&m, &a, &o);
	m.notes = pair[0];
	return 0;
}

static int end(void)
{
	top_maps_deinit(&m);
	guests_deinit(&a.resolver.guests);
	close(pair[0]);
	close(pair[1]);
	return 0;
}

/* A note comes; what was kept is as if it were in use. */
static int note(__u32 how, int error)
{
	const struct refresh_note n = {
		.pid = VMM, .how = how, .error = error, .asked_ns = how
	};
	int fd = error ? -1 : open("/dev/null", O_RDONLY);
	int err = refresh_send(pair[1], &n, fd);

	if (fd >= 0)
		close(fd);
	err = err ?: top_maps_take(&m, true);
	if (!err && m.nr && m.maps[0].fd >= 0) {
		m.maps[0].asked_ns = m.maps[0].next.asked_ns;
		close(m.maps[0].fd);
		m.maps[0].fd = -1;
	}
	return err;
}

static bool used(__u32 how)
{
	const struct top_map *map = top_maps_of(&m, 1);

	return map && map->asked_ns == how;
}

TEST(what_a_guest_answers_is_more_than_its_memory)
{
	TEST_EQ(begin(), 0);
	TEST_EQ(note(VMMPROF_REACH_MEMORY, 0), 0);
	TEST_OK(used(VMMPROF_REACH_MEMORY));
	/* who does not answer is read */
	TEST_EQ(note(VMMPROF_REACH_VSOCK, -EIO), 0);
	TEST_OK(!m.maps[0].failed);
	TEST_EQ(m.maps[0].note.how, VMMPROF_REACH_MEMORY);
	TEST_EQ(note(VMMPROF_REACH_VSOCK, 0), 0);
	TEST_OK(used(VMMPROF_REACH_VSOCK));
	TEST_EQ(note(VMMPROF_REACH_MEMORY, 0), 0);
	TEST_OK(used(VMMPROF_REACH_VSOCK));
	return end();
}

TEST(a_guest_that_answers_no_more_is_read)
{
	TEST_EQ(begin(), 0);
	TEST_EQ(note(VMMPROF_REACH_VSOCK, -EIO), 0);
	TEST_OK(m.maps[0].failed);
	TEST_EQ(note(VMMPROF_REACH_MEMORY, 0), 0);
	TEST_OK(used(VMMPROF_REACH_MEMORY));
	TEST_OK(!m.maps[0].failed);
	TEST_EQ(note(VMMPROF_REACH_VSOCK, 0), 0);
	TEST_EQ(note(VMMPROF_REACH_VSOCK, -EIO), 0);
	TEST_OK(m.maps[0].failed);
	TEST_EQ(note(VMMPROF_REACH_MEMORY, 0), 0);
	TEST_OK(used(VMMPROF_REACH_MEMORY));
	return end();
}

TEST(it_is_said_where_maps_come_from)
{
	TEST_EQ(begin(), 0);
	TEST_EQ(note(VMMPROF_REACH_MEMORY, -EACCES), 0);
	TEST_OK(strstr(top_maps_about(&m, 1), "no maps: "));
	TEST_EQ(note(VMMPROF_REACH_MEMORY, 0), 0);
	TEST_OK(strstr(top_maps_about(&m, 1), " s ago, memory"));
	m.maps[0].asked_ns = 0;
	TEST_STR(top_maps_about(&m, 1), "maps: its memory is being read");
	m.asks = true;
	TEST_STR(top_maps_about(&m, 1), "maps: it is being asked");
	TEST_EQ(top_maps_never(&m, 1), NULL);
	/* without vmmprof-guest nobody is asked, but read */
	TEST_EQ(refresh_send(pair[1],
			     &(struct refresh_note){ .error = -ENOENT }, -1),
		0);
	TEST_EQ(top_maps_take(&m, true), 0);
	TEST_OK(top_maps_never(&m, 1));
	TEST_STR(top_maps_about(&m, 1), "maps: its memory is being read");
	TEST_EQ(m.nr, 1);
	m.nobody = true;
	TEST_OK(strstr(top_maps_about(&m, 1), "no maps: vmmprof-guest"));
	return end();
}
