// SPDX-License-Identifier: GPL-2.0-only
/* What gzip_pack() packs comes back; what is damaged is an error. */

#include <stdlib.h>

#include "base/gzip.h"
#include "test.h"

#define SIZE 100000

static char data[SIZE];

/* Unpacks what comes in pieces of @piece bytes, @room at a time; all of it or -errno. */
static ssize_t unpack(const char *packed, size_t size, size_t piece, char *to,
		      size_t room)
{
	static char buf[SIZE];
	struct gunzip g = { 0 };
	size_t at, got = 0;
	ssize_t n = 0;

	for (at = 0; at < size && n >= 0; at += piece) {
		gunzip_feed(&g, packed + at,
			    size - at < piece ? size - at : piece);
		while ((n = gunzip_read(&g, buf, room)) > 0) {
			if (got + n > SIZE)
				abort();
			memcpy(to + got, buf, n);
			got += n;
		}
	}
	if (n >= 0)
		n = g.ended ? (ssize_t)got : -EAGAIN;
	gunzip_end(&g);
	return n;
}

/* Packs data; the caller's. */
static char *pack(size_t *size)
{
	char *packed = malloc(SIZE);
	size_t i;

	for (i = 0; i < SIZE; i++)
		data[i] = i * 7 + i / 251;
	memcpy(packed, data, SIZE);
	*size = SIZE;
	if (gzip_pack(&packed, size, 6))
		abort();
	return packed;
}

TEST(gzip_gives_back_what_was_packed_in_any_pieces)
{
	static const size_t sizes[] = { 1, 7, 1000, SIZE };
	static char to[SIZE];
	size_t size, i, j;
	char *packed = pack(&size);

	TEST_OK(size < SIZE / 2);
	for (i = 0; i < 4; i++)
		for (j = 0; j < 4; j++) {
			memset(to, 0, SIZE);
			TEST_EQ(unpack(packed, size, sizes[i], to, sizes[j]),
				SIZE);
			TEST_OK(!memcmp(to, data, SIZE));
		}
	free(packed);
	return 0;
}

TEST(gzip_that_is_damaged_or_cut_off_is_an_error)
{
	static char to[SIZE];
	size_t size, i;
	char *packed = pack(&size);

	for (i = 0; i < size; i++)
		TEST_OK(unpack(packed, i, SIZE, to, SIZE) < 0);
	/* its magic, a checksum, and what is behind the end */
	packed[0] ^= 1;
	TEST_EQ(unpack(packed, size, SIZE, to, SIZE), -EBADMSG);
	packed[0] ^= 1;
	packed[size - 5] ^= 1;
	TEST_EQ(unpack(packed, size, SIZE, to, SIZE), -EBADMSG);
	packed[size - 5] ^= 1;
	packed = realloc(packed, size + 1);
	packed[size] = 0;
	for (i = 1; i <= size; i *= 3)
		TEST_EQ(unpack(packed, size + 1, i, to, 10), -EBADMSG);
	free(packed);
	return 0;
}

TEST(gzip_of_what_was_never_begun_has_nothing_to_free)
{
	struct gunzip g = { 0 };

	gunzip_end(&g);
	TEST_OK(!g.begun && !g.ended);
	return 0;
}
