// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof selftest --json`. */

#include <cpuid.h>
#include <string.h>
#include <sys/utsname.h>

#include "cmd/selftest_json.h"
#include "view/json.h"
#include <vmmprof/version.h>

const char *selftest_word(enum check_verdict verdict)
{
	static const char *const words[] = { "ok", "skip", "fail" };

	return words[verdict];
}

void selftest_cpu_name(char name[SELFTEST_CPU_NAME])
{
	unsigned int r[(SELFTEST_CPU_NAME - 1) / sizeof(int)] = { 0 }, i;

	for (i = 0; i < 3; i++)
		__get_cpuid(0x80000002 + i, &r[4 * i], &r[4 * i + 1],
			    &r[4 * i + 2], &r[4 * i + 3]);
	memcpy(name, r, sizeof(r));
	name[sizeof(r)] = '\0';
}

/* What the host is, but not which. */
static void put_host(struct json_out *j, const struct selftest *t)
{
	static const char *const vendors[] = { "none", "vmx", "svm" };
	char cpu[SELFTEST_CPU_NAME];
	struct utsname u;

	selftest_cpu_name(cpu);
	json_out_object(j, "host");
	json_out_string(j, "cpu", cpu);
	json_out_string(j, "kernel", uname(&u) ? "" : u.release);
	/* the module was not asked: it is not loaded, or of others */
	if (t->info.version[0]) {
		json_out_string(j, "module", t->info.version);
		json_out_string(
			j, "vendor",
			vendors[t->info.vendor < 3 ? t->info.vendor : 0]);
	} else {
		json_out_null(j, "module");
		json_out_null(j, "vendor");
	}
	if (t->events.nr)
		json_out_string(j, "event", t->events.choice[0].name);
	else
		json_out_null(j, "event");
	json_out_bool(j, "emulated", t->emulated);
	json_out_object_end(j);
}

static void put_error(struct json_out *j, const struct error *e)
{
	unsigned int i;

	if (!e) {
		json_out_null(j, "error");
		return;
	}
	json_out_object(j, "error");
	json_out_string(j, "text", e->text);
	json_out_array(j, "remedy");
	for (i = 0; i < ERROR_HINTS && e->hints[i]; i++)
		json_out_string(j, NULL, e->hints[i]);
	json_out_array_end(j);
	json_out_object_end(j);
}

void selftest_json(FILE *out, const struct selftest *t, const struct checks *c,
		   const struct error *e)
{
	unsigned int bad = checks_count(c, CHECK_BAD), i;
	struct json_out j;

	json_out_begin(&j, out, "vmmprof-selftest", 1);
	json_out_string(&j, "vmmprof", VMMPROF_VERSION);
	json_out_string(&j, "verdict", e ? "not-run" : bad ? "fail" : "ok");
	json_out_u64(&j, "ok", checks_count(c, CHECK_OK));
	json_out_u64(&j, "skipped", checks_count(c, CHECK_SKIPPED));
	json_out_u64(&j, "failed", bad);
	put_error(&j, e);
	put_host(&j, t);
	json_out_array(&j, "checks");
	for (i = 0; i < c->nr; i++) {
		json_out_object(&j, NULL);
		json_out_string(&j, "verdict",
				selftest_word(c->list[i].verdict));
		json_out_string(&j, "name", c->list[i].name);
		json_out_string(&j, "text", c->list[i].text);
		json_out_object_end(&j);
	}
	json_out_array_end(&j);
	json_out_object_end(&j);
}
