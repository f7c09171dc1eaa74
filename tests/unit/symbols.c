// SPDX-License-Identifier: BSD-2-Clause
/* src/symbols/: names of frames in files that a test makes and in those of the system, compared with readelf's tables. */
#include <dlfcn.h>
#include <elf.h>
#include <signal.h>

#include "binary/binary_file.h"
#include "binary_fixture.h"
#include "binary/maps.h"
#include "symbols/perf_map.h"
#include "symbols/symbols_part.h"
#include "unwind/functions.h"

TestSuite(symbols, .init = fixture_init);

#if defined(__x86_64__)
#define LIBS "/lib/x86_64-linux-gnu/"
#else
#define LIBS "/lib/aarch64-linux-gnu/"
#endif
#define FRAME(number, offset) ((uint64_t)(number) << STACK_MODULE_SHIFT | (offset))

/* In place of the unwinding session: one module, its file, and the functions of its .eh_frame. */
static struct unwind_module module = { .number = 7, .fd = -1 };
static struct binary *binary;
static struct functions functions;
static struct symbols *symbols;

static const struct unwind_module *fake_module(void *ctx, uint16_t number)
{
	return number == module.number ? &module : NULL;
}

static int fake_function_at(void *ctx, uint16_t number, uint64_t offset, uint64_t *start, uint64_t *size)
{
	const struct functions_one *function = functions_at(&functions, offset);

	if (!function)
		return -ENOENT;
	*start = function->offset;
	*size = function->size;
	return 0;
}

static const struct symbols_source source = { fake_module, fake_function_at, NULL };

static void begin(const char *path, struct symbols_options options)
{
	module.path = path;
	module.fd = open(path, O_RDONLY);
	binary = fixture_open_in(module.root, path);
	functions_read(&functions, binary);
	symbols = symbols_new_from(&source, NULL, &options);
}

static void done(void)
{
	symbols_free(symbols);
	functions_release(&functions);
	binary_close(binary);
	base_closep(&module.fd);
}

static const char *name_at(uint64_t offset)
{
	const struct frame *frame = symbols_user(symbols, 0, FRAME(module.number, offset));

	cr_expect_eq(symbols_name(symbols), 0);
	return frame->name;
}

static uint64_t offset_of(const char *function)
{
	const struct binary_symbol *symbol = fixture_find(binary, function);

	cr_assert(symbol, "no function %s", function);
	return symbol->offset;
}

#define expect_name(offset, text) cr_expect_str_eq(name_at(offset), text)

Test(symbols, within_their_size)
{
	fixture_text("f.s", ".text\n"
			    ".globl sized, _start\n"
			    ".type sized, %function\nsized: .fill 8, 1, 0\n.size sized, .-sized\n"
			    ".fill 8, 1, 0\n"
			    ".type hole, %function\nhole: .cfi_startproc\n.fill 16, 1, 0\n.cfi_endproc\n.fill 16, 1, 0\n"
			    ".type outer, %function\nouter: .fill 8, 1, 0\n"
			    ".type inner, %function\ninner: .fill 8, 1, 0\n.size inner, 4\n.fill 8, 1, 0\n.size outer, .-outer\n"
			    "unnamed: .cfi_startproc\n.fill 16, 1, 0\n.cfi_endproc\n"
			    "_start: .fill 16, 1, 0\n");
	fixture_run("$CC -nostdlib -static -Wl,--build-id=none -o out f.s");
	begin(fixture_path("out"), (struct symbols_options){});
	uint64_t at = offset_of("sized"), vaddr;
	char text[64];

	cr_assert_eq(binary_vaddr_of(binary, at, &vaddr), 0);
	expect_name(at, "sized");
	expect_name(at + 7, "sized");
	snprintf(text, sizeof(text), "out+0x%llx", (unsigned long long)vaddr + 8);
	expect_name(at + 8, text);
	/* without a size: as far as .eh_frame says */
	expect_name(at + 16, "hole");
	expect_name(at + 31, "hole");
	snprintf(text, sizeof(text), "out+0x%llx", (unsigned long long)vaddr + 32);
	expect_name(at + 32, text);
	expect_name(at + 48, "outer");
	expect_name(at + 56, "inner");
	expect_name(at + 60, "outer");
	expect_name(at + 71, "outer");
	snprintf(text, sizeof(text), "out+fn@0x%llx", (unsigned long long)vaddr + 72);
	expect_name(at + 75, text);
	done();
}

/* Of aliases the one that people know; one of them without a size ends where the others do. */
Test(symbols, aliases)
{
	fixture_text("f.s", ".text\n.globl _start, known\n.weak weak\n"
			    ".type known, %function\n.type weak, %function\n.type __local, %function\n.type sizeless, %function\n"
			    "_start:\nknown: weak: __local: sizeless: .cfi_startproc\n.fill 8, 1, 0\n"
			    ".size known, 8\n.size weak, 8\n.size __local, 16\n.fill 16, 1, 0\n.cfi_endproc\n");
	fixture_run("$CC -nostdlib -static -Wl,--build-id=none -o out f.s");
	begin(fixture_path("out"), (struct symbols_options){});
	uint64_t at = offset_of("known");

	expect_name(at + 7, "known");
	expect_name(at + 8, "__local");
	cr_expect_eq(strncmp(name_at(at + 16), "out+fn@0x", 9), 0, "%s", name_at(at + 16));
	done();
}

Test(symbols, names_of_c_plus_plus)
{
	fixture_text("f.cc", "namespace shop { struct Cart { int add(int, const char *); int n; };\n"
			     "__attribute__((noinline)) int Cart::add(int a, const char *b) { return n += a + *b; } }\n"
			     "int main(int c, char **v) { shop::Cart cart{c}; return cart.add(c, *v); }\n");
	fixture_run("g++ -O1 -o out f.cc");
	begin(fixture_path("out"), (struct symbols_options){});
	uint64_t at = offset_of("_ZN4shop4Cart3addEiPKc");
	const struct frame *frame = symbols_user(symbols, 0, FRAME(7, at + 1));

	expect_name(at, "shop::Cart::add");
	cr_expect_str_eq(frame->name, "shop::Cart::add");
	cr_expect_str_eq(frame->symbol, "_ZN4shop4Cart3addEiPKc");
	cr_expect_str_eq(frame->file, fixture_path("out"));
	cr_expect_eq(frame->address, frame->start + 1);
	cr_expect_null(symbols_user(symbols, 0, FRAME(7, offset_of("main")))->symbol);
	done();
	begin(fixture_path("out"), (struct symbols_options){ .mangled = true });
	expect_name(at, "_ZN4shop4Cart3addEiPKc");
	done();
	begin(fixture_path("out"), (struct symbols_options){ .raw = true });
	char text[64];

	snprintf(text, sizeof(text), "out+0x%llx", (unsigned long long)fixture_find(binary, "_ZN4shop4Cart3addEiPKc")->vaddr);
	expect_name(at, text);
	done();
}

static int print_stub(const char *flags)
{
	char *command __free = base_printf("$CC -O1 %s -o out f.c", flags);
	const char *name;
	int found = 0;

	/* headers would give some functions other names, such as __isoc23_strtol */
	fixture_text("f.c", "int puts(const char *), rand(void);\nvoid free(void *);\n"
			    "int main(int c, char **v) { puts(*v); return rand() + (c > 5) * (int)(long)&free; }\n");
	fixture_run(command);
	begin(fixture_path("out"), (struct symbols_options){});
	/* all places of the file: each stub has 8 to 24 bytes */
	for (uint64_t at = 0x200; at < 0x2000; at += 8) {
		uint64_t vaddr;

		if (binary_vaddr_of(binary, at, &vaddr))
			continue;
		name = name_at(at);
		found |= !strcmp(name, "puts@plt") ? 1 : 0;
		found |= !strcmp(name, "rand@plt") ? 2 : 0;
		cr_expect(!strchr(name, '@') || strstr(name, "fn@0x") || !strcmp(name, "puts@plt") ||
				  !strcmp(name, "rand@plt") || !strcmp(name, "__cxa_finalize@plt"),
			  "%s", name);
	}
	done();
	return found;
}

Test(symbols, stubs)
{
	cr_expect_eq(print_stub("-fcf-protection=none -Wl,-z,now"), 3);
	cr_expect_eq(print_stub("-fcf-protection=none -Wl,-z,lazy"), 3);
	cr_expect_eq(print_stub("-fcf-protection=full -Wl,-z,lazy,-z,ibtplt"), 3);
	cr_expect_eq(print_stub("-no-pie"), 3);
}

/* Makes a section that is not loaded, such as .comment, a table of n relocations in the hole at the file's end. */
static void add_relocations(const char *path, uint64_t n)
{
	int fd __close = open(path, O_RDWR);
	off_t end = lseek(fd, 0, SEEK_END);
	Elf64_Ehdr file;
	Elf64_Shdr section;

	cr_assert_eq(pread(fd, &file, sizeof(file), 0), (ssize_t)sizeof(file));
	for (int i = file.e_shnum - 1; i > 0; i--) {
		off_t at = (off_t)(file.e_shoff + (uint64_t)i * sizeof(section));

		cr_assert_eq(pread(fd, &section, sizeof(section), at), (ssize_t)sizeof(section));
		if (section.sh_type != SHT_PROGBITS || section.sh_flags & SHF_ALLOC)
			continue;
		section.sh_type = SHT_RELA;
		section.sh_flags |= SHF_ALLOC;
		section.sh_offset = (uint64_t)end;
		section.sh_size = n * sizeof(Elf64_Rela);
		cr_assert_eq(pwrite(fd, &section, sizeof(section), at), (ssize_t)sizeof(section));
		end += (off_t)section.sh_size;
		cr_assert_eq(ftruncate(fd, end), 0);
		return;
	}
	cr_assert_fail("no section");
}

/* Tables are read for each stub. A file that was made to hurt has names for some time only. */
Test(symbols, stubs_of_a_file_with_huge_tables)
{
	const char *name;
	int stubs = 0;

	fixture_text("f.c", "#include <stdio.h>\nint main(int c, char **v) { return puts(*v); }\n");
	fixture_run("$CC -O1 -o out f.c");
	add_relocations(fixture_path("out"), (1 << 26) + 1);
	begin(fixture_path("out"), (struct symbols_options){});
	for (uint64_t at = 0x200; at < 0x2000; at += 8) {
		if (!binary_stub_at(binary, at, &name))
			continue;
		stubs++;
		cr_expect_null(name);
	}
	cr_expect_gt(stubs, 1);
	done();
}

Test(symbols, resolvers)
{
	fixture_text("f.c", "static int one(void) { return 1; }\n"
			    "static int (*choose(void))(void) { return one; }\n"
			    "int many(void) __attribute__((ifunc(\"choose\")));\n");
	fixture_run("$CC -O1 -shared -fPIC -o out f.c && strip out");
	begin(fixture_path("out"), (struct symbols_options){});
	expect_name(offset_of("many"), "many@resolver");
	done();
}

static int add_mapping(const struct mapping *m, void *ctx)
{
	uint64_t *addr = ctx;

	if (*addr < m->start || *addr >= m->end || !m->exec)
		return 0;
	*addr = *addr - m->start + m->offset;
	return 1;
}

/* Where an IFUNC of libc leads in this process. */
static uint64_t implementation_of(const char *name)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	uint64_t addr = (uintptr_t)dlsym(libc, name);

	cr_assert(addr);
	cr_assert_eq(maps_each(0, add_mapping, &addr), 1);
	return addr;
}

/* Below an empty root there are no debug files: only .dynsym is left, which names resolvers. */
Test(symbols, implementations)
{
	char *path __free = realpath(LIBS "libc.so.6", NULL);
	uint64_t at;

	if (geteuid())
		cr_skip_test("only root starts the asker as nobody");
	module.root = fixture_dir;
	begin(path, (struct symbols_options){});
	at = implementation_of("strlen");
	expect_name(at, "strlen");
	expect_name(at + 8, "strlen");
	expect_name(offset_of("strlen"), "strlen@resolver");
	/* the same code serves both */
	if (implementation_of("memcpy") == implementation_of("memmove"))
		expect_name(implementation_of("memmove"), "memcpy");
	done();
}

Test(symbols, one_object_for_each_frame)
{
	const struct frame *frames[5000];

	begin("/proc/self/exe", (struct symbols_options){});
	uint64_t at = offset_of("symbols_name");

	for (size_t i = 0; i < ARRAY_SIZE(frames); i++)
		frames[i] = symbols_user(symbols, 0, FRAME(7, at + i));
	cr_expect_str_eq(frames[0]->name, "");
	cr_expect_eq(symbols_name(symbols), 0);
	for (size_t i = 0; i < ARRAY_SIZE(frames); i++)
		cr_expect_eq(symbols_user(symbols, 0, FRAME(7, at + i)), frames[i]);
	cr_expect_str_eq(frames[0]->name, "symbols_name");
	cr_expect_eq(frames[1]->name, frames[0]->name);
	/* a process does not matter to what is in a file; elsewhere it does, and so does the kernel */
	cr_expect_eq(symbols_user(symbols, 5, FRAME(7, at)), frames[0]);
	cr_expect_neq(symbols_user(symbols, 5, at), symbols_user(symbols, 6, at));
	cr_expect_neq(symbols_user(symbols, 0, 12345), symbols_kernel(symbols, 12345));
	cr_expect_str_eq(name_at(1ULL << 47), "exe+0x800000000000");
	done();
}

static bool stop_at_second(void *ctx)
{
	int *calls = ctx;

	return ++*calls >= 2;
}

Test(symbols, stop)
{
	int calls = 0;

	begin("/proc/self/exe", (struct symbols_options){ .should_stop = stop_at_second, .ctx = &calls });
	const struct frame *frame = symbols_user(symbols, 0, FRAME(7, offset_of("symbols_name")));
	const struct frame *other = symbols_user(symbols, 0, FRAME(8, 5)), *jit = symbols_user(symbols, getpid(), 4096);

	cr_expect_eq(symbols_name(symbols), -EINTR);
	cr_expect_eq(strncmp(frame->name, "exe+0x", 6), 0, "%s", frame->name);
	cr_expect_str_eq(other->name, "[unknown]");
	cr_expect_str_eq(jit->name, "0x1000");
	done();
}

/* Messages have the file's path, not our descriptor. */
Test(symbols, file_that_is_not_elf)
{
	const char *note;

	fixture_text("text", "not an ELF file, but longer than the header of one, which has 64 bytes\n");
	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	module.path = fixture_path("text");
	module.fd = open(module.path, O_RDONLY | O_CLOEXEC);
	expect_name(4096, "text+0x1000");
	cr_assert_eq(symbols->notes.n, 1);
	note = symbols->notes.v[0];
	cr_expect(strstr(note, "/text: is not an ELF file") && !strstr(note, "/proc/self"), "%s", note);
	close(module.fd);
	module.fd = -1;
	symbols_free(symbols);
}

static bool stop_when_named(void *ctx)
{
	const struct frame *const *frame = ctx;

	return *frame && *(*frame)->name;
}

/* The user does not wait for the rest of a file's frames either. */
Test(symbols, stop_within_a_file)
{
	const struct frame *first = NULL, *second;

	begin("/proc/self/exe", (struct symbols_options){ .should_stop = stop_when_named, .ctx = &first });
	first = symbols_user(symbols, 0, FRAME(7, offset_of("symbols_name")));
	second = symbols_user(symbols, 0, FRAME(7, offset_of("symbols_name") + 1));
	cr_expect_eq(symbols_name(symbols), -EINTR);
	cr_expect_str_eq(first->name, "symbols_name");
	cr_expect_eq(strncmp(second->name, "exe+0x", 6), 0, "%s", second->name);
	done();
}

Test(symbols, no_file)
{
	const struct frame *frame;

	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	module.path = "/no/such/lib.so (deleted)";
	expect_name(4096, "lib.so+0x1000");
	cr_expect_eq(symbols->notes.n, 1);
	frame = symbols_user(symbols, 0, FRAME(9, 4096));
	cr_expect_eq(symbols_name(symbols), 0);
	cr_expect_str_eq(frame->name, "[unknown]");
	symbols_free(symbols);
}

/* ---- JIT ---- */

static char map_path[64];

static void remove_map(void)
{
	unlink(map_path);
}

static void write_map(const char *text, int flags)
{
	int fd __close = -1;

	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", getpid());
	atexit(remove_map);
	fd = open(map_path, O_CREAT | O_WRONLY | O_EXCL * !(flags & O_APPEND) | flags, 0600);
	cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s", map_path);
}

static const char *jit_name(uint64_t addr)
{
	const struct frame *frame = symbols_user(symbols, getpid(), addr);

	cr_expect_eq(symbols_name(symbols), 0);
	return frame->name;
}

Test(symbols, perf_map)
{
	const struct frame *early, *late;

	write_map("1000 10 old\n1010 10 LazyCompile:~add /app/x.js:3:7\nnonsense\n\n1020 zz bad\n0x1000 0x8 new one\n"
		  "fffffffffffffff0 ff end of memory\n2000 10 cut",
		  0);
	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	early = symbols_user(symbols, getpid(), 0x1004);
	late = symbols_user(symbols, getpid(), 0x2004);
	cr_expect_eq(symbols_name(symbols), 0);
	cr_expect_str_eq(early->name, "new one");
	cr_expect_eq(early->kind, FRAME_JIT);
	cr_expect_eq(early->start, 0x1000);
	/* its line is not complete, and then it is */
	cr_expect_str_eq(late->name, "[unknown]");
	write_map(" short\n", O_APPEND);
	cr_expect_eq(symbols_name(symbols), 0);
	cr_expect_str_eq(late->name, "cut short");
	/* found although the map has not grown since */
	cr_expect_str_eq(jit_name(0x1008), "old");
	cr_expect_str_eq(jit_name(0x101f), "LazyCompile:~add /app/x.js:3:7");
	cr_expect_str_eq(jit_name(0x1020), "[unknown]");
	cr_expect_str_eq(jit_name(0xff0), "[unknown]");
	/* the file is open: it may be gone, with its process */
	unlink(map_path);
	write_map("1030 10 another file\n", 0);
	cr_expect_str_eq(jit_name(0x1009), "old");
	cr_expect_str_eq(jit_name(0x1034), "[unknown]");
	cr_expect_eq(symbols->notes.n, 0);
	symbols_free(symbols);
}

/* The process writes the map later than it was seen first. */
Test(symbols, perf_map_that_comes_late)
{
	const struct frame *early, *late;

	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	early = symbols_user(symbols, getpid(), 0x1004);
	cr_expect_eq(symbols->jits.v[0].map, -1);
	write_map("1000 10 one\n2000 10 two\n", 0);
	late = symbols_user(symbols, getpid(), 0x2004);
	cr_expect_eq(symbols_name(symbols), 0);
	cr_expect_str_eq(early->name, "one");
	cr_expect_str_eq(late->name, "two");
	symbols_free(symbols);
}

/* The process has ended when its map is looked for. */
Test(symbols, perf_map_of_a_process_that_has_ended)
{
	const struct frame *frame;
	pid_t pid = fork();
	int status;

	if (!pid)
		for (;;)
			pause();
	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	frame = symbols_user(symbols, pid, 0x1004);
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", pid);
	atexit(remove_map);
	FILE *map __fclose = fopen(map_path, "wx");

	cr_assert(map && fputs("1000 10 one\n", map) >= 0 && !fflush(map));
	cr_assert(!kill(pid, SIGKILL) && waitpid(pid, &status, 0) == pid);
	cr_expect_eq(symbols_name(symbols), 0);
	cr_expect_str_eq(frame->name, "one");
	symbols_free(symbols);
}

/* A line that is longer than what is read at once, up to the numbers of the next one. */
Test(symbols, perf_map_with_long_lines)
{
	char *name __free = base_alloc(200001), *text __free = NULL;

	memset(name, 'x', 200000);
	text = base_printf("1000 10 before\n2000 10 %s\n3000 10 %s 4000 10 not a line\n5000 10 behind\n", name, name);
	write_map(text, 0);
	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	cr_expect_str_eq(jit_name(0x1000), "before");
	cr_expect_eq(strlen(jit_name(0x2000)), PERF_MAP_NAME_MAX - 1);
	cr_expect_str_eq(jit_name(0x4000), "[unknown]");
	cr_expect_str_eq(jit_name(0x5000), "behind");
	symbols_free(symbols);
}

Test(symbols, perf_map_that_is_no_file)
{
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", getpid());
	atexit(remove_map);
	cr_assert_eq(mkfifo(map_path, 0600), 0);
	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	cr_expect_str_eq(jit_name(0x1000), "[unknown]");
	cr_assert_eq(symbols->notes.n, 1);
	cr_expect(strstr(symbols->notes.v[0], "is a FIFO"), "%s", symbols->notes.v[0]);
	cr_expect(strstr(symbols->notes.v[0], " /tmp/perf-"), "%s", symbols->notes.v[0]);
	symbols_free(symbols);
}

/* root reads anybody's map, but only the process's own or root's counts. */
Test(symbols, perf_map_of_another_user)
{
	if (geteuid())
		cr_skip_test("only root can give a file away");
	write_map("1000 10 planted\n", 0);
	cr_assert_eq(chown(map_path, 65534, 65534), 0);
	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	cr_expect_str_eq(jit_name(0x1000), "[unknown]");
	cr_assert_eq(symbols->notes.n, 1);
	cr_expect(strstr(symbols->notes.v[0], "belongs to user 65534"), "%s", symbols->notes.v[0]);
	symbols_free(symbols);
}

/* ---- the system's files ---- */

struct truth {
	struct truth_symbol {
		uint64_t start, size;
		char *name;
	} * v;
	size_t n, cap;
};

/* Adds the functions that readelf lists. */
static void read_truth(struct truth *truth, const char *path)
{
	char *command __free = base_printf("readelf -sW '%s' 2>&1", path);
	char line[8192], size[32], type[32], index[32], name[4096];
	FILE *out = popen(command, "r");

	cr_assert(out);
	while (fgets(line, sizeof(line), out)) {
		unsigned long long value;

		if (sscanf(line, " %*u: %llx %31s %31s %*s %*s %31s %4095s", &value, size, type, index, name) != 5)
			continue;
		if ((strcmp(type, "FUNC") && strcmp(type, "IFUNC")) || !strcmp(index, "UND"))
			continue;
		name[1 + strcspn(name + 1, "@")] = 0;
		*vec_push(truth) = (struct truth_symbol){ value, strtoull(size, NULL, 0),
							  base_printf("%s%s", name, *type == 'I' ? "@resolver" : "") };
	}
	cr_assert_eq(pclose(out), 0);
}

static void truth_release(struct truth *truth)
{
	vec_each(symbol, truth)
		free(symbol->name);
	free(truth->v);
}

/* Whether an IFUNC has the name: what it is bound to has no symbol. */
static bool is_bound(const struct truth *truth, const char *name)
{
	char *resolver __free = base_printf("%s@resolver", name);

	vec_each(symbol, truth)
		if (!strcmp(symbol->name, resolver))
			return true;
	return false;
}

/* Whether a name that was given is true: a symbol that covers the place, or none if none does. */
static bool is_true(const struct truth *truth, const struct frame *frame, bool *is_symbol)
{
	bool covered = false, sizeless = false;

	*is_symbol = !strstr(frame->name, "+fn@0x") && !strstr(frame->name, "+0x") && !strstr(frame->name, "+plt") &&
		     !strstr(frame->name, "@plt");
	vec_each(symbol, truth) {
		bool covers = frame->address - symbol->start < symbol->size;

		covered |= covers;
		if (covers && !strcmp(symbol->name, frame->name))
			return true;
		sizeless |= !symbol->size && symbol->start == frame->start && !strcmp(symbol->name, frame->name);
	}
	return *is_symbol ? !covered && (sizeless || is_bound(truth, frame->name)) : !covered;
}

static void compare_with_readelf(const char *file)
{
	char *path __free = realpath(file, NULL);
	struct truth truth __cleanup(truth_release) = {};
	const struct binary_symbol *functions;
	const struct frame *frames[4000];
	size_t n, named = 0, total = 0;
	uint64_t random = 1;

	if (!path)
		return;
	begin(path, (struct symbols_options){ .mangled = true });
	cr_assert_eq(binary_functions(binary, &functions, &n, NULL), 0);
	read_truth(&truth, path);
	if (*binary_source(binary) == '/')
		read_truth(&truth, binary_source(binary));
	while (total < ARRAY_SIZE(frames)) {
		uint64_t from = functions[0].offset, to = functions[n - 1].offset, vaddr;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		if (!binary_vaddr_of(binary, from + (random >> 16) % (to - from), &vaddr))
			frames[total++] = symbols_user(symbols, 0, FRAME(7, from + (random >> 16) % (to - from)));
	}
	cr_expect_eq(symbols_name(symbols), 0);
	for (size_t i = 0; i < total; i++) {
		bool is_symbol;

		cr_expect(is_true(&truth, frames[i], &is_symbol), "%s: 0x%llx is not %s", path,
			  (unsigned long long)frames[i]->address, frames[i]->name);
		named += is_symbol;
	}
	cr_log_info("%s: %zu of %zu places have names", path, named, total);
	cr_expect_gt(named, total / 20);
	done();
}

Test(symbols, truth)
{
	compare_with_readelf("/bin/bash");
	module.root = fixture_dir;
	compare_with_readelf(LIBS "libc.so.6");
	module.root = NULL;
	compare_with_readelf("/proc/self/exe");
	compare_with_readelf(LIBS "libc.so.6");
	compare_with_readelf(LIBS "libcrypto.so.3");
	compare_with_readelf(LIBS "libstdc++.so.6");
	compare_with_readelf("/usr/bin/python3.11");
	compare_with_readelf("/usr/bin/node");
}

/*
 * What Go's runtime calls a function: without the calling convention that the linker appends, with [...] for the
 * arguments of types, and with the middle dots that the linker writes as dots into symbols.
 */
static bool is_named_in_go(const char *symbol, const char *name)
{
	for (; *name && strncmp(name, "[...]", strlen("[...]")); symbol++, name++) {
		bool dot = !strncmp(name, "·", strlen("·"));

		if (*symbol != (dot ? '.' : *name))
			return false;
		name += dot ? strlen("·") - 1 : 0;
	}
	return *name ? *symbol == '[' : !*symbol || !strcmp(symbol, ".abi0");
}

/* A stripped program of Go has the names that it has with symbols. */
Test(symbols, go)
{
	const struct binary_symbol *functions;
	struct binary *whole = NULL;
	size_t n, same = 0;

	fixture_text("shop.go", "package main\n"
				"type Cart struct{ m map[string]int }\n"
				"//go:noinline\nfunc (c *Cart) Add(s string) { c.m[s]++ }\n"
				"func main() { c := &Cart{map[string]int{}}; c.Add(\"x\"); println(len(c.m)) }\n");
	if (system("command -v go > /dev/null"))
		cr_skip_test("there is no go");
	fixture_run("export HOME=$PWD GOFLAGS=-buildvcs=false CGO_ENABLED=0; go build -o whole shop.go && "
		    "go build -ldflags='-s -w' -o stripped shop.go");
	whole = fixture_open(fixture_path("whole"));
	begin(fixture_path("stripped"), (struct symbols_options){});
	cr_assert_eq(binary_functions(whole, &functions, &n, NULL), 0);
	for (size_t i = 0; i + 1 < n; i++) {
		const struct frame *frame;

		/* without a size: marks of the linker */
		if (!functions[i].size || functions[i + 1].offset == functions[i].offset)
			continue;
		frame = symbols_user(symbols, 0, FRAME(7, functions[i].offset + functions[i].size - 1));
		cr_expect_eq(symbols_name(symbols), 0);
		if (strstr(frame->name, "stripped+0x"))
			continue;
		cr_expect(is_named_in_go(functions[i].name, frame->name), "%s is not %s", frame->name, functions[i].name);
		cr_expect_eq(frame->start, functions[i].vaddr);
		same++;
	}
	cr_expect_gt(same, n * 9 / 10);
	binary_close(whole);
	done();
}

/* A table of Go 1.26 and later, which does not say where the text is: two functions after some other code. */
static const char go_1_26[] = ".text\n.fill 64\n"
			      "text: .fill 32\nsecond: .fill 32\nend:\n"
			      ".section .gopclntab, \"a\"\n"
			      "table: .long 0xfffffff1\n.byte 0, 0, 1, 8\n"
			      ".quad 2, 0, 0, names - table, 0, 0, 0, functions - table\n"
			      "names: .asciz \"main.main\", \"main.(*Cart).Add\"\n"
			      "functions: .long 0, one - functions, second - text, two - functions, end - text\n"
			      "one: .long 0, 0\ntwo: .long second - text, 10\n"
			      ".section .go.module, \"aw\"\n"
			      ".quad table\n.fill 15, 8\n.quad functions, 2 + MORE, 3, 0, text, end, text, end\n";

/*
 * Links it with the entries that its list has more than functions, and opens it. Returns the place of its text in the
 * file.
 */
static uint64_t begin_go(const char *flags, int more)
{
	char *command __free = base_printf("$CC -nostdlib -Wl,-e,0 -DMORE=%d %s -o out f.S", more, flags);
	uint64_t vaddr, offset;

	fixture_text("f.S", go_1_26);
	fixture_run(command);
	begin(fixture_path("out"), (struct symbols_options){});
	cr_assert_eq(binary_find_symbol(binary, "text", &vaddr), 0);
	cr_assert_eq(binary_offset_of(binary, vaddr, true, &offset), 0);
	return offset;
}

Test(symbols, go_table_without_address)
{
	static const char *const flags[] = { "-static", "-static-pie", "-shared" };

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		uint64_t text = begin_go(flags[i], 1);

		expect_name(text, "main.main");
		expect_name(text + 31, "main.main");
		expect_name(text + 32, "main.(*Cart).Add");
		expect_name(text + 63, "main.(*Cart).Add");
		cr_expect(strstr(name_at(text - 1), "out+0x"));
		cr_expect(strstr(name_at(text + 64), "out+0x"));
		done();
	}
	/* a form that we do not know: no name rather than a wrong one */
	cr_expect(strstr(name_at(begin_go("-static", 2)), "out+0x"));
	done();
}
