// SPDX-License-Identifier: GPL-2.0-only
/*
 * libcurl-easy(3).  The library is loaded here only: other verbs neither need it
 * nor wait for it.
 */

#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "cmd/push/store.h"
#include "view/safe.h"

#define SAID	256 /* bytes of an answer that are shown */
#define CONNECT 10L /* seconds */

#if LIBCURL_VERSION_NUM >= 0x075500
#define PROTOCOLS CURLOPT_PROTOCOLS_STR, "http,https"
#else
#define PROTOCOLS CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)
#endif

static const char *const libraries[] = { "libcurl.so.4", "libcurl-gnutls.so.4",
					 NULL };

struct store {
	CURL *curl;
	struct curl_slist *headers;
	char url[2048], error[CURL_ERROR_SIZE], said[SAID + 1], text[1400];
	size_t nr_said;
	curl_off_t retry_after;
	/* the library's, without the prefix curl_ */
	CURLcode (*global_init)(long flags);
	CURL *(*easy_init)(void);
	CURLcode (*easy_setopt)(CURL *curl, CURLoption option, ...);
	CURLcode (*easy_perform)(CURL *curl);
	CURLcode (*easy_getinfo)(CURL *curl, CURLINFO info, ...);
	void (*easy_cleanup)(CURL *curl);
	const char *(*easy_strerror)(CURLcode code);
	struct curl_slist *(*slist_append)(struct curl_slist *l, const char *s);
	void (*slist_free_all)(struct curl_slist *l);
};

static bool load(struct store *s)
{
	const struct library_symbol symbols[] = {
		{ "curl_global_init", &s->global_init },
		{ "curl_easy_init", &s->easy_init },
		{ "curl_easy_setopt", &s->easy_setopt },
		{ "curl_easy_perform", &s->easy_perform },
		{ "curl_easy_getinfo", &s->easy_getinfo },
		{ "curl_easy_cleanup", &s->easy_cleanup },
		{ "curl_easy_strerror", &s->easy_strerror },
		{ "curl_slist_append", &s->slist_append },
		{ "curl_slist_free_all", &s->slist_free_all },
	};

	return !library_load(libraries, symbols,
			     sizeof(symbols) / sizeof(*symbols));
}

/* The beginning of an answer is kept, the rest is counted and left out. */
static size_t take_answer(char *data, size_t one, size_t nr, void *arg)
{
	struct store *s = arg;
	size_t room = SAID - s->nr_said, size = one * nr;

	if (size < room)
		room = size;
	memcpy(s->said + s->nr_said, data, room);
	s->nr_said += room;
	s->said[s->nr_said] = '\0';
	return size;
}

static bool add_header(struct store *s, const char *name, const char *value)
{
	char line[8192];
	struct curl_slist *l;

	if (!value)
		return true;
	if (snprintf(line, sizeof(line), "%s%s", name, value) >=
	    (int)sizeof(line))
		return false;
	l = s->slist_append(s->headers, line);
	if (l)
		s->headers = l;
	return l;
}

static bool set(struct store *s, const struct store_how *how)
{
	CURL *c = s->curl;
	size_t len = strlen(how->url);
	bool ok;

	while (len && how->url[len - 1] == '/')
		len--;
	if (snprintf(s->url, sizeof(s->url), "%.*s%s", (int)len, how->url,
		     how->path) >= (int)sizeof(s->url))
		return false;
	ok = add_header(s, "Content-Type: ", how->type) &&
	     add_header(s, "", how->header) && add_header(s, "Expect:", "") &&
	     add_header(s, "Authorization: Bearer ", how->token) &&
	     add_header(s, "X-Scope-OrgID: ", how->tenant);
	/* a token that goes to this machine in the clear goes nowhere else */
	if (how->token && strncmp(how->url, "https://", 8))
		ok = ok && !s->easy_setopt(c, CURLOPT_PROXY, "");
	return ok && !s->easy_setopt(c, CURLOPT_URL, s->url) &&
	       !s->easy_setopt(c, PROTOCOLS) &&
	       !s->easy_setopt(c, CURLOPT_HTTPHEADER, s->headers) &&
	       !s->easy_setopt(c, CURLOPT_USERAGENT, "vmmprof") &&
	       !s->easy_setopt(c, CURLOPT_TIMEOUT, (long)how->timeout_s) &&
	       !s->easy_setopt(c, CURLOPT_CONNECTTIMEOUT, CONNECT) &&
	       !s->easy_setopt(c, CURLOPT_NOSIGNAL, 1L) &&
	       !s->easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L) &&
	       !s->easy_setopt(c, CURLOPT_ERRORBUFFER, s->error) &&
	       !s->easy_setopt(c, CURLOPT_WRITEDATA, s) &&
	       !s->easy_setopt(c, CURLOPT_WRITEFUNCTION, take_answer) &&
	       (!how->ca_file ||
		!s->easy_setopt(c, CURLOPT_CAINFO, how->ca_file));
}

struct store *store_open(const struct store_how *how, const char **why)
{
	struct store *s = calloc(1, sizeof(*s));

	*why = "there is no memory";
	if (!s)
		return NULL;
	if (!load(s)) {
		*why = "libcurl is not there: install libcurl4";
		free(s);
		return NULL;
	}
	if (!s->global_init(CURL_GLOBAL_DEFAULT))
		s->curl = s->easy_init();
	if (s->curl && set(s, how))
		return s;
	if (s->curl)
		*why = "libcurl does not take the options";
	store_close(s);
	return NULL;
}

void store_close(struct store *s)
{
	if (s->curl)
		s->easy_cleanup(s->curl);
	if (s->headers)
		s->slist_free_all(s->headers);
	free(s);
}

/* Whose fault it is, by the status of HTTP. */
static enum store_answer answer_of(long status)
{
	if (status >= 200 && status < 300)
		return STORE_TOOK;
	/* 408: too slow; 429: too much.  A redirect is not followed. */
	if (status < 400 || status == 408 || status == 429 || status >= 500)
		return STORE_LATER;
	return STORE_REFUSES;
}

enum store_answer store_send(struct store *s, const void *data, size_t size)
{
	long status = 0;
	CURLcode ret;
	char said[4 * SAID + 1];

	s->nr_said = 0;
	*s->said = *s->error = '\0';
	s->retry_after = 0;
	ret = s->easy_setopt(s->curl, CURLOPT_POSTFIELDSIZE_LARGE,
			     (curl_off_t)size);
	if (!ret)
		ret = s->easy_setopt(s->curl, CURLOPT_POSTFIELDS, data);
	if (!ret)
		ret = s->easy_perform(s->curl);
	if (!ret)
		ret = s->easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
	if (ret) {
		safe_text(s->text, sizeof(s->text),
			  *s->error ? s->error : s->easy_strerror(ret));
		return STORE_LATER;
	}
	s->easy_getinfo(s->curl, CURLINFO_RETRY_AFTER, &s->retry_after);
	safe_text(said, sizeof(said), s->said);
	snprintf(s->text, sizeof(s->text), "HTTP %ld%s%s", status,
		 *said ? ": " : "", said);
	return answer_of(status);
}

const void *store_said(const struct store *s, size_t *size)
{
	*size = s->nr_said;
	return s->said;
}

const char *store_error(const struct store *s)
{
	return s->text;
}

__u32 store_retry_after(const struct store *s)
{
	return s->retry_after > 0 && s->retry_after < 3600 ? s->retry_after : 0;
}
