// SPDX-License-Identifier: GPL-2.0-only
/* Findings: whether debuginfod servers can be asked for code and lines. */

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/debuginfod.h"
#include "host/doctor/doctor.h"

static bool installed(void)
{
	void *library = dlopen(DEBUGINFOD_LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	if (library)
		dlclose(library);
	return library;
}

void doctor_debuginfod(struct doctor *d)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	bool there = installed();

	if (!urls || !urls[strspn(urls, " ")])
		doctor_add(
			d, VMMPROF_FINE, "debuginfod", "",
			"DEBUGINFOD_URLS is not set: `annotate` asks no server (library %sinstalled)",
			there ? "" : "not ");
	else if (!there)
		doctor_add(
			d, VMMPROF_WARN, "debuginfod",
			"apt install libdebuginfod1 (elsewhere elfutils-debuginfod-client)",
			"DEBUGINFOD_URLS is set, " DEBUGINFOD_LIBRARY
			" is not installed");
	else
		doctor_add(d, VMMPROF_FINE, "debuginfod", "",
			   "`annotate` asks %.120s", urls);
}
