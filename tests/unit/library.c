// SPDX-License-Identifier: BSD-2-Clause
/* binary/library.h: finds libraries and programs by name in our root, in another root and in a process. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "binary_fixture.h"
#include "binary/library.h"
#include "binary/library_search.h"

TestSuite(library, .init = fixture_init);

static struct library find(const char *name, pid_t pid)
{
	struct library lib;
	struct err err = { .text = "" };
	int ret = library_find(name, pid, &lib, &err);

	cr_assert(!ret, "%s: %s", name, err.text);
	return lib;
}

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return !stat(a, &sa) && !stat(b, &sb) && sa.st_ino == sb.st_ino && sa.st_dev == sb.st_dev;
}

/* A shared library at each of the names. */
static void make_libraries(const char *names)
{
	char *command __free = base_printf("echo 'int f(void) { return 1; }' > f.c &&\n"
					   "$CC -shared -fPIC -o f f.c && for i in %s; do\n"
					   "mkdir -p $(dirname $i) && cp f $i || exit; done",
					   names);

	fixture_run(command);
}

Test(library, names_match_their_files)
{
	static const struct {
		const char *file, *name;
		bool matches;
	} cases[] = {
		{ "libc.so.6", "c", true },
		{ "libc.so", "c", true },
		{ "libc-2.31.so", "c", true },
		{ "ld-musl-x86_64.so.1", "c", true },
		{ "libc.so.6", "libc", true },
		{ "libc.so.6", "libc.so.6", true },
		{ "libstdc++.so.6.0.30", "stdc++", true },
		{ "libc.so.6", "libc.so", false },
		{ "libcrypt.so.1", "c", false },
		{ "libc-client.so", "c", false },
		{ "libc.something", "c", false },
		{ "libc-2.31.sox", "c", false },
		{ "libc.a", "c", false },
		{ "ld-musl-x86_64.so.1", "m", false },
		{ "lib.so", "", false },
		{ "lib", "lib", true },
		{ "libx.so", "lib", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		cr_expect(library_name_matches(cases[i].file, cases[i].name) == cases[i].matches,
			  "%s %s", cases[i].file, cases[i].name);
}

Test(library, finds_what_this_machine_has)
{
	struct library lib = find("c", 0);
	char *path __free = NULL;

	cr_expect(!binary_check(NULL, lib.path, NULL), "%s", lib.path);
	cr_expect(strstr(lib.path, "libc.so") || strstr(lib.path, "musl"), "%s", lib.path);
	cr_expect(!strcmp(lib.path, lib.shown) && !lib.root);
	library_release(&lib);
	cr_expect(!lib.path);

	make_libraries("prog");
	path = base_printf("%s:%s", fixture_dir, getenv("PATH"));
	setenv("PATH", path, 1);
	lib = find("prog", 0);
	cr_expect(!strcmp(lib.path, fixture_path("prog")), "%s", lib.path);
	library_release(&lib);
	lib = find(fixture_path("prog"), 0);
	cr_expect(!strcmp(lib.path, fixture_path("prog")), "%s", lib.path);
	library_release(&lib);
}

Test(library, says_what_is_not_there)
{
	struct library lib;
	struct err err = { .text = "" };

	cr_expect(library_find("no-such-thing", 0, &lib, &err) == -ENOENT);
	cr_expect(strstr(err.text, "'no-such-thing' in /etc/ld.so.cache"), "%s", err.text);
	cr_expect(library_find("no-such-thing", getpid(), &lib, &err) == -ENOENT);
	cr_expect(strstr(err.text, "has not mapped it"), "%s", err.text);
	cr_expect(library_find("/no/such/thing", 0, &lib, &err) == -ENOENT);
	cr_expect(strstr(err.text, "/no/such/thing"), "%s", err.text);
	cr_expect(library_find("c", 0x7ffffff0, &lib, &err) == -ESRCH);
	cr_expect(strstr(err.text, "no process"), "%s", err.text);
	cr_expect(!lib.path && !lib.shown && !lib.root);
	library_release(&lib);
}

static void expect_search(const char *name, const char *want)
{
	char *got __free = library_search(fixture_path("root"), name);

	cr_expect(want ? got && !strcmp(got, want) : !got, "%s: %s", name, got ? got : "nothing");
}

Test(library, searches_below_a_root_without_a_cache)
{
	make_libraries(
		"root/usr/lib/libz.so.1 root/usr/lib/libz.so.1.9 root/usr/lib/libz.so.1.13 "
		"root/lib/ld-musl-x86_64.so.1 root/usr/local/bin/tool root/usr/lib/liby.so.2");
	setenv("PATH", "/bin:/usr/local/bin:/usr/bin", 1);
	fixture_run("echo 'INPUT(liby.so.2)' > root/usr/lib/liby.so.3 && mkdir root/bin && touch "
		    "root/bin/tool");
	expect_search("z", "/usr/lib/libz.so.1.13");
	expect_search("libz.so.1.9", "/usr/lib/libz.so.1.9");
	expect_search("y", "/usr/lib/liby.so.2");
	expect_search("c", "/lib/ld-musl-x86_64.so.1");
	expect_search("tool", "/usr/local/bin/tool");
	expect_search("nothing", NULL);
	expect_search("ssl", NULL);
}

/* An absolute link in a container leads into the container, never to our file of that name. */
Test(library, resolves_links_within_the_root)
{
	char *path __free = NULL, *out __free = NULL;

	make_libraries("root/opt/libz.so.1 root/usr/lib/keep root/passwd");
	fixture_run("ln -s /opt root/lib && ln -s /etc/passwd root/opt/liby.so && "
		    "ln -s ../../../../../../passwd root/up");
	path = library_resolve(fixture_path("root"), "/lib/libz.so.1");
	cr_expect(path && !strcmp(path, "/opt/libz.so.1"), "%s", path);
	expect_search("z", "/opt/libz.so.1");
	expect_search("y", NULL);
	out = library_resolve(fixture_path("root"), "/up");
	cr_expect(out && !strcmp(out, "/passwd"), "%s", out);
	cr_expect(!library_resolve(fixture_path("root"), "/absent"));
}

/* Starts a process that has mapped a file like a loader. root: a root of its own, or NULL. */
static pid_t start_mapper(const char *root, const char *file)
{
	int ready[2];
	char c;
	pid_t pid;

	cr_assert(!pipe(ready));
	pid = fork();
	if (!pid) {
		int fd;

		prctl(PR_SET_PDEATHSIG, SIGKILL); /* ends also if the test fails */
		if (root && (chroot(root) || chdir("/")))
			_exit(1);
		fd = open(file, O_RDONLY);
		if (fd < 0 ||
		    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			_exit(1);
		close(fd);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	cr_assert(pid > 0 && read(ready[0], &c, 1) == 1, "the process has not started");
	close(ready[0]);
	return pid;
}

static void stop_mapper(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

Test(library, is_what_the_process_has_mapped)
{
	struct library lib;
	pid_t pid;

	make_libraries("libsonde-test.so.3");
	pid = start_mapper(NULL, fixture_path("libsonde-test.so.3"));
	lib = find("sonde-test", pid);
	cr_expect(!strcmp(lib.path, fixture_path("libsonde-test.so.3")), "%s", lib.path);
	cr_expect(!strcmp(lib.path, lib.shown) && !lib.root);
	library_release(&lib);
	stop_mapper(pid);
}

Test(library, is_the_mapped_file_when_another_has_its_name)
{
	struct library lib;
	pid_t pid;

	if (geteuid())
		cr_skip_test("/proc/PID/map_files needs root");
	make_libraries("libsonde-test.so.3");
	fixture_run("ln libsonde-test.so.3 kept");
	pid = start_mapper(NULL, fixture_path("libsonde-test.so.3"));
	for (int replaced = 0; replaced < 2; replaced++) {
		fixture_run(replaced ? "cp f libsonde-test.so.3" : "rm libsonde-test.so.3");
		lib = find("sonde-test", pid);
		cr_expect(same_file(lib.path, fixture_path("kept")), "%s", lib.path);
		library_release(&lib);
	}
	stop_mapper(pid);
}

Test(library, is_opened_in_the_processs_root)
{
	char *root __free = NULL;
	struct library lib;
	pid_t pid;

	if (geteuid())
		cr_skip_test("chroot needs root");
	make_libraries("root/opt/libsonde-test.so.3 root/usr/lib/libfallback.so.1 root/bin/tool");
	fixture_run("ln -s /opt/libsonde-test.so.3 root/link");
	pid = start_mapper(fixture_path("root"), "/opt/libsonde-test.so.3");
	root = base_printf("/proc/%d/root", (int)pid);
	static const char *const names[] = { "sonde-test", "/link", "fallback" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *shown =
			i == 2 ? "/usr/lib/libfallback.so.1" : "/opt/libsonde-test.so.3";
		char *path __free = base_printf("%s%s", root, shown);

		lib = find(names[i], pid);
		cr_expect(!strcmp(lib.shown, shown), "%s", lib.shown);
		cr_expect(lib.root && !strcmp(lib.root, root), "%s", lib.root);
		cr_expect(!strcmp(lib.path, path), "%s", lib.path);
		cr_expect(!access(lib.path, R_OK));
		library_release(&lib);
	}
	stop_mapper(pid);
}

Test(library, exe_is_the_processs_program)
{
	struct library lib = find("exe", getpid()), named;
	char *base __free = NULL;

	cr_expect(same_file(lib.path, "/proc/self/exe"), "%s", lib.path);
	cr_expect(!lib.root);
	base = base_strdup(strrchr(lib.shown, '/') + 1);
	named = find(base, getpid());
	cr_expect(same_file(named.path, "/proc/self/exe"), "%s", named.path);
	library_release(&named);
	library_release(&lib);
}

/* The library to which a program below root (NULL: ours) is linked; NULL: none. The caller frees it. */
static char *needed(const char *root, const char *shown)
{
	char *path __free = base_printf("%s%s", root ? root : "", shown);
	struct library lib = { .path = path, .shown = (char *)shown, .root = (char *)root };
	struct err err = { .text = "" };
	char *name;
	int ret = library_needed(&lib, "libsonde-dep", &name, &err);

	cr_expect(ret ? ret == -ENOENT && !name && strstr(err.text, "not linked to libsonde-dep") : !!name, "%s",
		  err.text);
	return name;
}

static void expect_needed(const char *root, const char *shown, const char *want)
{
	char *got __free = needed(root, shown);

	cr_expect(want ? got && !strcmp(got, want) : !got, "%s: %s", shown, got ? got : "nothing");
}

Test(library, is_linked_to_others)
{
	char *bin __free = base_printf("%s/root/bin/up", fixture_dir);
	char *up __free = base_printf("%s/root/bin/../opt/libsonde-dep.so.3", fixture_dir);

	fixture_run("mkdir -p root/opt root/bin && echo 'int f(void) { return 1; }' > f.c && "
		    "echo 'int f(void); int main(void) { return f(); }' > p.c && "
		    "$CC -shared -fPIC -Wl,-soname,libsonde-dep.so.3 -o root/opt/libsonde-dep.so.3 f.c && "
		    "link() { $CC -o root/bin/$1 p.c root/opt/libsonde-dep.so.3 $2; } && link none && "
		    "link up '-Wl,-rpath,/nowhere:$ORIGIN/../opt' && link braces '-Wl,-rpath,${ORIGIN}/../opt' && "
		    "link old '-Wl,--disable-new-dtags -Wl,-rpath,/opt' && link absent '-Wl,-rpath,/nowhere'");
	expect_needed(NULL, bin, up);
	expect_needed(fixture_path("root"), "/bin/none", "libsonde-dep.so.3");
	expect_needed(fixture_path("root"), "/bin/absent", "libsonde-dep.so.3");
	expect_needed(fixture_path("root"), "/bin/up", "/opt/libsonde-dep.so.3");
	expect_needed(fixture_path("root"), "/bin/braces", "/opt/libsonde-dep.so.3");
	expect_needed(fixture_path("root"), "/bin/old", "/opt/libsonde-dep.so.3");
	expect_needed(fixture_path("root"), "/opt/libsonde-dep.so.3", NULL);
}

Test(library, that_is_none_is_linked_to_nothing)
{
	struct library lib = { .path = (char *)"/no/such", .shown = (char *)"/no/such" };
	struct err err = { .text = "" };
	char *name;

	cr_expect(library_needed(&lib, "libc", &name, &err) == -ENOENT && strstr(err.text, "/no/such: "), "%s",
		  err.text);
	lib.path = lib.shown = (char *)"/etc/passwd";
	cr_expect(library_needed(&lib, "libc", &name, &err) == -ENOEXEC, "%s", err.text);
}
