// SPDX-License-Identifier: BSD-2-Clause
/* binary/binary.h: finds implementations of IFUNCs in processes, compared with the loader of this process. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>

#include "binary_fixture.h"
#include "binary/asker.h"
#include "binary/bound.h"
#include "binary/trusted.h"

TestSuite(binary_ifunc, .init = fixture_init);

/*
 * A library with an IFUNC. Its resolver creates a directory, "mark", when it runs. It calls no function of another
 * library, which may not be relocated yet.
 */
static const char library[] =
	"#include <fcntl.h>\n#include <sys/syscall.h>\n"
	"int fast(void) { return 1; }\nint slow(void) { return 2; }\n"
	"static int (*const choice[])(void) = { slow, fast };\n"
	"static int (*const *volatile choices)(void) = choice;\n"
	"static void *choose(void)\n{\n"
	"#ifdef __x86_64__\n"
	"	long ret = SYS_mkdir;\n"
	"	__asm__ volatile(\"syscall\" : \"+a\"(ret) : \"D\"(WHERE), \"S\"(0700) : \"rcx\", \"r11\", \"memory\");\n"
	"#else\n"
	"	register long x8 __asm__(\"x8\") = SYS_mkdirat, x0 __asm__(\"x0\") = AT_FDCWD, x2 __asm__(\"x2\") = 0700;\n"
	"	register const char *x1 __asm__(\"x1\") = WHERE;\n"
	"	__asm__ volatile(\"svc #0\" : \"+r\"(x0) : \"r\"(x8), \"r\"(x1), \"r\"(x2) : \"memory\");\n"
	"#endif\n"
	"	return choices[1];\n}\n"
	"int run(void) __attribute__((ifunc(\"choose\")));\n";

/* A program that uses the library in some way, reports that, and waits until it is killed. */
static const char program[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <sys/mman.h>\n"
	"extern int run(void), fast(void);\n"
	"#ifdef POINTER\n"
	"__attribute__((aligned(65536))) struct { void *v; char rest[65528]; } pointer = { run, \"\" };\n#endif\n"
	"int main(void)\n{\n"
	"	USE;\n	puts(\"ready\");\n	fflush(stdout);\n	for (;;)\n		pause();\n}\n";

/* Compiles library.c, with or without use.c, to out. */
static void build(const char *flags, const char *out)
{
	char *command __free = base_printf("$CC -O1 '-DWHERE=\"%s/mark\"' %s -o %s", fixture_dir, flags, out);

	fixture_text("library.c", library);
	fixture_text("use.c", program);
	fixture_run(command);
}

/* A library, and a program that is linked to it. */
static void build_both(const char *flags)
{
	char *linked __free = base_printf("%s use.c -L. -l:lib.so '-Wl,-rpath,$ORIGIN'", flags);

	build("-shared -fPIC library.c", "lib.so");
	build(linked, "user");
}

static pid_t running;

static void stop(void)
{
	if (running > 0) {
		kill(running, SIGKILL);
		waitpid(running, NULL, 0);
	}
	running = 0;
}

/* Starts a program of the directory, waits until it is ready, and removes the mark of its resolver. */
static pid_t start(const char *name)
{
	int out[2];
	char c;

	stop();
	cr_assert(!pipe(out));
	running = fork();
	if (!running) {
		alarm(60);
		dup2(out[1], 1);
		close(out[0]);
		execl(fixture_path(name), name, NULL);
		_exit(1);
	}
	atexit(stop);
	close(out[1]);
	cr_assert(read(out[0], &c, 1) == 1, "%s does not run", name);
	close(out[0]);
	cr_assert(!rmdir(fixture_path("mark")), "the resolver leaves no mark");
	return running;
}

static struct binary_ifunc resolve(struct binary *binary, pid_t pid, const char *name)
{
	struct binary_ifunc f = { .symbol = fixture_find(binary, name) };

	cr_assert(f.symbol && f.symbol->ifunc, "%s", name);
	binary_resolve_ifuncs(binary, pid, &f, 1);
	return f;
}

/*
 * The implementation of run() in a file: "fast", or NULL if it is unknown. Checks that no code of the file was
 * executed.
 */
static void expect_run(const char *file, pid_t pid, const char *is)
{
	struct binary *binary = fixture_open(fixture_path(file));
	struct binary_ifunc f = resolve(binary, pid, "run");

	if (is)
		cr_expect(!f.failed && f.offset == fixture_find(binary, is)->offset, "%s: %s, %#lx", file, f.failed,
			  (long)f.offset);
	else
		cr_expect(f.failed == bound_unknown, "%s: %s, %#lx", file, f.failed, (long)f.offset);
	cr_expect(access(fixture_path("mark"), F_OK), "the resolver was run");
	binary_close(binary);
}

Test(binary_ifunc, of_a_program_that_runs)
{
	static const char *const flags[] = { "", "-no-pie", "-static", "-static-pie" };

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		char *all __free = base_printf("-DUSE='run()' %s library.c use.c", flags[i]);

		build(all, "out");
		expect_run("out", 0, NULL);
		start("out");
		expect_run("out", running, "fast");
		expect_run("out", 0, "fast");
		stop();
	}
}

Test(binary_ifunc, of_a_library_by_the_slots_of_others)
{
	static const char *const flags[] = {
		"-DUSE='run()'",
		"-DUSE='run()' -no-pie",
		"-DUSE='run()' -Wl,-z,now",
		"-DPOINTER -DUSE= -fPIC",
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		build_both(flags[i]);
		start("user");
		expect_run("lib.so", running, "fast");
		expect_run("lib.so", 0, "fast");
		stop();
		expect_run("lib.so", 0, NULL);
	}
}

/* The slot still points into the PLT of the program. */
Test(binary_ifunc, of_a_library_that_was_not_called_yet)
{
	build_both("-DUSE='if (getenv(\"NEVER\")) run()' -Wl,-z,lazy");
	/* only binding runs the resolver, which makes the mark */
	cr_assert(!mkdir(fixture_path("mark"), 0700));
	start("user");
	expect_run("lib.so", running, NULL);
}

/* A process that points its slots at something other than the begin of a function in the file is ignored. */
Test(binary_ifunc, of_a_process_that_lies)
{
	static const char *const lies[] = {
		"pointer.v = (char *)pointer.v + 1",
		"pointer.v = (void *)getenv",
		"pointer.v = (void *)main",
		"pointer.v = &pointer",
		"pointer.v = (void *)-1",
		"pointer.v = 0",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		char *flags __free = base_printf("-DPOINTER -fPIC -DUSE='%s'", lies[i]);

		build_both(flags);
		start("user");
		expect_run("lib.so", running, NULL);
	}
	build_both("-DPOINTER -fPIC -DUSE='pointer.v = (void *)fast'");
	start("user");
	expect_run("lib.so", running, "fast");
}

/* A page that userfaultfd would have to provide is not read: waiting for it would end this test by alarm(). */
Test(binary_ifunc, of_a_process_whose_page_does_not_come)
{
	fixture_text("fault.h",
		     "#include <fcntl.h>\n#include <linux/userfaultfd.h>\n#include <stdlib.h>\n#include <sys/ioctl.h>\n"
		     "#include <sys/mman.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n"
		     "static void fault(void *at, unsigned long size)\n{\n"
		     "	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);\n"
		     "	struct uffdio_api api = { .api = UFFD_API };\n"
		     "	struct uffdio_register r = { { (unsigned long)at, size }, UFFDIO_REGISTER_MODE_MISSING, 0 };\n"
		     "	if (madvise(at, size, MADV_DONTNEED) ||\n"
		     "	    mmap(at, size, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != at ||\n"
		     "	    fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &r))\n"
		     "		_exit(77);\n}\n");
	build_both("-DPOINTER -fPIC -include fault.h -DUSE='fault(&pointer, sizeof(pointer))'");
	start("user");
	alarm(20);
	expect_run("lib.so", running, NULL);
	alarm(0);
}

/*
 * Slots are read from anonymous pages only. A page of a file is not read: its file system may be hostile.
 */
Test(binary_ifunc, of_a_process_whose_slot_is_a_files)
{
	fixture_text("file.h", "#include <stdio.h>\n#include <sys/mman.h>\n"
			       "static int file(void *at, unsigned long size)\n{\n"
			       "	FILE *f = tmpfile();\n"
			       "	return fwrite(at, size, 1, f) != 1 || fflush(f) ||\n"
			       "	       mmap(at, size, PROT_READ, MAP_FIXED | MAP_PRIVATE, fileno(f), 0) != at ||\n"
			       "	       !*(volatile char *)at;\n}\n");
	build_both("-DPOINTER -fPIC -include file.h -DUSE='if (file(&pointer, sizeof(pointer))) return 1'");
	start("user");
	expect_run("lib.so", running, NULL);
}

/* The file offset of a function of this process. */
static uint64_t offset_here(struct binary *binary, void *function)
{
	struct link_map *map = NULL;
	uint64_t offset = 0;
	Dl_info info;

	cr_assert(dladdr1(function, &info, (void **)&map, RTLD_DL_LINKMAP));
	cr_assert(!binary_offset_of(binary, (uintptr_t)function - map->l_addr, true, &offset));
	return offset;
}

/* For a library, every way to find the implementations gives what the loader of this process has chosen. */
static void expect_as_here(const char *file, const char *const *names, size_t n, pid_t pid)
{
	void *library = dlopen(file, RTLD_NOW);
	struct link_map *map;
	struct binary *binary;

	cr_assert(library && !dlinfo(library, RTLD_DI_LINKMAP, &map), "%s", file);
	binary = fixture_open(map->l_name);
	for (size_t i = 0; i < n; i++) {
		const struct binary_symbol *symbol = fixture_find(binary, names[i]);
		struct binary_ifunc f;

		/* not every function has several implementations on every machine */
		if (!symbol || !symbol->ifunc)
			continue;
		f = resolve(binary, pid, names[i]);
		cr_assert(!f.failed, "%s: %s", names[i], f.failed);
		cr_expect(f.offset != f.symbol->offset, "%s: not the resolver itself", names[i]);
		cr_expect(f.offset == offset_here(binary, dlsym(library, names[i])), "%s", names[i]);
	}
	binary_close(binary);
	dlclose(library);
}

Test(binary_ifunc, of_libc_and_libm)
{
	static const char *const libc[] = { "strlen", "memcpy", "strchr", "memset", "strcmp", "wcsrchr", "strstr" };
	/* exp, log and pow have several versions, one of which is an IFUNC */
	static const char *const libm[] = { "sin", "exp", "log", "pow", "floor" };

	expect_as_here("libc.so.6", libc, 5, getpid());
	expect_as_here("libc.so.6", libc, ARRAY_SIZE(libc), 0);
	expect_as_here("libm.so.6", libm, ARRAY_SIZE(libm), 0);
}

static bool status_has(pid_t pid, const char *line)
{
	char *command __free = base_printf("grep -q '%s' /proc/%d/status", line, (int)pid);

	return !system(command);
}

Test(binary_ifunc, asks_without_any_privilege)
{
	struct link_map *map;
	struct asker asker;
	struct bound bound;
	struct binary_ifunc f;
	struct binary *binary;
	int status;

	cr_assert(!dlinfo(dlopen("libc.so.6", RTLD_NOW), RTLD_DI_LINKMAP, &map));
	binary = fixture_open(map->l_name);
	f.symbol = fixture_find(binary, "strlen");
	bound_init(&bound, binary, &f, 1);
	cr_assert(!asker_start(&asker, &bound));
	cr_expect(status_has(asker.pid, "^CapEff:.0*$") && status_has(asker.pid, "^CapPrm:.0*$"));
	cr_expect(status_has(asker.pid, "^NoNewPrivs:.1$") && status_has(asker.pid, "^Seccomp:.2$"));
	cr_expect(geteuid() || status_has(asker.pid, "^Uid:.65534.65534.65534.65534$"));
	asker_end(&asker);
	cr_expect(waitpid(-1, &status, __WALL | WNOHANG) == -1 && errno == ECHILD, "a process is left");
	bound_release(&bound);
	binary_close(binary);
}

/* A library of root in a directory that is not the system's is not trusted either: it may belong to a container. */
Test(binary_ifunc, does_not_ask_what_is_not_the_systems)
{
	struct binary *binary;
	struct binary_ifunc f;
	struct asker asker;
	struct bound bound;

	build("-shared -fPIC library.c", "lib.so");
	binary = fixture_open(fixture_path("lib.so"));
	f.symbol = fixture_find(binary, "run");
	bound_init(&bound, binary, &f, 1);
	cr_expect(asker_start(&asker, &bound) == -EPERM);
	bound_release(&bound);
	binary_close(binary);
	expect_run("lib.so", 0, NULL);
}

Test(binary_ifunc, trusts_the_systems_files_alone)
{
	char *copy __free = NULL;
	struct link_map *map;
	int fd, mine;

	cr_assert(!dlinfo(dlopen("libc.so.6", RTLD_NOW), RTLD_DI_LINKMAP, &map));
	copy = base_printf("cp %s copy", map->l_name);
	fixture_run(copy);
	fd = open(map->l_name, O_RDONLY);
	mine = open(fixture_path("copy"), O_RDONLY);
	cr_assert(fd >= 0 && mine >= 0);
	cr_expect(trusted_file(fd));
	cr_expect(!trusted_file(mine), "in a place that anybody may write");
	cr_expect(!trusted_file(-1));
	close(fd);
	fd = open("/dev/null", O_RDONLY);
	cr_expect(!trusted_file(fd));
	close(fd);
	close(mine);
}
