// SPDX-License-Identifier: BSD-2-Clause
/* symbols/elf.h: what IFUNC symbols are here, against what the loader of this process says. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>

#include "elf_fixture.h"

#if defined(__x86_64__)
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#else
#define LOADER "/lib/ld-linux-aarch64.so.1"
#endif

TestSuite(elf_ifunc, .init = fixture_init);

/*
 * The resolver reads a pointer, which is right only in a file that was relocated; the
 * constructor tells on itself, if it runs.
 */
static const char library[] =
	"#include <fcntl.h>\n#include <stdlib.h>\n"
	"int fast(void) { return 1; }\nint slow(void) { return 2; }\n"
	"static int (*const choice[])(void) = { slow, fast };\n"
	"static int (*const *volatile choices)(void) = choice;\n"
	"static void *choose(void) { return choices[1]; }\n"
	"static void *crash(void) { return *(void **volatile)8; }\n"
	"static void *none(void) { return 0; }\n"
	"static void *other(void) { return getenv; }\n"
	"#define BY(resolver) __attribute__((ifunc(#resolver)))\n"
	"int run(void) BY(choose);\nint bad(void) BY(crash);\n"
	"int nothing(void) BY(none);\nint elsewhere(void) BY(other);\n"
	"__attribute__((constructor)) static void tell(void) { open(WHERE, O_CREAT, 0600); }\n"
	"#ifdef MAIN\nint main(void) { return run() - 1; }\n#endif\n";

static void build(const char *flags, const char *out)
{
	char *command __free = base_printf("$CC -O1 '-DWHERE=\"%s/told\"' %s -o %s lib.c",
					   fixture_dir, flags, out);

	fixture_text("lib.c", library);
	fixture_run(command);
}

static int resolve(struct elf *elf, const char *name, struct elf_ifunc *f, struct err *err)
{
	*f = (struct elf_ifunc){ .symbol = fixture_find(elf, name) };
	cr_assert(f->symbol && f->symbol->ifunc, "%s", name);
	return elf_resolve_ifuncs(elf, f, 1, err);
}

static void expect_fast(struct elf *elf)
{
	struct err err = { .text = "" };
	struct elf_ifunc f;

	cr_assert(!resolve(elf, "run", &f, &err), "%s", err.text);
	cr_assert(!f.failed, "%s", f.failed);
	cr_expect(f.offset == fixture_find(elf, "fast")->offset, "%#lx", (long)f.offset);
	cr_expect(access(fixture_path("told"), F_OK), "no constructor may run");
}

Test(elf_ifunc, is_what_the_resolver_chooses)
{
	static const char *const flags[] = { "-shared -fPIC", "-DMAIN", "-DMAIN -no-pie",
					     "-DMAIN -static", "-DMAIN -static-pie" };

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct elf *elf;

		build(flags[i], "out");
		elf = fixture_open(fixture_path("out"));
		expect_fast(elf);
		elf_close(elf);
	}
}

Test(elf_ifunc, of_a_file_named_without_a_directory)
{
	struct elf *elf;

	build("-shared -fPIC", "out");
	cr_assert(!chdir(fixture_dir));
	elf = fixture_open("out");
	expect_fast(elf);
	elf_close(elf);
}

Test(elf_ifunc, is_resolved_one_by_one)
{
	static const char *const names[] = { "bad", "run", "nothing", "elsewhere", "run", "run" };
	struct elf_ifunc f[ARRAY_SIZE(names)] = { 0 };
	struct err err = { .text = "" };
	struct elf *elf;
	uint64_t fast;

	build("-shared -fPIC", "out");
	elf = fixture_open(fixture_path("out"));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		f[i].symbol = fixture_find(elf, names[i]);
	cr_assert(!elf_resolve_ifuncs(elf, f, ARRAY_SIZE(f), &err), "%s", err.text);
	fast = fixture_find(elf, "fast")->offset;
	cr_expect(f[0].failed && strstr(f[0].failed, "faulted"));
	cr_expect(!f[1].failed && f[1].offset == fast, "one that faults spoils no other");
	cr_expect(f[2].failed && strstr(f[2].failed, "no function"));
	cr_expect(f[3].failed && strstr(f[3].failed, "another file"));
	cr_expect(!f[4].failed && f[4].offset == fast);
	cr_expect(!f[5].failed && f[5].offset == fast, "an alias");
	elf_close(elf);
}

/* The offset in its file of a function of this process. */
static uint64_t offset_here(struct elf *elf, void *function)
{
	struct link_map *map = NULL;
	uint64_t offset = 0;
	Dl_info info;

	cr_assert(dladdr1(function, &info, (void **)&map, RTLD_DL_LINKMAP));
	cr_assert(!elf_offset_of(elf, (uintptr_t)function - map->l_addr, true, &offset));
	return offset;
}

Test(elf_ifunc, is_what_the_loader_binds_libc_to)
{
	static const char *const names[] = { "strlen", "memcpy", "strchr", "memset", "strcmp" };
	struct err err = { .text = "" };
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	struct elf_ifunc f;
	struct link_map *map;
	struct elf *elf;

	cr_assert(libc && !dlinfo(libc, RTLD_DI_LINKMAP, &map));
	elf = fixture_open(map->l_name);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		cr_assert(!resolve(elf, names[i], &f, &err), "%s", err.text);
		cr_assert(!f.failed, "%s: %s", names[i], f.failed);
		cr_expect(f.offset != f.symbol->offset, "%s: not the resolver itself", names[i]);
		cr_expect(f.offset == offset_here(elf, dlsym(libc, names[i])), "%s", names[i]);
	}
	elf_close(elf);
	dlclose(libc);
}

Test(elf_ifunc, cannot_be_known_of_a_file_that_does_not_load)
{
	struct err err = { .text = "" };
	struct elf_ifunc f;
	struct elf *elf;

	fixture_run("echo 'int absent(void) { return 1; }' > dep.c &&\n"
		    "$CC -shared -fPIC -o libdep.so dep.c");
	build("-shared -fPIC -Wl,--no-as-needed -L. -ldep", "out");
	elf = fixture_open(fixture_path("out"));
	cr_expect(resolve(elf, "run", &f, &err) == -ENOTSUP);
	cr_expect(strstr(err.text, "does not load it"), "%s", err.text);
	elf_close(elf);
}

/* In a root of its own with the same loader and C library; takes the right to chroot. */
Test(elf_ifunc, is_resolved_below_another_root)
{
	struct err err = { .text = "" };
	char *copy __free = NULL;
	struct elf_ifunc f;
	struct elf *elf;
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	struct link_map *map;

	if (geteuid())
		cr_skip_test("chroot needs root");
	cr_assert(libc && !dlinfo(libc, RTLD_DI_LINKMAP, &map));
	copy = base_printf("mkdir -p root/opt root/usr root$(dirname " LOADER
			   ") root/lib64 root/lib &&"
			   "cp " LOADER " root" LOADER " && cp %s root/lib64 && cp %s root/lib",
			   map->l_name, map->l_name);
	fixture_run(copy);
	build("-shared -fPIC", "root/opt/out");
	elf = fixture_open_in(fixture_path("root"), fixture_path("root/opt/out"));
	expect_fast(elf);
	fixture_run("rm -r root" LOADER);
	cr_expect(resolve(elf, "run", &f, &err) == -ENOTSUP, "the root's own loader, not ours");
	cr_expect(strstr(err.text, "loader cannot be run"), "%s", err.text);
	elf_close(elf);
	dlclose(libc);
}

/* Foreign code must not run as root: the resolver says who it is by what it chooses. */
Test(elf_ifunc, is_asked_as_the_files_owner)
{
	struct err err = { .text = "" };
	struct elf_ifunc f;
	struct elf *elf;

	if (geteuid())
		cr_skip_test("needs root to become somebody else");
	fixture_text("who.c",
		     "#include <unistd.h>\nint root(void) { return 0; }\n"
		     "int owner(void) { return 1; }\nint group(void) { return 2; }\n"
		     "static void *who(void)\n{\n"
		     "	return getuid() != 1234 ? root : getgid() != 5678 ? group : owner;\n}\n"
		     "int me(void) __attribute__((ifunc(\"who\")));\n");
	fixture_run("$CC -O1 -shared -fPIC -o who who.c && chown 1234:5678 who");
	elf = fixture_open(fixture_path("who"));
	cr_assert(!resolve(elf, "me", &f, &err), "%s", err.text);
	cr_expect(f.offset == fixture_find(elf, "owner")->offset);
	elf_close(elf);
}

Test(elf_ifunc, leaves_no_process)
{
	struct err err = { .text = "" };
	struct elf_ifunc f;
	struct elf *elf;
	int status;

	build("-shared -fPIC", "out");
	elf = fixture_open(fixture_path("out"));
	cr_assert(!resolve(elf, "run", &f, &err), "%s", err.text);
	cr_assert(!resolve(elf, "bad", &f, &err), "%s", err.text);
	cr_expect(waitpid(-1, &status, __WALL | WNOHANG) == -1 && errno == ECHILD);
	elf_close(elf);
}
