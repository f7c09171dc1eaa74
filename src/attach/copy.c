// SPDX-License-Identifier: BSD-2-Clause
/* Copies of a template program, each with the constants of its way of attaching written into it. */
#include <linux/bpf.h>

#include "base/report.h"
#include "bpf/latency.h"
#include "mechanism.h"
#include "quirks.h"

#define LD_IMM64 (BPF_LD | BPF_DW | BPF_IMM)

/* Of the path to the instruction that is refused; only what is written takes memory. */
#define LOG_SIZE (16 * 1024 * 1024)

static void patch(struct bpf_insn *insns, size_t n, uint64_t mark, uint64_t value)
{
	for (size_t i = 0; i + 1 < n; i++) {
		uint64_t now = (uint32_t)insns[i].imm | (uint64_t)(uint32_t)insns[i + 1].imm << 32;

		if (insns[i].code != LD_IMM64)
			continue;
		if (!insns[i].src_reg && now == mark) {
			insns[i].imm = value;
			insns[i + 1].imm = value >> 32;
		}
		i++;
	}
}

static void patch_operand(struct bpf_insn *insns, size_t n, uint8_t code, int32_t mark, int32_t value)
{
	for (size_t i = 0; i < n; i++)
		if (insns[i].code == code && insns[i].imm == mark)
			insns[i].imm = value;
}

/* An operand of any calculation; a mark that is wider is none. */
static void patch_operands(struct bpf_insn *insns, size_t n, const struct attach_mark *mark)
{
	for (size_t i = 0; i < n; i++)
		if (BPF_CLASS(insns[i].code) == BPF_ALU64 && BPF_SRC(insns[i].code) == BPF_K &&
		    (uint64_t)insns[i].imm == mark->mark)
			insns[i].imm = mark->value;
}

/*
 * A compare-and-swap becomes a load of what is there: for kernels that have none, which refuse a
 * program even where it is never reached. The program stores by itself what it has found to be free.
 */
static void patch_swaps(struct bpf_insn *insns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (insns[i].code == (BPF_STX | BPF_ATOMIC | BPF_DW) && insns[i].imm == BPF_CMPXCHG)
			insns[i] = (struct bpf_insn){
				.code = BPF_LDX | BPF_MEM | BPF_DW,
				.dst_reg = BPF_REG_0,
				.src_reg = insns[i].dst_reg,
				.off = insns[i].off,
			};
}

static void patch_marks(struct bpf_insn *insns, size_t n, const struct attach_options *options)
{
	for (size_t i = 0; i < options->n_marks; i++) {
		patch(insns, n, options->marks[i].mark, options->marks[i].value);
		patch_operands(insns, n, &options->marks[i]);
	}
}

static enum context_kind context_of(const struct copy *copy)
{
	switch (copy->type) {
	case BPF_PROG_TYPE_TRACING:
		return CONTEXT_TRACING;
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
		return CONTEXT_RAW_TP;
	case BPF_PROG_TYPE_TRACEPOINT:
		return quirk_task_regs() ? CONTEXT_TP : CONTEXT_TP_REGS;
	default:
		return CONTEXT_REGS;
	}
}

static int load(const struct attach *attach, const struct copy *copy, char *log, size_t log_size)
{
	const struct bpf_program *program = attach->program;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = copy->attach_type,
		    .attach_btf_id = copy->btf_id, .log_buf = log, .log_size = log_size,
		    .log_level = log ? 1 : 0);
	size_t n = bpf_program__insn_cnt(program);
	__free struct bpf_insn *insns = base_alloc(n * sizeof(*insns));

	memcpy(insns, bpf_program__insns(program), n * sizeof(*insns));
	patch(insns, n, SLOT_MARK_HOW, copy->how);
	patch(insns, n, SLOT_MARK_VALUE, copy->value);
	patch(insns, n, SLOT_MARK_SHARED, attach->shared);
	patch(insns, n, CONTEXT_MARK, context_of(copy));
	patch(insns, n, LATENCY_MARK_GO, copy->go);
	patch_operand(insns, n, BPF_ALU64 | BPF_AND | BPF_K, SLOT_MARK_ROWS, attach->options.rows - 1);
	patch_operand(insns, n, BPF_ALU64 | BPF_MUL | BPF_K, SLOT_MARK_ROW, attach->options.row_size);
	patch_marks(insns, n, &attach->options);
	if (!quirk_swaps())
		patch_swaps(insns, n);
	session_patch(insns, n);
	return bpf_prog_load(copy->type, bpf_program__name(program), "Dual BSD/GPL", insns, n, &opts);
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

/* A program for a trampoline is refused before it is looked at when its function may not have one. */
static bool was_looked_at(const char *log)
{
	const char *processed = strstr(log, "processed ");

	return processed && atoi(processed + strlen("processed ")) > 0;
}

/* The verifier's own words, for a bug of ours or a kernel that knows less than we think. NULL: the error says it all. */
static const char *why_rejected(const struct attach *attach, const struct copy *copy, int error)
{
	const char *why = attach_rejected(error);
	__free char *log = NULL;
	__close int fd = -1;

	if (!why)
		return NULL;
	/* programs that read the kernel's memory are refused then, with any error */
	if (quirk_refusal())
		return quirk_refusal();
	log = base_alloc(LOG_SIZE);
	fd = load(attach, copy, log, LOG_SIZE);
	report_verbose_lines("verifier", log);
	return copy->type == BPF_PROG_TYPE_TRACING && !was_looked_at(log) ? NULL : why;
}

int copy_load(struct attach *attach, const struct copy *copy)
{
	struct loaded *loaded;
	int fd;

	vec_each(it, &attach->copies)
		if (it->of == attach->program && copy->how != SLOT_CONSTANT && !memcmp(&it->copy, copy, sizeof(*copy)))
			return it->fd;
	fd = load(attach, copy, NULL, 0);
	if (fd < 0) {
		attach->rejected = why_rejected(attach, copy, fd);
		return fd;
	}
	loaded = vec_push(&attach->copies);
	loaded->of = attach->program;
	loaded->copy = *copy;
	loaded->fd = fd;
	return fd;
}
