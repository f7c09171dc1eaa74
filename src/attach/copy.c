// SPDX-License-Identifier: BSD-2-Clause
/* Loads copies of an image, and fills the patch sites of each copy for its way of attaching. */
#include <linux/bpf.h>

#include "base/report.h"
#include "mechanism.h"
#include "quirks.h"

/* The verifier's log up to the rejected instruction; only pages that are written take memory. */
#define LOG_SIZE (16 * 1024 * 1024)

/*
 * Replaces a compare-and-swap by a load, for kernels that lack the instruction: they reject a program even if it is
 * unreachable. The program then stores to an entry that it found free. The same for other atomic operations that return
 * the old value: a program must not depend on them.
 */
static void replace_swaps(const struct image *image, struct bpf_insn *insns)
{
	vec_each(site, &image->sites) {
		struct bpf_insn *insn = &insns[site->insn];

		if (site->kind == PATCH_SWAP)
			*insn = (struct bpf_insn){
				.code = BPF_LDX | BPF_MEM | BPF_DW,
				/* where the operation returns the old value */
				.dst_reg = insn->imm == BPF_CMPXCHG ? BPF_REG_0 : insn->src_reg,
				.src_reg = insn->dst_reg,
				.off = insn->off,
			};
	}
}

/* A raw tracepoint's, whose arguments have types. */
static bool is_typed(const struct copy *copy)
{
	return copy->type == BPF_PROG_TYPE_TRACING && copy->attach_type == BPF_TRACE_RAW_TP;
}

static enum context_kind context_of(const struct copy *copy)
{
	switch (copy->type) {
	case BPF_PROG_TYPE_TRACING:
		if (copy->attach_type == BPF_TRACE_ITER)
			return CONTEXT_ITER;
		return is_typed(copy) ? CONTEXT_RAW_TP : CONTEXT_TRACING;
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
		return CONTEXT_RAW_TP;
	case BPF_PROG_TYPE_TRACEPOINT:
		return quirk_task_regs() ? CONTEXT_TP : CONTEXT_TP_REGS;
	default:
		return CONTEXT_REGS;
	}
}

static void patch(const struct attach *attach, const struct image *image, const struct copy *copy, struct bpf_insn *insns)
{
	image_patch_copy(image, insns, PATCH_SLOT_HOW, copy->how);
	image_patch_copy(image, insns, PATCH_SLOT_VALUE, copy->value);
	image_patch_copy(image, insns, PATCH_SLOT_SHARED, attach->shared);
	image_patch_copy(image, insns, PATCH_CONTEXT, context_of(copy));
	image_patch_copy(image, insns, PATCH_TYPED, is_typed(copy));
	image_patch_copy(image, insns, PATCH_LATENCY, copy->calls);
	image_patch_copy(image, insns, PATCH_LEAVES, copy->leaves);
	image_patch_copy(image, insns, PATCH_CPU_OFFSETS, attach->kprobe.offsets);
	image_patch_copy(image, insns, PATCH_KPROBE, attach->kprobe.running);
	session_patch(image, insns);
	if (!quirk_swaps())
		replace_swaps(image, insns);
}

/*
 * In front of a program that must not have a private stack: the kernel gives none to a program with a tail call. This
 * one is behind a jump that the verifier always takes, so that it removes the call; the register stays.
 */
static const struct bpf_insn tail_call[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
	{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .imm = 0, .off = 1 },
	{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_tail_call },
};

/* What is in front of the program. Returns how many instructions that are. */
static size_t write_front(const struct attach *attach, const struct copy *copy, struct bpf_insn *to)
{
	size_t n = copy->own_stack ? ARRAY_SIZE(tail_call) : 0;

	memcpy(to, tail_call, n * sizeof(*to));
	return n + gate_write(&copy->gate, copy->how, copy->value, &attach->gates, to + n);
}

/* The types of a program's functions, when `more` instructions are in front of the first one. The caller frees them. */
static struct bpf_func_info *move_func_info(const struct image_code *code, size_t more)
{
	struct bpf_func_info *moved = base_alloc((code->n_func_info + 1) * sizeof(*moved));

	memcpy(moved, code->func_info, code->n_func_info * sizeof(*moved));
	for (size_t i = 0; i < code->n_func_info; i++)
		moved[i].insn_off += moved[i].insn_off ? more : 0;
	return moved;
}

static int load(const struct attach *attach, const struct image *image, const struct copy *copy, char *log, size_t log_size)
{
	const struct image_code *code = &image->code;
	struct bpf_insn front[ARRAY_SIZE(tail_call) + GATE_MAX];
	size_t more = write_front(attach, copy, front), n = gate_is_alone(&copy->gate) ? 0 : code->n;
	__free struct bpf_func_info *func_info = move_func_info(code, more);
	__close int object = copy->btf_object ? bpf_btf_get_fd_by_id(copy->btf_object) : -1;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = copy->attach_type,
		    .attach_btf_id = copy->btf_id, .prog_btf_fd = code->btf_fd, .func_info = func_info,
		    .func_info_cnt = code->n_func_info, .func_info_rec_size = code->n_func_info ? sizeof(struct bpf_func_info) : 0, .log_buf = log,
		    .log_size = log_size, .log_level = log ? 1 : 0,
		    .prog_flags = code->remembers_all ? BPF_F_TEST_STATE_FREQ : 0);
	__free struct bpf_insn *insns = base_alloc((n + more) * sizeof(*insns));

	if (copy->btf_object && object < 0)
		return object;
	opts.attach_btf_obj_fd = copy->btf_object ? object : 0;
	memcpy(insns, front, more * sizeof(*insns));
	memcpy(insns + more, code->insns, n * sizeof(*insns));
	if (n)
		patch(attach, image, copy, insns + more);
	else
		opts.func_info_cnt = 0;
	return bpf_prog_load(copy->type, code->name, "Dual BSD/GPL", insns, n + more, &opts);
}

const char *attach_rejected(int error)
{
	switch (-error) {
	case EACCES:
	case EINVAL:
	case E2BIG:
	case ENOSPC:
	case EFAULT:
		return report_is_verbose() ? "the kernel rejected the BPF program"
					   : "the kernel rejected the BPF program (-v shows what its verifier says)";
	}
	return NULL;
}

/* The kernel rejects a program for a trampoline before it verifies it, if the function cannot have a trampoline. */
static bool was_looked_at(const char *log)
{
	const char *processed = strstr(log, "processed ");

	return processed && atoi(processed + strlen("processed ")) > 0;
}

/* What the verifier complains of is its last line, but for what it has counted. */
static void say_complaint(const char *name, const char *log)
{
	const char *last = log;
	int len = 0;

	for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (!strncmp(line, "processed ", strlen("processed ")))
			break;
		if (*line == '\n')
			continue;
		last = line;
		len = (int)strcspn(line, "\n");
	}
	if (len)
		report_verbose("the kernel refused the program '%s': %.*s", name, len, last);
}

/*
 * Returns the reason for a rejection by the verifier: our own bug, or a kernel that lacks something. NULL: other
 * errors.
 */
static const char *why_rejected(const struct attach *attach, const struct copy *copy, int error)
{
	const char *why = attach_rejected(error);
	__free char *log = NULL;
	__close int fd = -1;

	if (!why)
		return NULL;
	/* programs that read kernel memory are rejected then, with any error */
	if (quirk_refusal())
		return quirk_refusal();
	log = base_alloc(LOG_SIZE);
	fd = load(attach, attach->image, copy, log, LOG_SIZE);
	report_verbose_lines("verifier", log);
	if (fd < 0)
		say_complaint(attach->image->code.name, log);
	return copy->type == BPF_PROG_TYPE_TRACING && !was_looked_at(log) ? NULL : why;
}

int attach_load(const struct image *image, int type, int attach_type, uint32_t btf_id, struct err *err)
{
	struct attach attach = { .image = image, .shared = true };
	const struct copy copy = { .type = type, .attach_type = attach_type, .btf_id = btf_id };
	int fd = image_check(image, err);
	const char *why;

	if (fd)
		return fd;
	fd = load(&attach, image, &copy, NULL, 0);
	if (fd >= 0)
		return fd;
	why = why_rejected(&attach, &copy, fd);
	return err_set(err, fd, "%s", why ? why : fd == -EPERM ? quirk_denial()
							       : strerror(-fd));
}

/* Whether an adopted copy is one of the image. The kernel keeps the first bytes of a name. */
static bool is_named(const struct loaded *loaded, const struct image *image)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);

	return !bpf_prog_get_info_by_fd(loaded->fd, &info, &len) &&
	       !strncmp(info.name, image->code.name, sizeof(info.name) - 1);
}

/* Links with a constant slot have a copy each; at resume they find theirs, or those of others with the same slot. */
static struct loaded *find_loaded(struct attach *attach, const struct copy *copy)
{
	vec_each(it, &attach->copies) {
		bool fits = !it->only_kept && !memcmp(&it->copy, copy, sizeof(*copy)) && (copy->how != SLOT_CONSTANT || !it->again);

		if (!fits || (it->of ? it->of != attach->image : !is_named(it, attach->image)))
			continue;
		it->of = attach->image;
		it->again = true;
		return it;
	}
	return NULL;
}

int copy_load_ahead(const struct attach *attach, const struct image *image, const struct copy *copy)
{
	return load(attach, image, copy, NULL, 0);
}

int copy_load_anew(struct attach *attach, int program)
{
	vec_each(it, &attach->copies) {
		int fd;

		if (it->fd != program)
			continue;
		fd = load(attach, attach->image, &it->copy, NULL, 0);
		if (fd < 0)
			return fd;
		close(it->fd);
		it->fd = fd;
		return fd;
	}
	return -ENOENT;
}

int copy_load(struct attach *attach, const struct copy *copy)
{
	struct loaded *loaded;
	int fd;

	loaded = find_loaded(attach, copy);
	if (loaded)
		return loaded->fd;
	fd = gate_prepare(&copy->gate, &attach->gates, !attach->options.pid);
	if (fd < 0)
		return fd;
	fd = load(attach, attach->image, copy, NULL, 0);
	if (fd < 0) {
		attach->rejected = why_rejected(attach, copy, fd);
		return fd;
	}
	loaded = vec_push(&attach->copies);
	loaded->of = attach->image;
	loaded->copy = *copy;
	loaded->fd = fd;
	loaded->again = true;
	return fd;
}
