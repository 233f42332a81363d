// SPDX-License-Identifier: GPL-2.0-only
/* Code counted apart from the profile is what the profile's buckets say of it. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "cmd/analysis_open.h"
#include "code/hotspots.h"
#include "model/pass.h"
#include "model/sample_code.h"

#define ADDRESSES 20000u

/* The key of count i; each is there three times. */
static struct bucket_key key_of(unsigned int i)
{
	i %= ADDRESSES;
	return (struct bucket_key){
		.addr = 0xffffffff81000000ull + (i / 16) * 4,
		.func = i & 1,
		.module = i >> 1 & 1,
		.file = i >> 2 & 1,
		.guest = 1 + (i >> 3 & 1),
	};
}

static int cmp_bucket(const void *a, const void *b)
{
	const struct bucket *x = a, *y = b;

	return memcmp(&x->key, &y->key, sizeof(x->key));
}

TEST(addresses_are_told_apart_by_all_that_they_have)
{
	const struct profile parts = { 0 };
	struct profile p = { 0 };
	struct bucket_key key;
	size_t i;

	for (i = 0; i < 3 * ADDRESSES; i++) {
		key = key_of(i);
		TEST_EQ(profile_add_later(&p, &key), 0);
	}
	TEST_EQ(profile_flush(&p, &parts), 0);
	TEST_EQ(profile_flush(&p, &parts), 0);
	TEST_EQ(p.nr, ADDRESSES);
	TEST_EQ(p.samples, 3 * ADDRESSES);
	qsort(p.buckets, p.nr, sizeof(*p.buckets), cmp_bucket);
	for (i = 0; i < p.nr; i++) {
		TEST_EQ(p.buckets[i].samples, 3);
		TEST_OK(p.buckets[i].key.guest == 1 ||
			p.buckets[i].key.guest == 2);
		TEST_OK(!i || cmp_bucket(&p.buckets[i - 1], &p.buckets[i]));
	}
	profile_deinit(&p);
	return 0;
}

/*
 * Of the kernel two addresses of a function; a program of two processes; two
 * processes that made code of the same name at the same address.
 */
static const char shared[] =
	"file info\n  text tsc_khz=1000000\n  event index=0 name=x\n  end\n"
	"file host\n  clock tsc=0 mono=0\n  kallsyms\n"
	"    ffffffff81000000 T f\n    ffffffff81000100 T g\n"
	"    ffffffff82000000 T _etext\n  .\n"
	"  file_item id=1 path=/bin/p\n"
	"  symtab file=1 seg=0:0:0x1000 sym=0x100:0x100:main\n"
	"  proc op=snap ns=0 pid=9 comm=a\n"
	"  map pid=9 start=0x1000 end=0x9000\n"
	"  map pid=9 start=0x10000 end=0x11000 file=1\n"
	"  jit pid=9 addr=0x1000 size=0x100 ns=0 source=2 name=Made::run\n"
	"  proc op=snap ns=0 pid=10 comm=b\n"
	"  map pid=10 start=0x1000 end=0x9000\n"
	"  map pid=10 start=0x20000 end=0x21000 file=1\n"
	"  jit pid=10 addr=0x1000 size=0x100 ns=0 source=2 name=Made::run\n"
	"  end\n"
	"file cpu-0.rec\n"
	"  sample tsc=4000 flags=N ip=0xffffffff81000008\n"
	"  sample tsc=4010 flags=N ip=0xffffffff81000018 repeat=2 step=1\n"
	"  sample tsc=4020 flags=N ip=0xffffffff81000108\n"
	"  sample tsc=4030 flags=NU pid=9 ip=0x1010 repeat=4 step=1\n"
	"  sample tsc=4040 flags=NU pid=10 ip=0x1010 repeat=3 step=1\n"
	"  sample tsc=4050 flags=NU pid=10 ip=0x1018 repeat=3 step=1\n"
	"  sample tsc=4060 flags=NU pid=9 ip=0x10104 repeat=5 step=1\n"
	"  sample tsc=4070 flags=NU pid=10 ip=0x20104 repeat=6 step=1\n"
	"  sample tsc=4080 flags=NU pid=10 ip=0x20108\n";

static bool of_guest(void *arg, const struct bucket_key *key)
{
	return key->guest == *(const __u32 *)arg;
}

/* The hot places of a machine of tests/data, or of the text above. */
static int places(const char *data, bool counted, __u32 guest,
		  struct hot_places *ret, size_t *buckets)
{
	static struct analysis a;
	char dir[] = "/tmp/vmmprof-test-XXXXXX", cmd[256];
	FILE *f;
	int err;

	memset(&a, 0, sizeof(a));
	if (!mkdtemp(dir))
		abort();
	snprintf(cmd, sizeof(cmd), "%s/d", dir);
	f = fopen(cmd, "w");
	if (!f || fputs(shared, f) < 0 || fclose(f))
		abort();
	snprintf(
		cmd, sizeof(cmd),
		"d='tests/data/%s'; [ -f $d ] || d=%s/d; tests/gen/mksession.py $d %s/s",
		data, dir, dir);
	if (system(cmd))
		abort();
	snprintf(cmd, sizeof(cmd), "%s/s", dir);
	err = analysis_open(&a, cmd, NULL, 0) ?:
		      analysis_run(&a, counted ? KEEP_CODE : KEEP_ADDR, NULL, NULL) ?:
		      (counted ? hot_places_counted :
				 hot_places_init)(ret, &a, of_guest, &guest);
	*buckets = a.profile.nr;
	analysis_close(&a);
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	if (system(cmd))
		abort();
	return err;
}

/* One page of code, as its lines. */
static void remember_page(struct code_places *c, __u64 whose, __u64 ip,
			  __u32 lines)
{
	*code_page(c, whose, ip) = (struct code_page){ .whose = whose,
						       .page = ip >> CODE_PAGE,
						       .lines = lines };
}

static __u64 number_of(const struct code_places *c, __u64 whose, __u64 ip,
		       __u8 who)
{
	return code_number(code_page_lines(code_page(c, whose, ip), whose, ip),
			   ip, who);
}

/* An address of a function of a file is a bucket's. */
static int note(struct profile *code, __u64 *filled, struct code_places *places,
		__u64 whose, __u64 ip, __u8 who, __u32 bucket)
{
	const struct resolver r = { .places = places };
	const struct recent_context last = { .whose = whose, .who = who };
	struct resolve_slot slot = { .ref = { .func = 1, .file = 1 } };
	struct context context = { .key.mode = MODE_USER };
	const struct resolved w = { .ip = ip,
				    .slot = &slot,
				    .context = &context };

	return sample_code_note(code, filled, &r, &last, &w, bucket);
}

TEST(numbers_are_of_lines_place_event_and_mode)
{
	const __u64 ip = 0xffffffff81000123ull;
	const struct profile parts = { 0 };
	struct code_places places = { 0 };
	struct profile code = { 0 };
	struct bucket_key key = { 0 };
	__u64 a, b, filled = 0, *count;
	int i;

	TEST_EQ(code_places_init(&places), 0);
	TEST_EQ(number_of(&places, 7, ip, 1), 0);
	remember_page(&places, 7, ip, 3);
	a = number_of(&places, 7, ip, code_who(0, MODE_KERNEL));
	b = number_of(&places, 7, ip, code_who(1, MODE_KERNEL));
	TEST_OK(a && b && a != b);
	TEST_OK(a != number_of(&places, 7, ip + 1, code_who(0, MODE_KERNEL)));
	TEST_OK(a != number_of(&places, 7, ip, code_who(0, MODE_USER)));
	/* events that there are not have no numbers of their own */
	TEST_EQ(code_who(VMMPROF_MAX_EVENTS, MODE_USER), CODE_WHO_NONE);
	TEST_EQ(code_who(255, MODE_KERNEL), CODE_WHO_NONE);
	for (i = 0; i < 2; i++, key.addr++)
		TEST_EQ(profile_add(&code, &key, 1), 0);
	TEST_EQ(note(&code, &filled, &places, 7, ip, code_who(0, MODE_KERNEL),
		     0),
		0);
	TEST_EQ(note(&code, &filled, &places, 7, ip, code_who(1, MODE_KERNEL),
		     1),
		0);
	for (i = 0; i < 5; i++) {
		count = profile_known_pair(&code, a, profile_hash(a));
		TEST_OK(count);
		profile_count_pair(&code, count);
	}
	/* the lines are of another page: what was counted stays where it was */
	code_places_forget(&places);
	remember_page(&places, 8, ip, 3);
	TEST_EQ(number_of(&places, 8, ip, code_who(0, MODE_KERNEL)), a);
	TEST_EQ(note(&code, &filled, &places, 8, ip, code_who(0, MODE_KERNEL),
		     1),
		0);
	TEST_OK(!profile_known_pair(&code, b, profile_hash(b)));
	TEST_EQ(profile_bucket_of(&code, a, profile_hash(a)), 1);
	count = profile_known_pair(&code, a, profile_hash(a));
	TEST_OK(count);
	profile_count_pair(&code, count);
	TEST_EQ(profile_flush(&code, &parts), 0);
	TEST_EQ(profile_flush(&code, &parts), 0);
	TEST_EQ(code.buckets[0].samples, 6);
	TEST_EQ(code.buckets[1].samples, 2);
	TEST_EQ(code.samples, 8);
	profile_deinit(&code);
	code_places_deinit(&places);
	return 0;
}

/* The number of places with what they have, the same both ways. */
static int same_places(const char *data, __u32 guest, size_t *nr, size_t *fewer)
{
	struct hot_places x, y;
	size_t i, with, without;

	TEST_EQ(places(data, false, guest, &x, &with), 0);
	TEST_EQ(places(data, true, guest, &y, &without), 0);
	TEST_EQ(x.nr, y.nr);
	TEST_EQ(x.nr_spots, y.nr_spots);
	TEST_EQ(x.samples, y.samples);
	for (i = 0; i < x.nr; i++) {
		TEST_EQ(x.places[i].start, y.places[i].start);
		TEST_EQ(x.places[i].end, y.places[i].end);
		TEST_EQ(x.places[i].samples, y.places[i].samples);
		TEST_EQ(x.places[i].nr, y.places[i].nr);
		TEST_EQ(x.places[i].key.func, y.places[i].key.func);
		TEST_EQ(x.places[i].key.file, y.places[i].key.file);
	}
	for (i = 0; i < x.nr_spots; i++) {
		TEST_EQ(x.spots[i].addr, y.spots[i].addr);
		TEST_EQ(x.spots[i].samples, y.spots[i].samples);
	}
	*nr += x.nr;
	*fewer += with - without;
	hot_places_deinit(&x);
	hot_places_deinit(&y);
	return 0;
}

TEST(hot_places_are_those_of_buckets_by_address)
{
	size_t nr = 0, fewer = 0;
	__u32 guest;

	for (guest = 0; guest < 3; guest++) {
		TEST_EQ(same_places("small.txt", guest, &nr, &fewer), 0);
		TEST_EQ(same_places("two-guests.txt", guest, &nr, &fewer), 0);
	}
	/* otherwise nothing was compared */
	TEST_OK(nr > 10);
	nr = 0;
	TEST_EQ(same_places("(shared)", 0, &nr, &fewer), 0);
	TEST_EQ(nr, 5);
	/* the kernel's f, b's Made::run, b's main */
	TEST_EQ(fewer, 3);
	return 0;
}
