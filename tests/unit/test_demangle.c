// SPDX-License-Identifier: GPL-2.0-only
/* Names as programmers write them; hostile ones do no harm. */

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "test.h"
#include "sym/demangle.h"

static struct demangler d;
static char buf[DEMANGLE_MAX];

static const char *name(const char *mangled)
{
	return demangle(&d, mangled, buf, sizeof(buf)) ? buf : mangled;
}

TEST(demangle_leaves_out_parameters)
{
	TEST_STR(name("_ZN5bench3runEi"), "bench::run");
	TEST_STR(name("_ZNK3foo3barEPFivE"), "foo::bar");
	TEST_STR(name("_ZN3fooclEi"), "foo::operator()");
	TEST_STR(name("_ZN12_GLOBAL__N_13fooEv"), "(anonymous namespace)::foo");
	TEST_STR(name("_ZTV3foo"), "vtable for foo");
	TEST_STR(name("main"), "main");
	TEST_STR(name("_Znot_mangled"), "_Znot_mangled");
	demangler_deinit(&d);
	return 0;
}

TEST(demangle_drops_the_hash_of_rust)
{
	TEST_STR(name("_ZN4core3fmt5write17h0123456789abcdefE"),
		 "core::fmt::write");
	TEST_STR(name("_RNvC6mycrate3foo"), "_RNvC6mycrate3foo");
	demangler_deinit(&d);
	return 0;
}

TEST(demangle_respects_the_buffer)
{
	TEST_OK(!demangle(&d, "_ZN5bench3runEi", buf, 10));
	TEST_OK(demangle(&d, "_ZN5bench3runEi", buf, 11));
	demangler_deinit(&d);
	return 0;
}

/* Each S_ doubles what is printed: 2^n characters for n more bytes. */
TEST(demangle_gives_up_on_exploding_names)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char evil[1024] = "_Z1fM1AS_";
	time_t start = time(NULL);
	size_t i;

	for (i = 0; i < 36; i++)
		sprintf(evil + strlen(evil), "M%.0sS%c_S%c_", "", digits[i],
			digits[i]);
	for (i = 0; i < 8; i++)
		TEST_STR(name(evil), evil);
	TEST_OK(time(NULL) - start < 30);
	demangler_deinit(&d);
	return 0;
}

TEST(demangle_survives_deep_nesting)
{
	static char evil[DEMANGLE_MAX + 10];

	memset(evil, 'P', DEMANGLE_MAX - 2);
	memcpy(evil, "_Z1f", 4);
	name(evil);
	memset(evil, 'P', DEMANGLE_MAX + 5);
	memcpy(evil, "_Z1f", 4);
	TEST_STR(name(evil), evil);
	TEST_STR(name("_ZN5bench3runEi"), "bench::run");
	demangler_deinit(&d);
	return 0;
}

TEST(demangle_goes_on_after_its_child_died)
{
	TEST_STR(name("_ZN5bench3runEi"), "bench::run");
	TEST_OK(d.child > 0);
	TEST_EQ(kill(d.child, SIGKILL), 0);
	usleep(100000);
	TEST_STR(name("_ZN5bench3runEi"), "_ZN5bench3runEi");
	TEST_STR(name("_ZN5bench3runEi"), "bench::run");
	demangler_deinit(&d);
	return 0;
}
