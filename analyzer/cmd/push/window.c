// SPDX-License-Identifier: GPL-2.0-only
/* Windows of profiles to messages of protobuf. */

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/push/window.h"
#include "view/proto.h"

static int get_text(const json_t *o, const char *key, char *to, size_t size)
{
	const json_t *v = json_object_get(o, key);
	const char *text = json_string_value(v);

	*to = '\0';
	if (!v)
		return 0;
	/* what is cut is another name: none is so long */
	if (!text || strlen(text) >= size || strlen(text) > 250)
		return -EINVAL;
	strcpy(to, text);
	return 0;
}

/* What a profile is. */
static int read_head(const struct tar_file *f, struct window_profile *p)
{
	const char *end = strrchr(f->name, '.');
	json_int_t time_ns;
	json_t *o;
	int ret;

	if (!end || strcmp(end, ".json"))
		return -EINVAL;
	o = json_loadb((const char *)f->data, f->size, 0, NULL);
	if (!o)
		return -EINVAL;
	ret = get_text(o, "type", p->type, sizeof(p->type));
	if (!ret)
		ret = get_text(o, "host", p->host, sizeof(p->host));
	if (!ret)
		ret = get_text(o, "vm", p->vm, sizeof(p->vm));
	time_ns = json_integer_value(json_object_get(o, "time_ns"));
	json_decref(o);
	if (ret || time_ns <= 0 ||
	    (strcmp(p->type, "cpu") && strcmp(p->type, "off_cpu")))
		return -EINVAL;
	p->time_ns = time_ns;
	return 0;
}

int window_next(struct window *w, struct window_profile *p)
{
	struct tar_file head;
	const char *end;
	int ret;

	memset(p, 0, sizeof(*p));
	ret = tar_next(w->data, w->size, &w->at, &head);
	if (!ret)
		ret = read_head(&head, p);
	if (ret)
		return ret;
	ret = tar_next(w->data, w->size, &w->at, &p->file);
	end = strchr(p->file.name, '\0') - 6;
	if (ret || end < p->file.name || strcmp(end, ".pb.gz"))
		return -EINVAL;
	p->window_ns = w->real_ns;
	p->nr = w->nr++;
	return 0;
}

static void put_label(FILE *out, const char *name, const char *value)
{
	struct proto pair = { 0 }, m = { 0 };

	/* types.v1.LabelPair: name = 1, value = 2 */
	proto_string(&pair, 1, name);
	proto_string(&pair, 2, value);
	/* RawProfileSeries.labels = 1 */
	proto_bytes(&m, 1, pair.data, pair.size);
	fwrite(m.data, 1, m.size, out);
}

/* The same window has the same ids when it is sent again. */
static void put_id(const struct window_profile *p, char *buf, size_t size)
{
	snprintf(buf, size, "%08llx-%04llx-8%03llx-8%03x-%012x",
		 p->window_ns >> 32, p->window_ns >> 16 & 0xffff,
		 p->window_ns & 0xfff, (unsigned int)(p->window_ns >> 12 & 0xf),
		 p->nr);
}

/* RawSample: raw_profile = 1, ID = 2 */
static void put_sample(FILE *out, const struct window_profile *p)
{
	struct proto head = { 0 }, id = { 0 }, field = { 0 };
	char text[64];

	put_id(p, text, sizeof(text));
	proto_string(&id, 2, text);
	proto_head(&head, 1, p->file.size);
	/* RawProfileSeries.samples = 2 */
	proto_head(&field, 2, head.size + p->file.size + id.size);
	fwrite(field.data, 1, field.size, out);
	fwrite(head.data, 1, head.size, out);
	fwrite(p->file.data, 1, p->file.size, out);
	fwrite(id.data, 1, id.size, out);
}

int window_request(const struct window_profile *p, const char *service,
		   char **data, size_t *size)
{
	char *series = NULL;
	size_t bytes = 0;
	struct proto head = { 0 };
	FILE *out = open_memstream(&series, &bytes);

	if (!out)
		return -ENOMEM;
	put_label(out, "__name__",
		  strcmp(p->type, "cpu") ? "off_cpu" : "process_cpu");
	if (*p->host)
		put_label(out, "host", p->host);
	put_label(out, "service_name", service);
	if (*p->vm)
		put_label(out, "vm", p->vm);
	put_sample(out, p);
	if (fclose(out)) {
		free(series);
		return -ENOMEM;
	}
	/* PushRequest.series = 1 */
	proto_head(&head, 1, bytes);
	*data = malloc(head.size + bytes);
	if (*data) {
		memcpy(*data, head.data, head.size);
		memcpy(*data + head.size, series, bytes);
		*size = head.size + bytes;
	}
	free(series);
	return *data ? 0 : -ENOMEM;
}
