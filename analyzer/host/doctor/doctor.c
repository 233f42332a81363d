// SPDX-License-Identifier: GPL-2.0-only
/* The list of findings, and how findings read files. */

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "host/doctor/doctor.h"
#include "os/proc_file.h"

void doctor_add(struct doctor *d, enum finding_verdict verdict,
		const char *subject, const char *remedy, const char *text, ...)
{
	struct finding *f;
	va_list ap;

	if (vec_grow(&d->list, &d->cap, d->nr, sizeof(*d->list))) {
		d->error = -ENOMEM;
		return;
	}
	f = &d->list[d->nr++];
	memset(f, 0, sizeof(*f));
	f->verdict = verdict;
	f->subject = subject;
	snprintf(f->remedy, sizeof(f->remedy), "%s", remedy);
	va_start(ap, text);
	vsnprintf(f->text, sizeof(f->text), text, ap);
	va_end(ap);
}

bool doctor_has(const struct doctor *d, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", d->root, path);
	return !access(full, F_OK);
}

bool doctor_line(const struct doctor *d, const char *path, char *buf,
		 size_t size)
{
	char full[PATH_MAX];

	buf[0] = '\0';
	snprintf(full, sizeof(full), "%s%s", d->root, path);
	return proc_file_line(full, buf, size) >= 0;
}

int doctor_run(struct doctor *d, const char *root)
{
	memset(d, 0, sizeof(*d));
	d->root = root;
	doctor_cpu(d);
	doctor_kvm(d);
	doctor_module(d);
	doctor_kernel(d);
	doctor_debuginfod(d);
	return d->error;
}

void doctor_deinit(struct doctor *d)
{
	free(d->list);
	memset(d, 0, sizeof(*d));
}

enum finding_verdict doctor_verdict(const struct doctor *d)
{
	enum finding_verdict worst = VMMPROF_FINE;
	size_t i;

	for (i = 0; i < d->nr; i++)
		if (d->list[i].verdict > worst)
			worst = d->list[i].verdict;
	return worst;
}
