// SPDX-License-Identifier: GPL-2.0-only
/* Reads BTF, as far as needed to find the offset of a member. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "os/btf.h"

#define BLOB_MAX    (256U << 20)
#define DEPTH_MAX   16	  /* nested types */
#define MEMBERS_MAX 65536 /* that are searched for one */

/* Kinds that <linux/btf.h> of Debian 12 may lack. */
enum { KIND_DECL_TAG = 17, KIND_TYPE_TAG = 18, KIND_ENUM64 = 19 };

static const char *string(const struct btf *b, __u32 offset)
{
	if (b->base) {
		if (offset < b->base->strings_size)
			return b->base->strings + offset;
		offset -= b->base->strings_size;
	}
	return offset < b->strings_size ? b->strings + offset : "";
}

/* Bytes that follow struct btf_type; -EBADMSG for a kind not known. */
static long extra(const struct btf_type *t)
{
	__u32 n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case KIND_ENUM64:
		return n * 12L;
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case KIND_TYPE_TAG:
		return 0;
	default:
		return -EBADMSG;
	}
}

/* Find where each type begins. */
static int index_types(struct btf *b)
{
	size_t pos = 0, max = 0;

	b->nr = 0;
	while (pos < b->types_size) {
		const struct btf_type *t = (const void *)(b->data + pos);
		long more;

		if (b->nr + 1 >= max) {
			__u32 *bigger;

			max = max ? 2 * max : 4096;
			bigger = reallocarray(b->offsets, max, sizeof(__u32));
			if (!bigger)
				return -ENOMEM;
			b->offsets = bigger;
			b->offsets[0] = 0;
		}
		if (b->types_size - pos < sizeof(*t))
			return -EBADMSG;
		more = extra(t);
		if (more < 0 || b->types_size - pos - sizeof(*t) < (size_t)more)
			return -EBADMSG;
		b->offsets[++b->nr] = pos;
		pos += sizeof(*t) + more;
	}
	return 0;
}

int btf_parse(const void *blob, size_t size, const struct btf *base,
	      struct btf *ret)
{
	struct btf_header h;
	char *data;
	int err;

	memset(ret, 0, sizeof(*ret));
	if (size < sizeof(h))
		return -EBADMSG;
	memcpy(&h, blob, sizeof(h));
	if (h.magic != BTF_MAGIC || h.hdr_len < sizeof(h) || h.hdr_len > size)
		return -EBADMSG;
	size -= h.hdr_len;
	if (h.type_off % 4 || h.type_off > size ||
	    h.type_len > size - h.type_off || h.str_off > size ||
	    (!h.str_len && !base) || h.str_len > size - h.str_off)
		return -EBADMSG;
	data = malloc((size_t)h.type_len + h.str_len + 1);
	if (!data)
		return -ENOMEM;
	blob = (const char *)blob + h.hdr_len;
	memcpy(data, (const char *)blob + h.type_off, h.type_len);
	memcpy(data + h.type_len, (const char *)blob + h.str_off, h.str_len);
	if (h.str_len)
		data[h.type_len + h.str_len - 1] = '\0';
	ret->data = data;
	ret->types_size = h.type_len;
	ret->strings = data + h.type_len;
	ret->strings_size = h.str_len;
	ret->base = base;
	err = index_types(ret);
	if (err)
		btf_free(ret);
	return err;
}

int btf_open_kernel(struct btf *ret)
{
	return btf_open("/sys/kernel/btf/vmlinux", NULL, ret);
}

int btf_open(const char *path, const struct btf *base, struct btf *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n;
	char *blob;
	int err;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_size <= 0 || st.st_size > BLOB_MAX) {
		close(fd);
		return -EBADMSG;
	}
	blob = malloc(st.st_size);
	n = blob ? io_read(fd, blob, st.st_size) : -ENOMEM;
	err = n < 0 ? n : btf_parse(blob, n, base, ret);
	free(blob);
	close(fd);
	return err;
}

void btf_free(struct btf *btf)
{
	free((char *)btf->data);
	free(btf->offsets);
	memset(btf, 0, sizeof(*btf));
}

/* Type @id, which may be the base's; NULL: there is none, or it is void. */
static const struct btf_type *type_of(const struct btf *b, __u32 id)
{
	__u32 before = b->base ? b->base->nr : 0;

	if (!id)
		return NULL;
	if (id <= before)
		b = b->base;
	else
		id -= before;
	return id <= b->nr ? (const void *)(b->data + b->offsets[id]) : NULL;
}

/* Type @id without names of types, const and the like, or NULL. */
static const struct btf_type *plain(const struct btf *b, __u32 id)
{
	const struct btf_type *t = NULL;
	int depth;

	for (depth = 0; depth < DEPTH_MAX; depth++) {
		t = type_of(b, id);
		if (!t)
			return NULL;
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case KIND_TYPE_TAG:
			id = t->type;
			break;
		default:
			return t;
		}
	}
	return NULL;
}

static bool composite(const struct btf_type *t)
{
	return t && (BTF_INFO_KIND(t->info) == BTF_KIND_STRUCT ||
		     BTF_INFO_KIND(t->info) == BTF_KIND_UNION);
}

/* Bytes of type @id; 0: not known, or more than 4 GiB. */
static __u32 size_of(const struct btf *b, __u32 id, int depth)
{
	const struct btf_type *t = plain(b, id);
	const struct btf_array *a;
	__u64 size;

	if (!t)
		return 0;
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
	case BTF_KIND_FLOAT:
		return t->size;
	case BTF_KIND_PTR:
		return 8;
	case BTF_KIND_ARRAY:
		if (depth >= DEPTH_MAX)
			return 0;
		a = (const void *)(t + 1);
		size = (__u64)a->nelems * size_of(b, a->type, depth + 1);
		return size > UINT32_MAX ? 0 : size;
	}
	return 0;
}

/* A member that is looked for, and what was found. */
struct member {
	const char *name;
	__u32 type;	   /* id */
	unsigned int left; /* members to look at before giving up */
};

/* Its offset in bytes, or -errno. */
static long find_member(const struct btf *b, const struct btf_type *t,
			struct member *want, int depth)
{
	const struct btf_member *m = (const void *)(t + 1);
	__u32 i, n = BTF_INFO_VLEN(t->info);

	for (i = 0; i < n; i++, m++) {
		bool flag = BTF_INFO_KFLAG(t->info);
		__u32 bits = flag ? BTF_MEMBER_BIT_OFFSET(m->offset) :
				    m->offset;
		const struct btf_type *inner;
		long inside;

		if (!want->left--)
			return -EBADMSG;
		if (!strcmp(string(b, m->name_off), want->name)) {
			if (bits % 8 ||
			    (flag && BTF_MEMBER_BITFIELD_SIZE(m->offset)))
				return -EINVAL;
			want->type = m->type;
			return bits / 8;
		}
		if (*string(b, m->name_off) || depth >= DEPTH_MAX)
			continue;
		inner = plain(b, m->type);
		inside = composite(inner) ?
				 find_member(b, inner, want, depth + 1) :
				 -ENOENT;
		if (inside != -ENOENT)
			return inside < 0 ? inside : (long)(bits / 8) + inside;
	}
	return -ENOENT;
}

/*
 * Search the module's own types before those of its base: the module was
 * compiled with its own.
 */
static const struct btf_type *find_type(const struct btf *btf, __u32 kind,
					const char *name)
{
	__u32 id;

	for (id = 1; id <= btf->nr; id++) {
		const struct btf_type *t = (const void *)(btf->data +
							  btf->offsets[id]);

		if (BTF_INFO_KIND(t->info) == kind &&
		    !strcmp(string(btf, t->name_off), name))
			return t;
	}
	return btf->base ? find_type(btf->base, kind, name) : NULL;
}

int btf_find_member(const struct btf *btf, const char *name, const char *member,
		    __u32 *offset, __u32 *size)
{
	const struct btf_type *t = find_type(btf, BTF_KIND_STRUCT, name);
	struct member want = { .name = member, .left = MEMBERS_MAX };
	long at = t ? find_member(btf, t, &want, 0) : -ENOENT;

	if (at < 0)
		return at;
	*offset = at;
	*size = size_of(btf, want.type, 0);
	return 0;
}

int btf_offset(const struct btf *btf, const char *name, const char *member)
{
	__u32 offset, size;
	int err = btf_find_member(btf, name, member, &offset, &size);

	if (err)
		return err;
	return offset <= INT_MAX ? (int)offset : -EBADMSG;
}

long btf_union_size(const struct btf *btf, const char *name)
{
	const struct btf_type *t = find_type(btf, BTF_KIND_UNION, name);

	return t ? (long)t->size : -ENOENT;
}

long btf_struct_size(const struct btf *btf, const char *name)
{
	const struct btf_type *t = find_type(btf, BTF_KIND_STRUCT, name);

	return t ? (long)t->size : -ENOENT;
}

int btf_enum_value(const struct btf *btf, const char *type, const char *name,
		   __u32 *ret)
{
	const struct btf_type *t = find_type(btf, BTF_KIND_ENUM, type);
	const struct btf_enum *e = (const void *)(t + 1);
	__u32 i;

	for (i = 0; t && i < BTF_INFO_VLEN(t->info); i++)
		if (!strcmp(string(btf, e[i].name_off), name)) {
			*ret = e[i].val;
			return 0;
		}
	return -ENOENT;
}
