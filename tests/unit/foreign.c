// SPDX-License-Identifier: BSD-2-Clause
/* binary/foreign.h, and binary/binary.h with hostile files: which are refused, with which message. */
#include <elf.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "binary_fixture.h"
#include "probe/target.h"
#include "binary/foreign.h"
#include "timeout.h"

TestSuite(foreign, .init = fixture_init);

static void expect_refused(const char *root, const char *path, int code, const char *words)
{
	struct err err = { .text = "" };
	uint64_t size;
	int fd __close = foreign_open(root, path, 1 << 20, &size, &err);

	cr_expect(fd == code, "%s: %d", path, fd);
	cr_expect(strstr(err.text, words), "%s: '%s' lacks '%s'", path, err.text, words);
}

static void expect_text(const char *root, const char *path, const char *text)
{
	struct err err = { .text = "" };
	char buf[100] = "";
	uint64_t size = 0;
	int fd __close = foreign_open(root, path, 1 << 20, &size, &err);

	cr_assert(fd >= 0, "%s", err.text);
	cr_expect(read(fd, buf, sizeof(buf) - 1) == (ssize_t)strlen(text) && !strcmp(buf, text), "%s", buf);
	cr_expect(size == strlen(text));
}

static void make_socket(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd __close = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	cr_assert(!bind(fd, (struct sockaddr *)&addr, sizeof(addr)));
}

Test(foreign, opens_regular_files_alone)
{
	fixture_run("mkdir dir && mkfifo fifo && echo hello > text && ln -s /dev/null device && ln -s loop loop && "
		    "truncate -s 8T sparse");
	make_socket(fixture_path("socket"));
	for (int below = 0; below < 2; below++) {
		const char *root = below ? "/" : NULL;

		expect_text(root, fixture_path("text"), "hello\n");
		expect_refused(root, fixture_path("dir"), -ENOEXEC, "is a directory, not a regular file");
		expect_refused(root, fixture_path("fifo"), -ENOEXEC, "is a FIFO, ");
		expect_refused(root, fixture_path("socket"), -ENOEXEC, "is a socket, ");
		expect_refused(root, fixture_path("device"), -ENOEXEC, "is a device, ");
		expect_refused(root, fixture_path("sparse"), -EFBIG, "is not read: it has 8.0 TB, more than 1.0 MB");
		expect_refused(root, fixture_path("absent"), -ENOENT, "absent: No such file");
		expect_refused(root, fixture_path("loop"), -ELOOP, "loop: ");
	}
}

Test(foreign, stays_below_the_root)
{
	fixture_run("mkdir -p root/dir && echo in > root/file && echo out > file && ln -s /file root/absolute && "
		    "ln -s ../../../../../../../file root/up && ln -s /dev/null root/device && ln -s / root/top");
	expect_text(fixture_path("root"), "/file", "in\n");
	expect_text(fixture_path("root"), "/absolute", "in\n");
	expect_text(fixture_path("root"), "/up", "in\n");
	expect_text(fixture_path("root"), "/../file", "in\n");
	expect_text(fixture_path("root"), "/top/dir/../file", "in\n");
	expect_refused(fixture_path("root"), "/device", -ENOENT, "root/device: No such file");
	expect_refused(fixture_path("root"), "/top", -ENOEXEC, "is a directory");
}

/* Links in /proc are not followed: they may lead to files of others or into a pipe. */
Test(foreign, follows_links_of_proc_only_for_the_user)
{
	char text[64];
	uint64_t size;
	int fd __close = open(fixture_path("kept"), O_RDWR | O_CREAT, 0600), same;

	snprintf(text, sizeof(text), "/proc/self/fd/%d", fd);
	same = foreign_open(NULL, text, 1, &size, NULL);
	cr_expect(same >= 0);
	close(same);
	expect_refused("/", text, -ELOOP, text);
	cr_expect(foreign_locate("/", "/proc/self/cwd/x") == -ELOOP);
	cr_expect(foreign_open_dir("/", "/proc/self/root") == -ELOOP);
}

Test(foreign, lists_directories_alone)
{
	int fd;

	fixture_run("mkdir dir && touch dir/x file && mkfifo fifo");
	fd = foreign_open_dir(fixture_dir, "/dir");
	cr_expect(fd >= 0 && !faccessat(fd, "x", F_OK, 0));
	close(fd);
	cr_expect(foreign_open_dir(fixture_dir, "/file") == -ENOTDIR);
	cr_expect(foreign_open_dir(fixture_dir, "/fifo") == -ENOTDIR);
}

Test(foreign, sizes_are_shown_as_people_say_them)
{
	cr_expect_str_eq(foreign_show_size(0).text, "0 bytes");
	cr_expect_str_eq(foreign_show_size(1023).text, "1023 bytes");
	cr_expect_str_eq(foreign_show_size(1536).text, "1.5 KB");
	cr_expect_str_eq(foreign_show_size(16ULL << 30).text, "16 GB");
	cr_expect_str_eq(foreign_show_size(~0ULL).text, "16 EB");
}

/* --- ELF files --- */

static void build(const char *flags, const char *out)
{
	char *command __free = base_printf("$CC -O1 -g %s -o %s program.c", flags, out);

	fixture_text("program.c", "static __attribute__((noinline, used)) int hidden(int a) { return a + 1; }\n"
				  "int shown(int a) { return hidden(a) * 2; }\n");
	fixture_run(command);
}

/* The exported function is found, the hidden one is not, and binary_refused() says why. */
static void expect_untold(const char *path, const char *words)
{
	struct binary *binary = fixture_open_in("/", path);
	const char *refused;

	cr_expect(fixture_find(binary, "shown"));
	cr_expect(!fixture_find(binary, "hidden"));
	refused = binary_refused(binary);
	if (words)
		cr_expect(refused && strstr(refused, words), "'%s' lacks '%s'", refused, words);
	else
		cr_expect(!refused, "%s", refused);
	binary_close(binary);
}

/* A stripped library; its hidden symbols are in lib.debug next to it. */
static void build_linked(void)
{
	build("-shared -fPIC -Wl,--build-id=none", "lib.so");
	fixture_run("objcopy --only-keep-debug lib.so lib.debug && strip lib.so && "
		    "objcopy --add-gnu-debuglink=lib.debug lib.so");
}

/* A file names its debug file. Whoever made it may have put anything there. */
Test(foreign, debug_files_are_regular)
{
	build_linked();
	fixture_run("mv lib.debug kept");
	expect_untold(fixture_path("lib.so"), NULL);
	fixture_run("ln -s /dev/null lib.debug");
	expect_untold(fixture_path("lib.so"), "/lib.debug: is a device, not a regular file");
	fixture_run("ln -sf /proc/self/exe lib.debug");
	expect_untold(fixture_path("lib.so"), "/lib.debug: Too many levels of symbolic links");
	fixture_run("rm lib.debug && mkfifo lib.debug");
	expect_untold(fixture_path("lib.so"), "/lib.debug: is a FIFO, not a regular file");
	fixture_run("rm lib.debug && mkdir lib.debug");
	expect_untold(fixture_path("lib.so"), "/lib.debug: is a directory, not a regular file");
	fixture_run("rmdir lib.debug && echo text > lib.debug");
	expect_untold(fixture_path("lib.so"), "/lib.debug: is not an ELF file");
	fixture_run("cp kept lib.debug && echo >> lib.debug");
	expect_untold(fixture_path("lib.so"), "/lib.debug: is of another build: the checksum differs");
}

/* Huge files are not read: the checksum of each would take an hour. */
Test(foreign, debug_files_are_not_endless, .timeout = TIMEOUT_SECONDS)
{
	build_linked();
	fixture_run("truncate -s 8T lib.debug");
	expect_untold(fixture_path("lib.so"), "/lib.debug: is not read: it has 8.0 TB, more than 16 GB");
	fixture_run("truncate -s 16G lib.debug");
	expect_untold(fixture_path("lib.so"), "/lib.debug: has no build-id, and is too large for its checksum");
}

Test(foreign, debugdata_that_unpacks_to_too_much_is_refused)
{
	build("-shared -fPIC", "lib.so");
	fixture_run("strip lib.so && head -c 257M /dev/zero | xz -0 > zero.xz && "
		    "objcopy --add-section .gnu_debugdata=zero.xz lib.so");
	expect_untold(fixture_path("lib.so"), ".gnu_debugdata is not unpacked: it would have 257 MB, more than 256 MB");
	build("-shared -fPIC", "lib.so");
	fixture_run("strip lib.so && head -c 5000 zero.xz > cut.xz && "
		    "objcopy --add-section .gnu_debugdata=cut.xz lib.so");
	expect_untold(fixture_path("lib.so"), ".gnu_debugdata is damaged");
}

/* The header of a section in a file of n bytes in memory. */
static Elf64_Shdr *section(char *data, const char *name)
{
	Elf64_Ehdr *ehdr = (Elf64_Ehdr *)data;
	Elf64_Shdr *shdr = (Elf64_Shdr *)(data + ehdr->e_shoff);

	for (size_t i = 0; i < ehdr->e_shnum; i++)
		if (!strcmp(data + shdr[ehdr->e_shstrndx].sh_offset + shdr[i].sh_name, name))
			return &shdr[i];
	cr_assert(false, "no section %s", name);
	return NULL;
}

Test(foreign, compressed_section_that_unpacks_to_too_much_is_refused)
{
	char *data __free = NULL;
	const char *refused;
	struct binary *binary;
	Elf64_Chdr *chdr;
	Elf64_Shdr *str;
	size_t n;

	build("-shared -fPIC", "lib.so");
	fixture_run("for i in $(seq 100); do echo \"int another_variable_$i;\"; done >> program.c && "
		    "$CC -g -shared -fPIC -o lib.so program.c && objcopy --compress-debug-sections lib.so");
	binary = fixture_open(fixture_path("lib.so"));
	cr_expect(binary_is_named(binary, "hidden") && !binary_is_named(binary, "absent") && !binary_refused(binary));
	binary_close(binary);

	data = fixture_read(fixture_path("lib.so"), &n);
	str = section(data, ".debug_str");
	chdr = (Elf64_Chdr *)(data + str->sh_offset);
	cr_assert(str->sh_flags & SHF_COMPRESSED);
	chdr->ch_size = 2ULL << 30;
	fixture_write("lib.so", data, n);
	binary = fixture_open(fixture_path("lib.so"));
	cr_expect(!binary_is_named(binary, "hidden"));
	refused = binary_refused(binary);
	cr_expect(refused && strstr(refused, ".debug_str is not read: it has 2.0 GB, more than 1.0 GB"), "%s", refused);
	binary_close(binary);
}

/* A sparse file needs no disk space, and its sections can be as large as the file. */
Test(foreign, sections_without_measure_are_refused)
{
	static const char *const names[] = { ".symtab", ".strtab", ".shstrtab" };
	const struct binary_symbol *s;
	struct binary *binary = NULL;
	char *data __free = NULL;
	Elf64_Ehdr *ehdr;
	size_t n, count;

	build("-shared -fPIC", "lib.so");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct err err = { .text = "" };

		free(data);
		data = fixture_read(fixture_path("lib.so"), &n);
		section(data, names[i])->sh_size = 12ULL << 30;
		fixture_write("large.so", data, n);
		fixture_run("truncate -s 15G large.so");
		binary = fixture_open(fixture_path("large.so"));
		cr_expect(binary_functions(binary, &s, &count, &err) == (i == 2 ? 0 : -EFBIG));
		cr_expect(i == 2 || strstr(err.text, "its symbol table is too large to be read"), "%s", err.text);
		cr_expect(!binary_is_named(binary, "hidden") == (i == 2));
		binary_close(binary);
	}
	ehdr = (Elf64_Ehdr *)data;
	ehdr->e_shnum = 0; /* then the size of the first section is the number of sections */
	((Elf64_Shdr *)(data + ehdr->e_shoff))->sh_size = 100000000;
	fixture_write("large.so", data, n);
	fixture_run("truncate -s 15G large.so");
	cr_expect(binary_open(NULL, fixture_path("large.so"), &binary, NULL) == -EBADMSG);
}

/* Names that overlap: a small table holds gigabytes of them. */
Test(foreign, names_without_measure_are_refused)
{
	struct err err = { .text = "" };
	const struct binary_symbol *s;
	Elf64_Shdr *symtab;
	char *data __free = NULL;
	Elf64_Sym *sym;
	struct binary *binary;
	size_t n, count, longest = 0;

	fixture_run("awk 'function say(name) { print \".type \" name \", %function\\n\" name \": nop\" }\n"
		    "BEGIN { while (i++ < 60000) n = n \"x\"; say(n); while (j++ < 20000) say(\"f\" j) }' > n.s && "
		    "$CC -shared -nostdlib -o n.so n.s");
	binary = fixture_open(fixture_path("n.so"));
	cr_expect(!binary_functions(binary, &s, &count, &err) && count > 20000, "%s", err.text);
	binary_close(binary);

	data = fixture_read(fixture_path("n.so"), &n);
	symtab = section(data, ".symtab");
	sym = (Elf64_Sym *)(data + symtab->sh_offset);
	for (size_t i = 0; i < symtab->sh_size / sizeof(*sym); i++)
		if (strlen(data + section(data, ".strtab")->sh_offset + sym[i].st_name) == 60000)
			longest = sym[i].st_name;
	cr_assert(longest);
	for (size_t i = 1; i < symtab->sh_size / sizeof(*sym); i++)
		sym[i].st_name = longest;
	fixture_write("n.so", data, n);
	binary = fixture_open(fixture_path("n.so"));
	cr_expect(binary_functions(binary, &s, &count, &err) == -EFBIG);
	cr_expect(strstr(err.text, "too large"), "%s", err.text);
	binary_close(binary);
}

/*
 * Between reading and attaching, the owner may replace the file by one with other code. The descriptor keeps the
 * first.
 */
Test(foreign, what_was_read_is_what_is_attached_to)
{
	__free char *one = base_printf("u:%s:shown", fixture_path("lib.so"));
	__free char *both = base_printf("u:%s:hid*", fixture_path("lib.so"));
	const struct target_options options = {};
	struct target_set set = {};
	struct stat read, there, kept;
	struct err err;
	size_t bad;

	build("-shared -fPIC", "lib.so");
	cr_assert(!stat(fixture_path("lib.so"), &read));
	cr_assert(!target_resolve((const char *[]){ one, both }, 2, &options, &set, &bad, &err), "%s", err.text);
	cr_assert(set.n == 2 && set.files.n == 1, "%zu targets, %zu files", set.n, set.files.n);
	fixture_run("cp lib.so other && mv other lib.so");
	cr_assert(!stat(fixture_path("lib.so"), &there) && !fstat(set.v[0].file, &kept));
	cr_expect(kept.st_ino == read.st_ino && kept.st_ino != there.st_ino);
	cr_expect(set.v[1].file == set.v[0].file);
	target_set_release(&set);
}

/* Another process may truncate the file at any moment. If it were mapped, that would be a SIGBUS. */
Test(foreign, file_that_is_truncated_while_it_is_read_is_an_error)
{
	const struct binary_usdt *probes;
	const struct binary_symbol *s;
	struct err err = { .text = "" };
	struct binary *binary;
	size_t n;

	build("-shared -fPIC", "lib.so");
	binary = fixture_open(fixture_path("lib.so"));
	cr_assert(!truncate(fixture_path("lib.so"), 4096));
	cr_expect(binary_functions(binary, &s, &n, &err) == -EBADMSG);
	cr_expect(strstr(err.text, "the file has been truncated"), "%s", err.text);
	binary_usdt_probes(binary, &probes, &n, &err);
	cr_expect(!binary_is_named(binary, "hidden"));
	binary_close(binary);
}
