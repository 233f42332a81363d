// SPDX-License-Identifier: GPL-2.0-only
/* base/io, base/hex, base/clock. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hex.h"
#include "base/io.h"
#include "test.h"

TEST(what_comes_in_pieces_is_read_whole)
{
	char buf[8] = "";
	int fds[2];

	TEST_EQ(pipe(fds), 0);
	if (!fork()) {
		TEST_EQ(write(fds[1], "ab", 2), 2);
		usleep(10000);
		TEST_EQ(write(fds[1], "cde", 3), 3);
		_exit(0);
	}
	close(fds[1]);
	TEST_EQ(io_read(fds[0], buf, 4), 4);
	TEST_EQ(memcmp(buf, "abcd", 4), 0);
	TEST_EQ(io_read(fds[0], buf, 4), 1); /* the end comes first */
	TEST_EQ(buf[0], 'e');
	TEST_EQ(io_read(-1, buf, 4), -EBADF);
	wait(NULL);
	return 0;
}

TEST(a_socket_that_ends_within_is_told)
{
	char buf[4];
	int fds[2];

	TEST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	TEST_EQ(io_send(fds[0], "abc", 3), 0);
	close(fds[0]);
	TEST_EQ(io_recv(fds[1], buf, 4), -EPIPE);
	TEST_EQ(io_send(fds[1], "abc", 3), -EPIPE);
	return 0;
}

TEST(half_a_message_is_not_waited_for_longer_than_the_limit)
{
	static char much[1 << 22];
	char buf[4];
	int fds[2];

	TEST_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	TEST_EQ(io_limit(fds[1], 1), 0);
	TEST_EQ(io_send(fds[0], "ab", 2), 0);
	TEST_EQ(io_recv(fds[1], buf, 4), -ETIMEDOUT);
	/* nor for somebody who does not read */
	TEST_EQ(io_send(fds[1], much, sizeof(much)), -ETIMEDOUT);
	TEST_EQ(io_limit(-1, 1), -EBADF);
	return 0;
}

TEST(a_copy_has_all_bytes_or_fails)
{
	int from = memfd_create("from", 0), to = memfd_create("to", 0), i;
	char buf[4] = "";

	for (i = 0; i < 50000; i++)
		TEST_EQ(io_write(from, "abc", 3), 0);
	TEST_EQ(io_copy(from, to, 150000), 0);
	TEST_EQ(io_pread(to, buf, 4, 149997), 3);
	TEST_STR(buf, "abc");
	TEST_EQ(io_copy(from, to, 150001), -ENODATA);
	TEST_EQ(io_copy(from, open("/dev/null", O_RDONLY), 1), -EBADF);
	return 0;
}

TEST(digits_are_written_as_far_as_they_fit)
{
	char buf[7];

	TEST_EQ(hex_put(buf, sizeof(buf), "\x01\xaf\x10\x22", 4), 6);
	TEST_STR(buf, "01af10");
	TEST_EQ(hex_put(buf, 6, "\x01\xaf\x10", 3), 4);
	TEST_STR(buf, "01af");
	TEST_EQ(hex_put(buf, 1, "\x01", 1), 0);
	TEST_STR(buf, "");
	return 0;
}

TEST(digits_are_read_in_pairs)
{
	unsigned char id[4];

	TEST_EQ(hex_get("01Af2", id, 4), 2);
	TEST_EQ(id[1], 0xaf);
	TEST_EQ(hex_get("0102030405", id, 4), 4);
	TEST_EQ(hex_get("0 01", id, 4), 0);
	TEST_EQ(hex_get("", id, 4), 0);
	return 0;
}

TEST(a_number_has_up_to_16_digits)
{
	static const char text[] = "ffffffff81000000 T x", no[] = " 1",
			  most[] = "12345678123456781 ";
	const char *p = text;
	__u64 v;

	TEST_OK(hex_number(&p, text + sizeof(text), &v));
	TEST_OK(v == 0xffffffff81000000 && *p == ' ');
	p = text;
	TEST_OK(hex_number(&p, text + 2, &v));
	TEST_EQ(v, 0xff);
	p = no;
	TEST_OK(!hex_number(&p, no + 2, &v));
	p = most;
	TEST_OK(!hex_number(&p, most + sizeof(most), &v));
	return 0;
}

TEST(a_deadline_is_rounded_up_and_passes)
{
	TEST_EQ(clock_left(clock_now()), 0);
	TEST_EQ(clock_left(0), 0);
	TEST_EQ(clock_left(UINT64_MAX), 1000000);
	TEST_OK(clock_left(clock_in(100)) > 90000);
	TEST_OK(clock_left(clock_in(100)) <= 100000);
	return 0;
}
