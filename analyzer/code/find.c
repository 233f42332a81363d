// SPDX-License-Identifier: GPL-2.0-only
/* Tries the places where the bytes of a function may be, in turn. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "code/find.h"
#include "sym/debug_path.h"

/* Modules and BPF programs are elsewhere. */
#define KERNEL_TEXT 0xffffffff80000000ull

struct wanted {
	struct analysis *a;
	struct machine *m;
	const struct hot_place *p;
	const __u8 *build_id;
	size_t build_id_size;
	__u64 text; /* a kernel's first function; 0: a file of user space */
	/* of the host's: what was mapped where the samples are */
	const struct vmmprof_maps_file *own;
	struct code_found *ret;
	int flags;   /* with which the file that has the code was opened */
	int error;   /* that tells most of why no file is the one */
	bool served; /* a server has it */
};

/* Takes the code from the file, if it is the right one. */
static bool try_file(struct wanted *w, const char *path, int flags)
{
	const struct hot_place *p = w->p;
	struct code_found *f = w->ret;
	int err;

	if (w->text)
		err = code_read_kernel(path, w->build_id, w->build_id_size,
				       w->text, p->start, p->end, &f->code,
				       &f->slide);
	else
		err = code_read(path, flags, w->build_id, w->build_id_size,
				p->start, p->end, &f->code);
	if (err == -EACCES || err == -ENXIO || err == -ENODATA)
		w->error = w->error ?: err;
	if (err)
		return false;
	snprintf(f->from, sizeof(f->from), "%s", path);
	w->flags = flags;
	f->patched = w->text;
	return true;
}

/* Files that the user named. */
static bool try_named(struct wanted *w, const struct code_files *files)
{
	size_t i;

	for (i = 0; i < files->nr; i++)
		if (try_file(w, files->paths[i], 0))
			return true;
	return false;
}

/* The file may be a complete one. */
static bool try_debug_directory(struct wanted *w)
{
	char path[PATH_MAX];
	unsigned int i;
	int err;

	for (i = 0; (err = debug_path_try(i, w->build_id, w->build_id_size,
					  path, sizeof(path))) != -ENOENT;
	     i++)
		if (!err && try_file(w, path, 0))
			return true;
	return false;
}

/* Of what was root's when it was mapped nobody else's word is taken now. */
static int flags_of(const struct vmmprof_maps_file *item)
{
	return item->flags & VMMPROF_FILE_F_ROOT ? OPEN_OF_ROOT : 0;
}

/*
 * The next file with this build-id that the host had mapped, its own or the
 * same as a guest's; NULL: no more.  Anybody can write a build-id: another
 * file than the samples' own counts only if root alone could write it.
 */
static const char *next_of_host(const struct wanted *w, size_t *i, int *flags)
{
	struct machine *host = w->a->resolver.machines[0];
	const struct vmmprof_maps_file *item;

	while (host && !host->no_files && w->build_id_size &&
	       *i < host->bundle.nr_files) {
		item = host->bundle.files[(*i)++].item;
		*flags = flags_of(item);
		/* only absolute paths: they are from the host's root */
		if (*item->path == '/' && (item == w->own || *flags) &&
		    item->build_id_size == w->build_id_size &&
		    !memcmp(item->build_id, w->build_id, w->build_id_size))
			return item->path;
	}
	return NULL;
}

static bool try_host(struct wanted *w)
{
	const char *path;
	size_t i = 0;
	int flags;

	while ((path = next_of_host(w, &i, &flags)))
		if (try_file(w, path, flags))
			return true;
	return false;
}

static void say_server(struct wanted *w, int err)
{
	snprintf(w->ret->server, sizeof(w->ret->server), "%s",
		 code_server_why(err));
}

/* From a debuginfod server; the file is then used like others. */
static bool try_server(struct wanted *w, enum debuginfod_kind kind)
{
	char name[128];
	int err;

	if (!w->build_id_size)
		return false;
	err = code_server_get(&w->ret->id, kind, name, sizeof(name));
	say_server(w, err);
	w->served |= !err;
	return !err && try_file(w, name, 0);
}

/* The code that the guest sent in its bundle. */
static bool try_bundle(struct wanted *w, __u32 file, __u64 addr)
{
	struct code_found *f = w->ret;
	const __u8 *code;
	size_t size;
	void *copy;
	bool ia32;

	code = bundle_code(&w->m->bundle, file, addr, &size, &ia32);
	if (w->m->host || !code)
		return false;
	if (size > w->p->end - w->p->start)
		size = w->p->end - w->p->start;
	copy = malloc(size);
	if (!copy)
		return false;
	memcpy(copy, code, size);
	code_free(&f->code);
	f->code = (struct code){ copy, size, ia32 };
	f->bundle = true;
	f->patched = false;
	snprintf(f->from, sizeof(f->from), "the guest's bundle");
	return true;
}

/* The same by a link address of its file. */
static bool try_bundle_file(struct wanted *w, const struct bundle_file *bf)
{
	__u64 offset;

	return symbols_offset(&w->m->files[bf - w->m->bundle.files].symbols,
			      w->p->start, &offset) &&
	       try_bundle(w, bf->item->id, offset);
}

/*
 * If the host's kernel still runs since the session was recorded, its memory
 * has code that a file lacks (patched instructions).
 */
static bool try_memory(struct wanted *w, const struct code_files *files)
{
	struct code_found *f = w->ret;
	size_t size = w->p->end - w->p->start;
	char then[64];
	ssize_t n;
	void *copy;

	text_get(&w->m->bundle.text, "boot_id", then, sizeof(then));
	if (!w->m->host || !*then || !files->kernel)
		return false;
	if (size > CODE_MAX)
		size = CODE_MAX;
	copy = malloc(size);
	n = copy ? kernel_text_get(files->kernel, then, w->p->start, copy,
				   size) :
		   -ENOMEM;
	if (n <= 0) {
		free(copy);
		return false;
	}
	code_free(&f->code);
	f->code = (struct code){ copy, n, false };
	f->patched = false;
	snprintf(f->from, sizeof(f->from), "%s", VMMPROF_KCORE);
	return true;
}

static bool try_vmlinux(struct wanted *w)
{
	char release[80], path[160];
	unsigned int i;
	int err;

	text_get(&w->m->bundle.text, "release", release, sizeof(release));
	/* Text from a guest must not become part of a path. */
	for (i = 0;
	     w->m->host && (err = debug_path_vmlinux(i, release, path,
						     sizeof(path))) != -ENOENT;
	     i++)
		if (!err && try_file(w, path, 0))
			return true;
	return false;
}

static __u64 first_function(const struct kallsyms *k)
{
	size_t i;

	for (i = 0; i < k->nr; i++)
		if (!k->syms[i].module && k->syms[i].addr >= KERNEL_TEXT)
			return k->syms[i].addr;
	return 0;
}

static void say(struct code_found *f, const char *why)
{
	snprintf(f->why, sizeof(f->why), "%s", why);
}

/* What the user can do about it, by what is missing. */
static void say_missing(struct wanted *w)
{
	char hex[2 * ELFFILE_BUILD_ID_MAX + 1];
	struct code_found *f = w->ret;

	hex_put(hex, sizeof(hex), w->build_id, w->build_id_size);
	if (!w->build_id_size)
		snprintf(
			f->why, sizeof(f->why),
			"the session has no build-id of it, by which its file could be known");
	else if (w->error == -EACCES)
		snprintf(
			f->why, sizeof(f->why),
			"its file may not be read here: name it with --code-from (build-id %s)",
			hex);
	else if (w->error == -ENXIO)
		snprintf(
			f->why, sizeof(f->why),
			"vmlinux of build-id %s has no function there: the session's kallsyms do not fit it",
			hex);
	else if (w->error == -ENODATA)
		snprintf(
			f->why, sizeof(f->why),
			"the file of build-id %s has none there; a debug file? Name the one that ran with --code-from",
			hex);
	else
		snprintf(
			f->why, sizeof(f->why),
			"no file of build-id %s: copy %s here and name it with --code-from%s",
			hex,
			w->text ? "that kernel's vmlinux" :
				  "the program or library",
			w->m->host ?
				"" :
				"; `vmmprof record` fetches what is hot, of guests that it can ask");
}

static int fetch_source(void *arg, const char *path)
{
	return code_server_source(arg, path);
}

/* What several programs share of it; where that is missing names are. */
static void ask_for_shared(struct wanted *w)
{
	struct code_found *f = w->ret;
	struct code_id id = f->id;
	__u8 build_id[ELFFILE_BUILD_ID_MAX];
	char name[128];
	int err;

	id.build_id = build_id;
	id.size = debuginfo_lacks(f->dwarf, build_id, sizeof(build_id));
	if (!id.size)
		return;
	err = code_server_get(&id, DEBUGINFOD_DEBUGINFO, name, sizeof(name));
	say_server(w, err);
	if (!err)
		debuginfo_share(f->dwarf, name, build_id, id.size);
}

static void ask_for_dwarf(struct wanted *w)
{
	struct code_found *f = w->ret;
	char name[128];
	int err;

	err = code_server_get(&f->id, DEBUGINFOD_DEBUGINFO, name, sizeof(name));
	say_server(w, err);
	if (err)
		return;
	w->served = true;
	f->dwarf = debuginfo_open(name, 0, w->build_id, w->build_id_size);
	if (!f->dwarf)
		snprintf(
			f->server, sizeof(f->server),
			"the file that a server has is without debugging information");
}

/*
 * Of the file that has the code, a file the user named, a separate file, one
 * that the host had mapped, a server.  That is told the path of a source file
 * only where it knows the program.
 */
static void open_dwarf(struct wanted *w, const struct code_files *files)
{
	struct code_found *f = w->ret;
	const char *path;
	size_t i;
	int flags;

	f->dwarf = debuginfo_open(f->code.size && !f->bundle ? f->from : NULL,
				  w->flags, w->build_id, w->build_id_size);
	for (i = 0; i < files->nr && !f->dwarf; i++)
		f->dwarf = debuginfo_open(files->paths[i], 0, w->build_id,
					  w->build_id_size);
	for (i = 0;
	     f->bundle && !f->dwarf && (path = next_of_host(w, &i, &flags));)
		f->dwarf = debuginfo_open(path, flags, w->build_id,
					  w->build_id_size);
	if (!f->dwarf && w->build_id_size)
		ask_for_dwarf(w);
	if (f->dwarf)
		ask_for_shared(w);
	/* a path in a guest's file does not name a file of this machine */
	if (f->dwarf)
		debuginfo_sources(f->dwarf, !w->p->key.guest,
				  w->served ? fetch_source : NULL, &f->id);
}

/* Whose files they are, for a server. */
static void identify(struct wanted *w, const struct code_files *files)
{
	struct code_found *f = w->ret;

	/* kept for as long as the debugging information */
	memmove(f->build_id, w->build_id, w->build_id_size);
	w->build_id = f->build_id;
	f->id = (struct code_id){
		.server = files->server,
		.guest = w->p->key.guest,
		.build_id = f->build_id,
		.size = w->build_id_size,
	};
}

/*
 * Debugging information without the code: how far the kernel was moved follows
 * from the address of the function in it.
 */
static void open_dwarf_of(struct wanted *w, const struct ksym *s,
			  const struct code_files *files)
{
	struct code_found *f = w->ret;
	char name[256];
	__u64 addr;

	open_dwarf(w, files);
	if (!f->dwarf)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)s->name_len, s->name);
	if (debuginfo_function(f->dwarf, name, &addr)) {
		f->slide = s->addr - addr;
	} else {
		debuginfo_close(f->dwarf);
		f->dwarf = NULL;
	}
}

static void find_kernel(struct wanted *w, const struct code_files *files)
{
	const struct ksym *s;
	bool found = false;

	s = kallsyms_find(&w->m->kallsyms, w->p->start);
	if (s && (s->module || w->p->start >= KERNEL_TEXT)) {
		w->build_id = w->ret->build_id;
		w->build_id_size = kernel_build_id(&w->m->bundle, s,
						   w->ret->build_id);
	}
	if (s && !s->module && w->p->start >= KERNEL_TEXT) {
		w->text = first_function(&w->m->kallsyms);
		identify(w, files);
		/* a vmlinux that is a debug file has code as well */
		found = try_named(w, files) || try_vmlinux(w) ||
			try_debug_directory(w) ||
			try_server(w, DEBUGINFOD_DEBUGINFO);
	} else if (s && s->module) {
		identify(w, files);
	}
	if (found)
		open_dwarf(w, files);
	else if (w->build_id_size)
		open_dwarf_of(w, s, files);
	if (try_memory(w, files) || try_bundle(w, VMMPROF_NONE, w->p->start) ||
	    found)
		return;
	if (w->text)
		say_missing(w);
	else if (w->m->host)
		say(w->ret,
		    "code of a module: /proc/kcore alone has it, for root and sessions of root's, until the next boot");
	else
		say(w->ret,
		    "code of a guest's module: `vmmprof record` fetches what is hot, of guests that it can ask; no file has it as it was loaded");
}

static void find_user(struct wanted *w, const struct bundle_file *bf,
		      const struct code_files *files)
{
	w->build_id = bf->item->build_id;
	w->build_id_size = bf->item->build_id_size;
	w->own = w->m->host ? bf->item : NULL;
	identify(w, files);
	if (!try_named(w, files) && !try_bundle_file(w, bf) && !try_host(w) &&
	    !try_debug_directory(w) && !try_server(w, DEBUGINFOD_EXECUTABLE))
		say_missing(w);
	open_dwarf(w, files);
}

/* The kernel patches its code: bytes of the file may not be those that ran. */
static void ask_guest(struct code_found *f, const struct hot_place *p,
		      const struct code_files *files)
{
	const char *why;

	if (f->code.size && !f->bundle && !f->patched)
		return;
	why = files->fetch(files->fetch_arg, p, f->bundle);
	if (why && !f->code.size)
		say(f, why);
}

void code_find(struct analysis *a, const struct hot_place *p,
	       const struct code_files *files, struct code_found *ret)
{
	struct wanted w = {
		.a = a,
		.m = a->resolver.machines[p->key.guest],
		.p = p,
		.ret = ret,
	};
	const struct bundle_file *bf;

	memset(ret, 0, sizeof(*ret));
	bf = p->key.file == VMMPROF_NONE ?
		     NULL :
		     bundle_find_file(&w.m->bundle, p->key.file);
	if (!p->end)
		say(ret, "made while it ran: no file has its code");
	else if (bf)
		find_user(&w, bf, files);
	else
		find_kernel(&w, files);
	if (p->end && p->key.guest && files->fetch)
		ask_guest(ret, p, files);
	ret->no_lines = ret->bundle && !ret->dwarf && w.build_id_size;
}

char *code_name(struct analysis *a, const struct hot_place *p, __u64 addr)
{
	struct machine *m = a->resolver.machines[p->key.guest];
	const struct bundle_file *bf;
	const struct symbols *t;
	const struct ksym *s;
	size_t i;

	if (p->key.file == VMMPROF_NONE) {
		s = kallsyms_find(&m->kallsyms, addr);
		return s ? strndup(s->name, s->name_len) : NULL;
	}
	bf = bundle_find_file(&m->bundle, p->key.file);
	if (!bf)
		return NULL;
	i = bf - m->bundle.files;
	t = machine_symbols(m, i, addr);
	return symbols_name(
		t, strings_get(&a->resolver.strings, m->files[i].module), addr);
}

void code_found_deinit(struct code_found *f)
{
	code_free(&f->code);
	debuginfo_close(f->dwarf);
	memset(f, 0, sizeof(*f));
}
