// SPDX-License-Identifier: BSD-2-Clause
/* src/unwind/unwind.h: what BPF programs find in the maps of a session, while processes start, map files and end. */
#include <sys/mman.h>

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

static void expect_as_proc_shows(pid_t pid)
{
	struct unwind_space space;

	cr_assert(session_space(pid, &space));
	cr_assert_eq(maps_each(pid, look, &pid), 0);
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
	unwind_take(unwind);
	expect_as_proc_shows(echo.pid);
	echo_end(&echo);
	unwind_take(unwind);
	cr_expect_not(session_space(echo.pid, &space));
	cr_expect(session_space(getpid(), &space));
	unwind_free(unwind);
}

static struct unwind_mapping find_after_take(const void *at)
{
	unwind_take(unwind);
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
	unwind_take(unwind);
	cr_expect_eq(count_modules(), n);
	expect_as_proc_shows(echo.pid);
	echo_end(&echo);
	unwind_free(unwind);
}
