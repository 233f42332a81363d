// SPDX-License-Identifier: GPL-2.0-only
/* Findings of made-up hosts: a good one, and each obstacle by itself. */

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "test.h"
#include "tree.h"
#include "host/doctor/doctor.h"
#include <vmmprof/version.h>

static char root[64];

/* A file of the host with one line. */
static void put(const char *path, const char *line)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s\n", line);
	tree_put(root, path, text);
}

static void good_host(void)
{
	strcpy(root, "/tmp/vmmprof-doctor-XXXXXX");
	if (!mkdtemp(root))
		abort();
	put("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vmx nonstop_tsc\n"
			     "vmx flags\t: vnmi");
	put("/proc/self/schedstat", "1 2 3");
	put("/proc/sys/kernel/nmi_watchdog", "0");
	put("/proc/sys/kernel/perf_event_max_sample_rate", "100000");
	put("/proc/sys/kernel/kptr_restrict", "0");
	put("/proc/sys/kernel/perf_event_paranoid", "2");
	put("/sys/bus/event_source/devices/cpu/type", "4");
	put("/sys/devices/system/cpu/nohz_full", "(null)");
	put("/sys/devices/system/clocksource/clocksource0/current_clocksource",
	    "tsc");
	put("/sys/module/kvm_intel/parameters/ept", "Y");
	put("/sys/module/kvm_intel/parameters/vpid", "Y");
	put("/sys/module/vmmprof/version", VMMPROF_VERSION);
	put("/sys/module/module/parameters/sig_enforce", "N");
	put("/sys/kernel/security/lockdown",
	    "[none] integrity confidentiality");
}

static void forget(const char *path)
{
	char cmd[256];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s%s'", root, path);
	if (system(cmd))
		abort();
}

/* The worst verdict on a subject, -1: none; its remedy in text. */
static int verdict(const char *subject, char *remedy, size_t size)
{
	struct doctor d;
	int worst = -1;
	size_t i;

	if (doctor_run(&d, root))
		abort();
	for (i = 0; i < d.nr; i++) {
		if (strcmp(d.list[i].subject, subject) ||
		    (int)d.list[i].verdict <= worst)
			continue;
		worst = d.list[i].verdict;
		snprintf(remedy, size, "%s", d.list[i].remedy);
	}
	doctor_deinit(&d);
	return worst;
}

static enum finding_verdict all(void)
{
	struct doctor d;
	enum finding_verdict v;

	if (doctor_run(&d, root))
		abort();
	v = doctor_verdict(&d);
	doctor_deinit(&d);
	return v;
}

TEST(doctor_finds_nothing_on_a_good_host)
{
	good_host();
	TEST_EQ(all(), VMMPROF_FINE);
	forget("");
	return 0;
}

/* The text of the finding on a subject. */
static void found(const char *subject, char *text, size_t size)
{
	struct doctor d;
	size_t i;

	*text = '\0';
	if (doctor_run(&d, root))
		abort();
	for (i = 0; i < d.nr; i++)
		if (!strcmp(d.list[i].subject, subject))
			snprintf(text, size, "%s", d.list[i].text);
	doctor_deinit(&d);
}

TEST(doctor_recommends_the_selftest_where_it_can_run)
{
	char remedy[256];

	good_host();
	TEST_EQ(verdict("selftest", remedy, sizeof(remedy)), VMMPROF_FINE);
	TEST_OK(strstr(remedy, "vmmprof selftest"));
	forget("/sys/module/vmmprof");
	TEST_EQ(verdict("selftest", remedy, sizeof(remedy)), -1);
	forget("");
	return 0;
}

TEST(doctor_says_which_event_is_the_default)
{
	char text[256];

	good_host();
	put("/sys/bus/event_source/devices/cpu/events/cpu-cycles",
	    "event=0x76");
	found("counters", text, sizeof(text));
	TEST_OK(strstr(text, "cycles is the default"));
	put("/sys/bus/event_source/devices/cpu/events/ref-cycles",
	    "event=0x00,umask=0x03");
	found("counters", text, sizeof(text));
	TEST_OK(*text && !strstr(text, "default"));
	put("/proc/sys/kernel/nmi_watchdog", "1");
	found("NMI watchdog", text, sizeof(text));
	TEST_OK(strstr(text, "cycles may find none"));
	put("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu svm");
	found("NMI watchdog", text, sizeof(text));
	TEST_OK(strstr(text, "of six"));
	forget("");
	return 0;
}

TEST(doctor_takes_an_amd_host)
{
	char remedy[256];

	good_host();
	put("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu svm");
	forget("/sys/module/kvm_intel");
	put("/sys/module/kvm_amd/parameters/npt", "1");
	TEST_EQ(all(), VMMPROF_FINE);
	forget("/sys/module/kvm_amd");
	TEST_EQ(verdict("KVM", remedy, sizeof(remedy)), VMMPROF_WARN);
	TEST_STR(remedy, "modprobe kvm_amd");
	forget("");
	return 0;
}

TEST(doctor_finds_each_obstacle)
{
	static const struct {
		const char *path, *line, *subject;
		int verdict;
	} cases[] = {
		{ "/proc/cpuinfo", "flags\t\t: fpu vmxx avmx", "CPU",
		  VMMPROF_WARN },
		{ "/sys/bus/event_source/devices/cpu_core/type", "4",
		  "counters", VMMPROF_WARN },
		{ "/proc/sys/kernel/nmi_watchdog", "1", "NMI watchdog",
		  VMMPROF_WARN },
		{ "/proc/sys/kernel/perf_event_max_sample_rate", "250",
		  "sample rate", VMMPROF_WARN },
		{ "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  "hpet", "TSC", VMMPROF_WARN },
		{ "/sys/devices/system/cpu/nohz_full", "2-7", "nohz_full",
		  VMMPROF_WARN },
		{ "/sys/module/kvm_intel/parameters/ept", "N", "EPT",
		  VMMPROF_WARN },
		{ "/sys/module/kvm_amd/parameters/npt", "0", "NPT",
		  VMMPROF_WARN },
		{ "/sys/module/kvm_amd/parameters/enable_mediated_pmu", "Y",
		  "virtual PMU", VMMPROF_WARN },
		{ "/sys/module/kvm_intel/parameters/vpid", "N", "VPID",
		  VMMPROF_WARN },
		{ "/sys/module/kvm_intel/parameters/enable_mediated_pmu", "Y",
		  "virtual PMU", VMMPROF_WARN },
		{ "/sys/module/vmmprof/version", "0.0.1", "module",
		  VMMPROF_FAIL },
		{ "/proc/sys/kernel/kptr_restrict", "2", "kptr_restrict",
		  VMMPROF_WARN },
		{ "/sys/class/misc/vmmprof/owner", "4711", "device",
		  VMMPROF_WARN },
	};
	char remedy[256];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		good_host();
		put(cases[i].path, cases[i].line);
		TEST_EQ(verdict(cases[i].subject, remedy, sizeof(remedy)),
			cases[i].verdict);
		TEST_EQ(all(), cases[i].verdict);
		forget("");
	}
	return 0;
}

TEST(doctor_says_what_keeps_the_module_out)
{
	char remedy[256], path[300];
	struct utsname u;

	uname(&u);
	good_host();
	forget("/sys/module/vmmprof");
	TEST_EQ(verdict("module", remedy, sizeof(remedy)), VMMPROF_FAIL);
	TEST_EQ(verdict("kernel headers", remedy, sizeof(remedy)),
		VMMPROF_WARN);
	TEST_OK(strstr(remedy, u.release));
	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile",
		 u.release);
	put(path, "");
	TEST_EQ(verdict("kernel headers", remedy, sizeof(remedy)),
		VMMPROF_FINE);
	TEST_EQ(verdict("module signing", remedy, sizeof(remedy)),
		VMMPROF_FINE);
	put("/sys/module/module/parameters/sig_enforce", "Y");
	TEST_EQ(verdict("module signing", remedy, sizeof(remedy)),
		VMMPROF_WARN);
	put("/sys/module/module/parameters/sig_enforce", "N");
	put("/sys/kernel/security/lockdown",
	    "none [integrity] confidentiality");
	TEST_EQ(verdict("module signing", remedy, sizeof(remedy)),
		VMMPROF_WARN);
	TEST_OK(verdict("permission", remedy, sizeof(remedy)) < VMMPROF_FAIL);
	put("/sys/kernel/security/lockdown",
	    "none integrity [confidentiality]");
	TEST_EQ(verdict("module signing", remedy, sizeof(remedy)),
		VMMPROF_WARN);
	TEST_EQ(verdict("permission", remedy, sizeof(remedy)), VMMPROF_FAIL);
	forget("");
	return 0;
}

TEST(doctor_of_a_host_without_anything)
{
	char remedy[256];

	strcpy(root, "/tmp/vmmprof-doctor-XXXXXX");
	if (!mkdtemp(root))
		abort();
	TEST_EQ(verdict("CPU", remedy, sizeof(remedy)), VMMPROF_WARN);
	TEST_EQ(verdict("counters", remedy, sizeof(remedy)), VMMPROF_WARN);
	TEST_EQ(verdict("KVM", remedy, sizeof(remedy)), VMMPROF_WARN);
	TEST_EQ(verdict("module", remedy, sizeof(remedy)), VMMPROF_FAIL);
	TEST_EQ(verdict("perf events", remedy, sizeof(remedy)), VMMPROF_FAIL);
	forget("");
	return 0;
}
