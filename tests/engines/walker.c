// SPDX-License-Identifier: BSD-2-Clause
/*
 * walker SPEC|perf[:PERIOD] MECHANISM PROGRAM ARGS...: starts PROGRAM, which prints "ready" and begins when its
 * standard input ends; takes its stacks wherever SPEC hits, or at each PERIOD ns of its time. Prints a line for each
 * distinct stack, the innermost frame first:
 *
 *	HITS END FLAGS N-KERNEL N-USER leaf odd even odd deep main ...
 *
 * Of a sampler it prints on stderr what the verifier says: "processed N insns". Exits with 1 if something fails.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/plan.h"
#include "base/report.h"
#include "binary/binary.h"
#include "bpf/context.h"
#include "bpf/stack.h"
#include "engine/object.h"
#include "probe/spec.h"
#include "tests/engines/walker.skel.h"
#include "unwind/unwind.h"

static struct unwind *unwind;
static struct object object;
static pid_t child;
static int child_in;

static void fail(const char *what, struct err *err)
{
	fprintf(stderr, "walker: %s: %s\n", what, err ? err->text : strerror(errno));
	if (child)
		kill(child, SIGKILL);
	exit(1);
}

/* --- the program --- */

static void start(char **argv)
{
	int in[2], out[2];
	char line[64] = "";

	if (pipe(in) || pipe(out) || (child = fork()) < 0)
		fail("fork", NULL);
	if (!child) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	child_in = in[1];
	for (size_t n = 0; n < sizeof(line) - 1 && !strchr(line, '\n'); n++)
		if (read(out[0], line + n, 1) != 1)
			fail("the program", NULL);
}

/* --- the programs --- */

/* WALKER_OBJECT names another object to load: by another compiler. */
static const void *walker_bytes(size_t *size)
{
	static char bytes[1 << 20];
	const char *path = getenv("WALKER_OBJECT");
	FILE *f = path ? fopen(path, "r") : NULL;

	if (!path)
		return walker_bpf__elf_bytes(size);
	*size = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
	return *size ? bytes : NULL;
}

static int reuse(const char *name, int fd, struct err *err)
{
	return object_reuse_map(&object, name, fd, err);
}

static void prepare(void)
{
	const struct stack_setup setup = { STACK_DEPTH, STACK_DEPTH, !getenv("WALKER_FP"), 1 };
	const struct unwind_options options = { .pid = child, .tables = setup.tables };
	const struct unwind_maps *maps;
	struct err err = {};
	uint32_t tgid = child;

	if (unwind_new(&unwind, &options, &err))
		fail("the session", &err);
	maps = unwind_maps(unwind);
	if (object_open(&object, walker_bytes, &err) || reuse("unwind_blocks", maps->blocks, &err) ||
	    reuse("unwind_spaces", maps->spaces, &err) || reuse("unwind_files", maps->files, &err) ||
	    reuse("unwind_rules", maps->rules, &err) ||
	    reuse("interp_plans", maps->plans, &err) ||
	    object_size_map(&object, "stacks", 1 << 20, &err) || object_size_map(&object, "stack_seen", 1024, &err) ||
	    object_size_map(&object, "stack_slots", STACK_SLOTS * libbpf_num_possible_cpus(), &err) ||
	    object_fill(&object, ".rodata.stack", &setup, sizeof(setup), &err) ||
	    object_fill(&object, ".rodata.walker", &tgid, sizeof(tgid), &err) || object_prepare(&object, NULL, &err))
		fail("the object", &err);
	if (unwind_start(unwind, NULL, NULL, &err))
		fail("the session", &err);
}

static int sample(const struct image *image, uint64_t period)
{
	static char log[65536];
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period,
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_btf_fd = image->code.btf_fd, .func_info = image->code.func_info,
		    .func_info_cnt = image->code.n_func_info, .func_info_rec_size = sizeof(struct bpf_func_info),
		    .log_level = 4, .log_buf = log, .log_size = sizeof(log));
	int fd, prog;

	image_patch_copy(image, (struct bpf_insn *)image->code.insns, PATCH_CONTEXT, CONTEXT_REGS);
	prog = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "walk", "GPL", image->code.insns, image->code.n, &opts);
	fprintf(stderr, "%s", strstr(log, "processed ") ?: log);
	fd = syscall(SYS_perf_event_open, &attr, child, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (prog < 0 || fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		fail(prog < 0 ? "the sampler is not loaded" : "perf event", NULL);
	return fd;
}

static enum mech mech_of(const char *name)
{
	for (size_t i = 0; i < MECHS; i++)
		if (mech_names[i] && !strcmp(name, mech_names[i]))
			return i;
	fail("no such mechanism", NULL);
	return 0;
}

static void attach_to(const struct image *image, const char *spec, enum mech mech)
{
	static struct target_set set;
	const struct target_options options = { .pid = child };
	const struct attach_options how = { .mech = mech };
	const struct plan_step step = { .how = PLAN_EACH, .image = image };
	struct err err = {};
	size_t bad;

	if (target_resolve(&spec, 1, &options, &set, &bad, &err))
		fail(spec, &err);
	if (plan_run(attach_new(&set, &how), &step, 1, &err))
		fail(spec, &err);
}

/* --- what they say --- */

static struct seen {
	struct stack_record *record;
	uint64_t hits;
} seen[1024];
static size_t n_seen;

static int on_stack(void *ctx, void *data, size_t size)
{
	struct stack_record *record = data;

	if (size < sizeof(*record) || size != sizeof(*record) + 8 * (record->n_user + record->n_kernel))
		fail("a record of another size", NULL);
	for (size_t i = 0; i < n_seen; i++)
		if (seen[i].record->id == record->id)
			return 0;
	if (n_seen == ARRAY_SIZE(seen))
		fail("so many stacks", NULL);
	seen[n_seen].record = memcpy(malloc(size), data, size);
	n_seen++;
	return 0;
}

static int on_id(void *unused, void *data, size_t size)
{
	for (size_t i = 0; i < n_seen; i++)
		if (seen[i].record->id == *(uint64_t *)data) {
			seen[i].hits++;
			return 0;
		}
	printf("an id without a stack: %llx\n", *(unsigned long long *)data);
	return 0;
}

static const char *name_of(uint64_t frame)
{
	static struct binary *binaries[64];
	const struct unwind_module *module = unwind_module(unwind, frame >> STACK_MODULE_SHIFT);
	struct binary **binary = &binaries[frame >> STACK_MODULE_SHIFT & 63];
	const struct binary_symbol *symbols, *found = NULL;
	uint64_t offset = frame & STACK_OFFSET_MASK;
	size_t n;

	if (!module || module->kind != UNWIND_FILE || (!*binary && binary_open(NULL, module->path, binary, NULL)) ||
	    binary_functions(*binary, &symbols, &n, NULL))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (symbols[i].offset <= offset && offset < symbols[i].offset + (symbols[i].size ?: 1))
			found = &symbols[i];
	return found ? found->name : NULL;
}

static void print(const struct seen *stack)
{
	static const char *const ends[] = {
		[STACK_END_ROOT] = "root",
		[STACK_END_NO_USER] = "no-user",
		[STACK_END_PROCESS] = "process",
		[STACK_END_MAPPING] = "mapping",
		[STACK_END_NO_FDE] = "no-fde",
		[STACK_END_EXPRESSION] = "expression",
		[STACK_END_MEMORY] = "memory",
		[STACK_END_DEPTH] = "depth",
		[STACK_END_DAMAGED] = "damaged",
	};
	const struct stack_record *record = stack->record;

	printf("%llu %s %d %d %d", (unsigned long long)stack->hits, ends[record->end], record->flags & ~STACK_NO_OWN,
	       record->n_kernel, record->n_user);
	for (size_t i = 0; i < record->n_user; i++) {
		const char *name = name_of(record->frames[i]);

		if (name)
			printf(" %s", name);
		else
			printf(" %llx", record->frames[i]);
	}
	printf("\n");
}

static int run(const char *spec, enum mech mech)
{
	__cleanup(image_release) struct image image = {};
	struct ring_buffer *rings[2];
	struct err err = {};
	int status;

	if (object_image(&object, "walk", &image, &err))
		fail("the image", &err);
	if (!strncmp(spec, "perf", 4))
		sample(&image, spec[4] ? atoll(spec + 5) : 1000000);
	else
		attach_to(&image, spec, mech);
	close(child_in);
	waitpid(child, &status, 0);
	rings[0] = ring_buffer__new(object_map_fd(&object, "stacks"), on_stack, NULL, NULL);
	rings[1] = ring_buffer__new(object_map_fd(&object, "ids"), on_id, NULL, NULL);
	ring_buffer__consume(rings[0]);
	ring_buffer__consume(rings[1]);
	for (size_t i = 0; i < n_seen; i++)
		print(&seen[i]);
	return status ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: walker SPEC|perf[:NS] MECHANISM PROGRAM ARGS...\n");
		return 2;
	}
	if (getenv("WALKER_VERBOSE"))
		report_set_verbose(true);
	setvbuf(stdout, NULL, _IOLBF, 0);
	start(argv + 3);
	prepare();
	return run(argv[1], mech_of(argv[2]));
}
