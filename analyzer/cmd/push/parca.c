// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiles to Parca.  Its API is gRPC, and the same messages as JSON by HTTP, with
 * bytes as base64: that needs no HTTP/2, and proxies let it pass.  Its requests
 * have no ids, so a profile that is sent again is counted again.
 */

#include <errno.h>
#include <jansson.h>
#include <resolv.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/push/api.h"

/* Ends with its '\0'; to be freed.  NULL: there is no memory. */
static char *to_base64(const void *data, size_t size)
{
	size_t room = (size + 2) / 3 * 4 + 1;
	char *text = malloc(room);

	if (text && b64_ntop(data, size, text, room) < 0) {
		free(text);
		text = NULL;
	}
	return text;
}

/* -EINVAL, too, if there is no memory. */
static int add_label(json_t *labels, const char *name, const char *value)
{
	if (!*value)
		return 0;
	return json_array_append_new(labels, json_pack("{s:s, s:s}", "name",
						       name, "value", value)) ?
		       -EINVAL :
		       0;
}

static int add_labels(json_t *labels, const struct window_profile *p,
		      const char *service)
{
	int err;

	/* Parca wants them in the order of their names */
	err = add_label(labels, "__name__",
			strcmp(p->type, "cpu") ? "off_cpu" : "process_cpu");
	err = err ?: add_label(labels, "host", p->host);
	err = err ?: add_label(labels, "service_name", service);
	return err ?: add_label(labels, "vm", p->vm);
}

int parca_request(const struct window_profile *p, const char *service,
		  char **data, size_t *size)
{
	json_t *labels = json_array(), *o;
	char *text = to_base64(p->file.data, p->file.size);
	int err;

	*data = NULL;
	err = labels && text ? add_labels(labels, p, service) : -ENOMEM;
	if (!err) {
		/* takes over the labels */
		o = json_pack("{s:b, s:[{s:{s:o}, s:[{s:s}]}]}", "normalized",
			      1, "series", "labels", "labels", labels,
			      "samples", "rawProfile", text);
		labels = NULL;
		*data = o ? json_dumps(o, JSON_COMPACT) : NULL;
		*size = *data ? strlen(*data) : 0;
		err = *data ? 0 : -ENOMEM;
		json_decref(o);
	}
	json_decref(labels);
	free(text);
	return err;
}
