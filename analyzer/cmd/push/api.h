/* SPDX-License-Identifier: GPL-2.0-only */
/* The APIs by which stores take profiles. */
#ifndef CMD_PUSH_API_H
#define CMD_PUSH_API_H

#include <stdbool.h>

#include "cmd/push/window.h"

struct push_api {
	const char *path;   /* behind the store's URL */
	const char *type;   /* Content-Type */
	const char *header; /* one more; NULL: none */
	bool gzip;	    /* requests are packed, as .header says */
	/* a request with that profile, as window_request() */
	int (*request)(const struct window_profile *p, const char *service,
		       char **data, size_t *size);
	/* by the beginning of an answer that is no error; NULL: never */
	bool (*refused)(const void *answer, size_t size);
};

/* By the number of their names, which are words of an option. */
#define PUSH_APIS "pyroscope parca otlp"
extern const struct push_api push_apis[];

/*
 * A WriteRawRequest of Parca's proto/parca/profilestore/v1alpha1/
 * profilestore.proto, as the JSON that its gateway for HTTP takes.  As
 * window_request(); -EINVAL: it has a name that is no UTF-8.
 */
int parca_request(const struct window_profile *p, const char *service,
		  char **data, size_t *size);

/*
 * An ExportProfilesServiceRequest of OpenTelemetry, v1development.  As window_request();
 * -EINVAL: the profile is none of ours.
 */
int otlp_request(const struct window_profile *p, const char *service,
		 char **data, size_t *size);
bool otlp_refused(const void *answer, size_t size);

#endif /* CMD_PUSH_API_H */
