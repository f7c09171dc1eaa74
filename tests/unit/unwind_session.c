// SPDX-License-Identifier: BSD-2-Clause
/* src/unwind/unwind.h: what BPF programs find in the maps of a session, while processes start, map files and end. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "binary/maps.h"
#include "unwind_fixture.h"
#include "unwind_table.h"

TestSuite(unwind_session, .init = fixture_init);

static void expect_same_rules(const struct unwind_mapping *mapping, const char *path)
{
	struct test_table table = {};
	struct rules rules = {};
	struct binary *binary;
	uint64_t end = mapping->offset + (mapping->end - mapping->start), step = (end - mapping->offset) / 50;
	size_t known = 0;

	cr_assert_eq(binary_open(NULL, path, &binary, NULL), 0, "%s", path);
	cr_assert_eq(test_table_make(&table, binary, &rules), 0, "%s", path);
	for (uint64_t at = mapping->offset; at < end; at += step) {
		struct unwind_rule ours = session_rule(mapping, at), rule = rules.v[test_table_rule(&table, at)];

		cr_expect(!memcmp(&ours, &rule, sizeof(rule)), "%s+%llx", path, (unsigned long long)at);
		known += rule.cfa > UNWIND_CFA_ROOT;
	}
	cr_expect(known >= 40 || end - mapping->offset < 65536, "%s: %zu", path, known);
	binary_close(binary);
	test_table_release(&table);
	rules_release(&rules);
}

/* Compares a mapping of /proc with what programs find. */
static int look(const struct mapping *shown, void *pid)
{
	struct unwind_mapping mapping = session_find(*(pid_t *)pid, shown->start);
	const struct unwind_module *module = unwind_module(unwind, mapping.module);

	if (!shown->exec || shown->start > UINT64_MAX / 2)
		return 0;
	cr_assert(mapping.start == shown->start && mapping.end == shown->end, "%s", shown->path);
	cr_assert(module, "%s", shown->path);
	cr_expect_str_eq(module->path, shown->path);
	cr_expect(module->has_table, "%s", shown->path);
	cr_expect_eq(mapping.offset, shown->offset);
	if (shown->inode)
		expect_same_rules(&mapping, shown->path);
	else
		cr_expect(module->kind == UNWIND_VDSO && module->image && module->size);
	return 0;
}

static int count_code(const struct mapping *shown, void *n)
{
	*(int *)n += shown->exec && shown->start < UINT64_MAX / 2;
	return 0;
}

static void expect_as_proc_shows(pid_t pid)
{
	struct unwind_space space;
	int n = 0;

	cr_assert(session_space(pid, &space));
	cr_assert_eq(maps_each(pid, look, &pid), 0);
	maps_each(pid, count_code, &n);
	cr_expect_eq(space.n, n, "%d mappings in place of %d", space.n, n);
}

Test(unwind_session, process_that_runs)
{
	struct echo echo = echo_start("/bin/cat");

	session_start(echo.pid);
	expect_as_proc_shows(echo.pid);
	unwind_free(unwind);
	echo_end(&echo);
}

Test(unwind_session, no_such_process)
{
	struct err err = {};

	session_open(4194304 + 1);
	cr_expect_eq(unwind_start(unwind, NULL, NULL, &err), -ESRCH);
	cr_expect_str_eq(err.text, "there is no process 4194305");
	unwind_free(unwind);
}

/* A child is seen when it is forked and calls exec, and is forgotten when it has ended. */
Test(unwind_session, child_from_exec_to_exit)
{
	struct unwind_space space;
	struct echo echo;

	session_start(getpid());
	echo = echo_start("/bin/cat");
	cr_expect_not(session_space(echo.pid, &space));
	session_take();
	expect_as_proc_shows(echo.pid);
	echo_end(&echo);
	session_take();
	cr_expect_not(session_space(echo.pid, &space));
	cr_expect(session_space(getpid(), &space));
	unwind_free(unwind);
}

/* That nothing can be opened is no answer: a process that may have ended is asked for again. */
Test(unwind_session, ending_that_cannot_be_asked)
{
	struct unwind_space space;
	struct rlimit most, none;

	session_start(getpid());
	*vec_push(&unwind->ending) = getpid();
	getrlimit(RLIMIT_NOFILE, &most);
	none = (struct rlimit){ 0, most.rlim_max };
	setrlimit(RLIMIT_NOFILE, &none);
	follow_endings(unwind);
	setrlimit(RLIMIT_NOFILE, &most);
	cr_expect_eq(unwind->ending.n, 1);
	cr_expect(session_space(getpid(), &space));
	unwind_free(unwind);
}

static struct unwind_mapping find_after_take(const void *at)
{
	session_take();
	return session_find(getpid(), (uintptr_t)at);
}

/* Memory without a file, and a file that is mapped over it. */
Test(unwind_session, mappings_change)
{
	size_t size = 4 * 4096;
	int fd = open("/bin/cat", O_RDONLY);
	struct unwind_mapping found;
	char *at;

	session_start(getpid());
	at = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	found = find_after_take(at);
	cr_expect(found.start <= (uintptr_t)at && found.end >= (uintptr_t)at + size && !found.module && !found.n_pages);
	cr_expect_eq(mmap(at + 4096, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 8192), at + 4096);
	found = find_after_take(at + 4096);
	cr_expect(found.start == (uintptr_t)at + 4096 && found.end == (uintptr_t)at + 8192 && found.offset == 8192);
	cr_expect_str_eq(unwind_module(unwind, found.module)->path, "/usr/bin/cat");
	found = find_after_take(at);
	cr_expect(found.end == (uintptr_t)at + 4096 && !found.module);
	found = find_after_take(at + 8192);
	cr_expect(found.start == (uintptr_t)at + 8192 && found.end >= (uintptr_t)at + size && !found.module);
	unwind_free(unwind);
}

/* Where there is no symbol, a function is known by its begin. */
Test(unwind_session, functions_by_offset)
{
	struct echo echo;
	const struct binary_symbol *symbols;
	struct unwind_space space;
	struct binary *binary;
	uint64_t start, size;
	size_t n, found = 0;

	fixture_text("echo.c", "#include <unistd.h>\nint step(char *c) { return read(0, c, 1) == 1; }\n"
			       "int main(void) { char c; while (step(&c)) write(1, &c, 1); }");
	fixture_run("$CC -O1 -fno-inline -o echo echo.c 2> /dev/null");
	echo = echo_start(fixture_path("echo"));
	session_start(echo.pid);
	cr_assert(session_space(echo.pid, &space));
	cr_assert_eq(binary_open(NULL, fixture_path("echo"), &binary, NULL), 0);
	cr_assert_eq(binary_functions(binary, &symbols, &n, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(symbols[i].name, "main") && strcmp(symbols[i].name, "step"))
			continue;
		found++;
		cr_expect_eq(unwind_function_at(unwind, 1, symbols[i].offset + 3, &start, &size), 0);
		cr_expect_eq(start, symbols[i].offset);
		cr_expect_eq(size, symbols[i].size);
	}
	cr_expect_eq(found, 2);
	cr_expect_eq(unwind_function_at(unwind, 1, 0, &start, &size), -ENOENT);
	cr_expect_eq(unwind_function_at(unwind, 77, 0, &start, &size), -ENOENT);
	cr_expect_null(unwind_module(unwind, 0));
	binary_close(binary);
	unwind_free(unwind);
	echo_end(&echo);
}

static size_t count_modules(void)
{
	size_t n = 0;

	while (unwind_module(unwind, n + 1))
		n++;
	return n;
}

/* The tables of a command and its libraries, also of one that only another library needs, exist before it starts. */
Test(unwind_session, prepared_command)
{
	struct echo echo;
	size_t n;

	fixture_text("deep.c", "int deep(void) { return 1; }\n");
	fixture_text("near.c", "int deep(void);\nint near(void) { return deep(); }\n");
	fixture_text("echo.c", "#include <unistd.h>\nint near(void);\n"
			       "int main(void) { char c; while (read(0, &c, near()) == 1) write(1, &c, 1); }\n");
	fixture_run("$CC -shared -fPIC -o libdeep.so deep.c");
	fixture_run("$CC -shared -fPIC -Wl,-rpath,'$ORIGIN' -o libnear.so near.c -L. -ldeep");
	fixture_run("$CC -Wl,-rpath,'$ORIGIN' -o echo echo.c -L. -lnear -Wl,-rpath-link,. 2> /dev/null");
	session_open(getpid());
	unwind_prepare(unwind, fixture_path("echo"));
	n = count_modules();
	cr_expect_eq(n, 5, "%zu", n);
	for (size_t i = 1; i <= n; i++)
		cr_expect(unwind_module(unwind, i)->has_table, "%s", unwind_module(unwind, i)->path);
	unwind_prepare(unwind, "/no/such/file");
	cr_expect_eq(count_modules(), n);

	cr_assert_eq(unwind_start(unwind, NULL, NULL, NULL), 0);
	n = count_modules();
	echo = echo_start(fixture_path("echo"));
	session_take();
	cr_expect_eq(count_modules(), n);
	expect_as_proc_shows(echo.pid);
	echo_end(&echo);
	unwind_free(unwind);
}

/* --- bad days --- */

static uint8_t byte_of(const struct blocks_piece *piece)
{
	return *(const uint8_t *)piece->memory;
}

/* What a table took that failed in the middle is used for the next ones, and is zero again. */
Test(unwind_session, blocks_given_back)
{
	const size_t sizes[] = { 20000, 20000, 32768, 100, 1 };
	struct blocks_part part = {};
	struct blocks_piece piece;
	struct blocks blocks;

	if (geteuid())
		cr_skip_test("only root may create maps");
	cr_assert_eq(blocks_init(&blocks), 0);
	cr_assert_eq(blocks_take(&blocks, &part, 1000, &piece), 0);
	memset(piece.memory, 0x11, 1000);
	for (int i = 0; i < 20; i++) {
		blocks_begin(&part);
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
			cr_assert_eq(blocks_take(&blocks, &part, sizes[k], &piece), 0);
			cr_expect_eq(byte_of(&piece), 0);
			memset(piece.memory, 0xff, sizes[k]);
		}
		blocks_end(&blocks, &part, false);
		cr_expect_eq(part.at.taken, 1000);
	}
	cr_expect_eq(blocks.n, 4);
	cr_assert_eq(blocks_take(&blocks, &part, 20000, &piece), 0);
	cr_expect(piece.block == 0 && piece.at == 1000 && byte_of(&piece) == 0);
	cr_expect_eq(((uint8_t *)piece.memory)[-1], 0x11);
	blocks_begin(&part);
	for (size_t k = 0; k < ARRAY_SIZE(sizes); k++)
		cr_assert_eq(blocks_take(&blocks, &part, sizes[k], &piece), 0);
	blocks_end(&blocks, &part, true);
	cr_expect_eq(blocks.n, 5);
	cr_expect_eq(blocks_show(&blocks), 0);
	blocks_part_release(&part);
	blocks_release(&blocks);
}

static void ignore(void *ctx, const struct mapped_event *record)
{
}

/* Where records were lost, /proc is read again: mappings and children are there, and what has ended is gone. */
Test(unwind_session, lost_records)
{
	const struct mapped_event lost = { .kind = MAPPED_LOST, .lost = 3 };
	struct unwind_space space;
	struct echo first, second;
	const void *at;

	session_start(getpid());
	first = echo_start("/bin/cat");
	session_take();
	cr_assert(session_space(first.pid, &space));
	echo_end(&first);
	second = echo_start("/bin/cat");
	at = mmap(NULL, 3 * 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mapped_take(unwind->records, ignore, NULL);
	session_take();
	cr_expect(session_space(first.pid, &space) && !session_space(second.pid, &space));
	follow_record(unwind, &lost);
	session_take();
	cr_expect_not(session_space(first.pid, &space));
	cr_expect(session_find(getpid(), (uintptr_t)at).end);
	expect_as_proc_shows(second.pid);
	echo_end(&second);
	unwind_free(unwind);
}

/* In nanoseconds: longer than any scan takes. */
#define SLOW_FILE (10000 * NS_PER_SEC)

/* A file as if it took long to read. */
static void read_slowly(void *n, bool begins)
{
	if (begins) {
		unwind->scan_began -= SLOW_FILE;
		unwind->modules.reading += SLOW_FILE;
		++*(int *)n;
	}
}

/* How long the files took, which are read once, does not delay the next scan: only 20 times the rest does. */
Test(unwind_session, lost_records_after_large_files)
{
	const struct mapped_event lost = { .kind = MAPPED_LOST, .lost = 3 };
	int n = 0;

	session_open(getpid());
	unwind->modules.long_work = read_slowly;
	unwind->modules.ctx = &n;
	cr_assert_eq(unwind_start(unwind, NULL, NULL, NULL), 0);
	cr_assert_geq(n, 3);
	unwind->scan_began -= 19 * n * SLOW_FILE;
	follow_record(unwind, &lost);
	unwind_take(unwind);
	cr_expect_not(unwind->rescan);
	unwind_free(unwind);
}

/* Where perf events are forbidden, what exists at the start is known. */
Test(unwind_session, without_records)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { ARRAY_SIZE(code), code };
	struct echo echo = echo_start("/bin/cat");

	cr_assert(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
	session_open(echo.pid);
	cr_assert_eq(unwind_start(unwind, NULL, NULL, NULL), 0);
	cr_expect_eq(unwind_fd(unwind), -1);
	unwind_take(unwind);
	expect_as_proc_shows(echo.pid);
	echo_end(&echo);
	unwind_free(unwind);
}

/* A thread that is not the first one calls exec: the first thread ends, and the process lives on. */
Test(unwind_session, exec_by_a_thread)
{
	struct unwind_space space;
	struct echo echo;

	fixture_text("thread.c",
		     "#include <pthread.h>\n#include <unistd.h>\n"
		     "static void *run(void *program) { execl(program, program, (char *)0); return 0; }\n"
		     "int main(void) {\n"
		     "	pthread_t thread;\n"
		     "	pthread_create(&thread, 0, run, \"/bin/cat\");\n"
		     "	for (;;) pause();\n"
		     "}\n");
	fixture_run("$CC -pthread -o thread thread.c");
	session_start(getpid());
	echo = echo_start(fixture_path("thread"));
	session_take();
	expect_as_proc_shows(echo.pid);
	session_take();
	cr_expect(session_space(echo.pid, &space));
	echo_end(&echo);
	session_take();
	cr_expect_not(session_space(echo.pid, &space));
	unwind_free(unwind);
}

/* The first thread has ended, but others go on. */
Test(unwind_session, process_without_its_first_thread)
{
	struct unwind_space space;
	struct echo echo;

	fixture_text("last.c",
		     "#include <pthread.h>\n#include <unistd.h>\n"
		     "static pthread_t first;\n"
		     "static void *run(void *unused) {\n"
		     "	char c;\n"
		     "	pthread_join(first, 0);\n"
		     "	while (read(0, &c, 1) == 1) write(1, &c, 1);\n"
		     "	_exit(0);\n"
		     "}\n"
		     "int main(void) {\n"
		     "	pthread_t thread;\n"
		     "	first = pthread_self();\n"
		     "	pthread_create(&thread, 0, run, 0);\n"
		     "	pthread_exit(0);\n"
		     "}\n");
	fixture_run("$CC -pthread -o last last.c 2> /dev/null");
	session_start(getpid());
	echo = echo_start(fixture_path("last"));
	session_take();
	session_take();
	cr_expect(session_space(echo.pid, &space));
	echo_end(&echo);
	session_take();
	cr_expect_not(session_space(echo.pid, &space));
	unwind_free(unwind);
}

/* The module of the program that answers. */
static const struct unwind_module *program_of(const struct echo *echo)
{
	struct unwind_space space;

	session_take();
	cr_assert(session_space(echo->pid, &space));
	for (size_t i = 0; i < space.n; i++) {
		const struct unwind_module *module = unwind_module(unwind, session_mapping(&space, i).module);

		if (module && strstr(module->path, "/echo"))
			return module;
	}
	cr_assert_fail("no module");
	return NULL;
}

/* A file that was replaced, under the same name, and one that was changed in place are other modules. */
Test(unwind_session, files_that_change)
{
	const struct unwind_module *module, *same, *replaced, *changed;
	struct echo first, again, second, third;

	session_start(getpid());
	fixture_run("cp -L /bin/cat echo");
	first = echo_start(fixture_path("echo"));
	module = program_of(&first);
	again = echo_start(fixture_path("echo"));
	same = program_of(&again);
	cr_expect_eq(module, same);
	fixture_run("cp -L /bin/cat new; mv new echo");
	second = echo_start(fixture_path("echo"));
	replaced = program_of(&second);
	cr_expect_neq(module, replaced);
	echo_end(&second);
	fixture_run("cat /bin/cat > echo");
	third = echo_start(fixture_path("echo"));
	changed = program_of(&third);
	cr_expect_neq(changed, replaced);
	cr_expect_neq(changed, module);
	cr_expect(changed->has_table && replaced->has_table && changed->fd >= 0);
	cr_expect_eq(program_of(&first), module);
	echo_end(&first);
	echo_end(&again);
	echo_end(&third);
	unwind_free(unwind);
}

/* What a child does on a processor whose ring is read first comes after what its parent did on another one. */
Test(unwind_session, records_in_order)
{
	cpu_set_t all, last;
	struct echo echo;
	int n = 0;

	fixture_text("move.c",
		     "#define _GNU_SOURCE\n#include <sched.h>\n#include <unistd.h>\n"
		     "int main(void) {\n"
		     "	cpu_set_t first;\n"
		     "	CPU_ZERO(&first);\n"
		     "	CPU_SET(0, &first);\n"
		     "	sched_setaffinity(0, sizeof(first), &first);\n"
		     "	execl(\"/bin/cat\", \"cat\", (char *)0);\n"
		     "}\n");
	fixture_run("$CC -o move move.c");
	cr_assert_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		n = CPU_ISSET(cpu, &all) ? cpu : n;
	CPU_ZERO(&last);
	CPU_SET(n, &last);
	session_start(getpid());
	sched_setaffinity(0, sizeof(last), &last);
	echo = echo_start(fixture_path("move"));
	sched_setaffinity(0, sizeof(all), &all);
	session_take();
	expect_as_proc_shows(echo.pid);
	echo_end(&echo);
	unwind_free(unwind);
}

/* Without the kernel's link to it, a file is found by its path, if that leads to the same file. */
Test(unwind_session, file_by_its_path)
{
	struct mapping mapping = { .start = 0x1000, .end = 0x2000, .exec = true };
	struct module_file file = { .fd = -1 };
	struct echo echo = echo_start("/bin/cat");
	char *path = realpath("/bin/cat", NULL);
	struct stat st;

	cr_assert(!stat(path, &st));
	mapping.path = path;
	mapping.inode = st.st_ino;
	mapping.dev = st.st_dev;
	cr_assert_eq(module_file_open(&file, echo.pid, &mapping), 0);
	cr_expect_eq(file.id.id.inode, st.st_ino);
	close(file.fd);
	echo_end(&echo);
	/* the process is gone: our own path, if the device agrees as well */
	cr_assert_eq(module_file_open(&file, echo.pid, &mapping), 0);
	close(file.fd);
	mapping.dev++;
	cr_expect_eq(module_file_open(&file, echo.pid, &mapping), -ESTALE);
	mapping.dev--;
	mapping.inode++;
	cr_expect_eq(module_file_open(&file, echo.pid, &mapping), -ESTALE);
	mapping.path = "/no/such/file";
	cr_expect_eq(module_file_open(&file, echo.pid, &mapping), -ENOENT);
	mapping.path = "/dev/zero";
	cr_expect_eq(module_file_open(&file, echo.pid, &mapping), -ENOEXEC);
	free(path);
}

/* Memory with a name that is no program (a JIT's, shared memory) is memory without a file. */
Test(unwind_session, memory_with_a_name)
{
	int fd = memfd_create("jit", MFD_CLOEXEC);
	struct unwind_mapping found;
	void *at;

	cr_assert_eq(ftruncate(fd, 8192), 0);
	session_start(getpid());
	at = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	found = find_after_take(at);
	cr_expect(found.end && !found.module && !found.n_pages);
	unwind_free(unwind);
}
