// SPDX-License-Identifier: GPL-2.0-only
/* Archives of tar(5), "POSIX ustar Archives". */

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "format/tar.h"

struct head {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12];
	char sum[8], type, link[100], magic[6], version[2];
	char uname[32], gname[32], major[8], minor[8], prefix[155], pad[12];
};

_Static_assert(sizeof(struct head) == TAR_BLOCK, "a head is a block");

/* Of all bytes of a head, those of its sum counted as spaces. */
static unsigned int sum_of(const struct head *h)
{
	const __u8 *p = (const __u8 *)h;
	unsigned int sum = sizeof(h->sum) * ' ';
	size_t i;

	for (i = 0; i < sizeof(*h); i++)
		if (i < offsetof(struct head, sum) ||
		    i >= offsetof(struct head, type))
			sum += p[i];
	return sum;
}

/* Digits of base 8, as many as there is room for but the NUL. */
static void put_octal(char *to, size_t size, __u64 v)
{
	size_t i;

	for (i = size - 1; i-- > 0; v >>= 3)
		to[i] = '0' + (v & 7);
	to[size - 1] = '\0';
}

static bool get_octal(const char *from, size_t size, __u64 *v)
{
	size_t i;

	*v = 0;
	for (i = 0; i < size && from[i] >= '0' && from[i] <= '7'; i++)
		*v = *v << 3 | (from[i] - '0');
	return i && (i == size || !from[i] || from[i] == ' ');
}

static int put(FILE *out, const void *p, size_t size)
{
	return size && fwrite(p, 1, size, out) != size ? -EIO : 0;
}

static size_t pad_of(size_t size)
{
	return -size & (TAR_BLOCK - 1);
}

int tar_put(FILE *out, const char *name, const void *data, size_t size,
	    __u64 time_s)
{
	static const char zeroes[TAR_BLOCK];
	struct head h = { .type = '0', .magic = "ustar", .version = "00" };
	int ret;

	memcpy(h.name, name, strnlen(name, sizeof(h.name) - 1));
	put_octal(h.mode, sizeof(h.mode), 0644);
	put_octal(h.uid, sizeof(h.uid), 0);
	put_octal(h.gid, sizeof(h.gid), 0);
	put_octal(h.size, sizeof(h.size), size);
	put_octal(h.mtime, sizeof(h.mtime), time_s);
	put_octal(h.major, sizeof(h.major), 0);
	put_octal(h.minor, sizeof(h.minor), 0);
	put_octal(h.sum, sizeof(h.sum) - 1, sum_of(&h));
	h.sum[sizeof(h.sum) - 1] = ' ';
	ret = put(out, &h, sizeof(h));
	if (!ret)
		ret = put(out, data, size);
	return ret ? ret : put(out, zeroes, pad_of(size));
}

int tar_end(FILE *out)
{
	static const char zeroes[2 * TAR_BLOCK];

	return put(out, zeroes, sizeof(zeroes));
}

int tar_next(const void *data, size_t size, size_t *at, struct tar_file *f)
{
	static const struct head end;
	struct head h;
	__u64 sum, bytes;

	if (*at > size || size - *at < sizeof(h))
		return -EINVAL;
	memcpy(&h, (const char *)data + *at, sizeof(h));
	if (!memcmp(&h, &end, sizeof(h)))
		return -ENODATA;
	if (memcmp(h.magic, "ustar", sizeof(h.magic)) || h.type != '0' ||
	    !get_octal(h.sum, sizeof(h.sum), &sum) || sum != sum_of(&h) ||
	    !get_octal(h.size, sizeof(h.size), &bytes) || !h.name[0] ||
	    h.prefix[0] || !memchr(h.name, '\0', sizeof(h.name)) ||
	    strchr(h.name, '/'))
		return -EINVAL;
	*at += sizeof(h);
	if (bytes > size - *at || pad_of(bytes) > size - *at - bytes)
		return -EINVAL;
	memcpy(f->name, h.name, sizeof(f->name));
	f->data = (const __u8 *)data + *at;
	f->size = bytes;
	*at += bytes + pad_of(bytes);
	return 0;
}
