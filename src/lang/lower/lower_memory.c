// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory of programs: objects in the frame, scratch memory, loads and stores, copies. The verifier wants aligned
 * accesses to the frame, and constant offsets everywhere.
 */
#include <linux/bpf.h>

#include "lowering.h"

static uint32_t round_up_8(uint32_t size)
{
	return (size + 7) & ~7U;
}

struct low_memory lower_pointed(struct ir_value base, enum type_space space)
{
	return (struct low_memory){ .base = base, .space = space };
}

bool lower_fits(const struct lower *l, uint32_t size)
{
	uint32_t all = l->shared_size + l->f->inner_size + size;

	for (const struct low_function *f = l->f; f; f = f->outer)
		all += f->frame_size;
	return size <= LOWER_OBJECT_MAX && all <= LOWER_FRAMES_MAX;
}

static struct low_memory frame_object(struct lower *l, uint32_t size)
{
	l->f->frame_size += size;
	return (struct low_memory){
		.is_object = true, .object = ir_new_object(&l->b, size, 8), .space = SPACE_BPF
	};
}

struct low_memory lower_scratch(struct lower *l, uint32_t size)
{
	struct low_memory memory = lower_pointed(l->f->scratch, SPACE_BPF);

	l->probe->needs.scratch = true;
	memory.at = l->scratch_top;
	l->scratch_top += round_up_8(size);
	if (l->scratch_top > l->scratch_size)
		l->scratch_size = l->scratch_top;
	return memory;
}

struct low_memory lower_object(struct lower *l, uint32_t size)
{
	struct low_memory memory;

	size = round_up_8(size);
	if (lower_fits(l, size))
		return frame_object(l, size);
	memory = lower_scratch(l, size);
	l->scratch_kept = l->scratch_top;
	return memory;
}

struct low_memory lower_temp(struct lower *l, uint32_t size)
{
	struct low_function *f = l->f;
	struct low_memory memory;

	size = size ? round_up_8(size) : 8;
	for (uint32_t i = 0; i < f->n_temps; i++) {
		if (f->temps[i].size != size || f->used_temps >> i & 1)
			continue;
		f->used_temps |= 1ULL << i;
		return (struct low_memory){ .is_object = true, .object = f->temps[i].object, .space = SPACE_BPF };
	}
	if (f->n_temps == LOWER_TEMPS || !lower_fits(l, size))
		return lower_scratch(l, size);
	memory = frame_object(l, size);
	f->temps[f->n_temps] = (struct low_temp){ memory.object, size };
	f->used_temps |= 1ULL << f->n_temps++;
	return memory;
}

struct low_mark lower_mark(struct lower *l)
{
	return (struct low_mark){ l->scratch_top, l->f->used_temps };
}

void lower_release(struct lower *l, struct low_mark mark)
{
	l->scratch_top = mark.scratch > l->scratch_kept ? mark.scratch : l->scratch_kept;
	l->f->used_temps = mark.used_temps;
}

struct ir_value lower_address(struct lower *l, const struct low_memory *memory)
{
	if (memory->is_object)
		return ir_address(&l->b, IR_OBJECT, memory->object, memory->at);
	return memory->at ? ir_binary(&l->b, IR_ADD, memory->base, ir_imm(memory->at)) : memory->base;
}

/* The base of a load or store, and what is to be added to its offset. */
static struct ir_value base_of(struct lower *l, const struct low_memory *memory, int64_t *at)
{
	*at = memory->at;
	return memory->is_object ? ir_address(&l->b, IR_OBJECT, memory->object, 0) : memory->base;
}

struct ir_value lower_load(struct lower *l, const struct low_memory *memory, uint8_t bits, bool is_signed)
{
	int64_t at;
	struct ir_value base = base_of(l, memory, &at);

	return ir_load(&l->b, bits, is_signed, base, at);
}

void lower_store(struct lower *l, const struct low_memory *memory, uint8_t bits, struct ir_value v)
{
	int64_t at;
	struct ir_value base = base_of(l, memory, &at);

	ir_store(&l->b, bits, base, at, v);
}

static struct ir_value call(struct lower *l, enum ir_op op, uint32_t index, uint8_t n, va_list values)
{
	struct ir_value args[5];

	for (uint8_t i = 0; i < n; i++)
		args[i] = va_arg(values, struct ir_value);
	return ir_call(&l->b, op, index, args, n);
}

struct ir_value lower_helper(struct lower *l, uint32_t helper, unsigned int n, ...)
{
	struct ir_value ret;
	va_list values;

	va_start(values, n);
	ret = call(l, IR_HELPER, helper, n, values);
	va_end(values);
	return ret;
}

struct ir_value lower_library(struct lower *l, uint32_t function, unsigned int n, ...)
{
	struct ir_value ret;
	va_list values;

	va_start(values, n);
	ret = call(l, IR_LIBRARY, function, n, values);
	va_end(values);
	return ret;
}

/* Whether programs load from there themselves. */
static bool is_loadable(const struct low_memory *memory)
{
	return memory->space == SPACE_BPF || memory->space == SPACE_CONTEXT;
}

void lower_read(struct lower *l, const struct low_memory *to, const struct low_memory *from, struct ir_value size)
{
	bool is_user = from->space == SPACE_USER;
	struct ir_value to_address = lower_address(l, to), ret;

	ret = lower_helper(l, is_user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel, 3, to_address, size,
			   lower_address(l, from));
	if (!is_loadable(from))
		lower_check_read(l, is_user ? "probe_read_user" : "probe_read_kernel", ret, false);
}

/*
 * A pointer in the context of an iterator: a load would give one that the verifier follows, and that it lets nobody
 * compute with. Read by a helper it is a number.
 */
static bool is_typed(const struct lower *l, const struct low_memory *memory, const struct type *type)
{
	return memory->space == SPACE_CONTEXT && type->kind == TYPE_POINTER && l->probe->kind == PROBE_ITER;
}

static bool is_aligned(const struct low_memory *memory)
{
	return memory->is_object || memory->is_frame || memory->space == SPACE_CONTEXT;
}

/* How many bytes an access at this place may have at most. */
static uint32_t access_size(const struct low_memory *memory, uint32_t done, uint32_t left)
{
	uint64_t at = (uint64_t)memory->at + done;
	uint32_t size = 8;

	while (size > left || (is_aligned(memory) && at % size))
		size /= 2;
	return size;
}

/* An integer whose bytes are loaded one after the other, for it is not aligned in the frame. */
static struct ir_value load_parts(struct lower *l, const struct low_memory *memory, uint32_t size)
{
	struct ir_value v = ir_imm(0);

	for (uint32_t done = 0, n; done < size; done += n) {
		struct low_memory part = lower_behind(*memory, done);
		struct ir_value piece;

		n = access_size(memory, done, size - done);
		piece = lower_load(l, &part, n * 8, false);
		if (done)
			piece = ir_binary(&l->b, IR_SHL, piece, ir_imm(done * 8));
		v = done ? ir_binary(&l->b, IR_OR, v, piece) : piece;
	}
	return v;
}

static struct ir_value bit_field(struct lower *l, struct ir_value v, const struct low_memory *memory, bool is_signed)
{
	v = ir_binary(&l->b, IR_SHL, v, ir_imm(64 - memory->bit_at - memory->bit_count));
	return ir_binary(&l->b, is_signed ? IR_SAR : IR_SHR, v, ir_imm(64 - memory->bit_count));
}

struct ir_value lower_load_scalar(struct lower *l, const struct low_memory *memory, const struct type *type)
{
	bool is_signed = type->is_signed && !memory->bit_count;
	uint32_t size = type->size ? type->size : 8;
	struct low_memory from = *memory;
	struct ir_value v;

	if (!is_loadable(memory) || is_typed(l, memory, type)) {
		struct low_mark mark = lower_mark(l);

		from = lower_temp(l, 8);
		lower_read(l, &from, memory, ir_imm(size));
		lower_release(l, mark);
	}
	if (access_size(&from, 0, size) == size) {
		v = lower_load(l, &from, size * 8, is_signed);
	} else {
		v = load_parts(l, &from, size);
		if (is_signed && size < 8)
			v = ir_unary(&l->b, IR_SIGN, size * 8, v);
	}
	return memory->bit_count ? bit_field(l, v, memory, type->is_signed) : v;
}

void lower_copy(struct lower *l, const struct low_memory *to, const struct low_memory *from, uint32_t size)
{
	if (!is_loadable(from) || size > LOWER_OBJECT_MAX) {
		if (size)
			lower_read(l, to, from, ir_imm(size));
		return;
	}
	for (uint32_t done = 0, n; done < size; done += n) {
		struct low_memory from_part = lower_behind(*from, done), to_part = lower_behind(*to, done);
		uint32_t other;

		n = access_size(to, done, size - done);
		other = access_size(from, done, size - done);
		n = other < n ? other : n;
		lower_store(l, &to_part, n * 8, lower_load(l, &from_part, n * 8, false));
	}
}

void lower_zero(struct lower *l, const struct low_memory *to, uint32_t size)
{
	uint32_t done = 0, n;

	if (size > 2 * LOWER_OBJECT_MAX) {
		lower_library(l, LANG_FN_zero, 2, lower_address(l, to), ir_imm(size & ~7U));
		done = size & ~7U;
	}
	for (; done < size; done += n) {
		struct low_memory part = lower_behind(*to, done);

		n = access_size(to, done, size - done);
		lower_store(l, &part, n * 8, ir_imm(0));
	}
}

void lower_bytes(struct lower *l, const struct low_memory *to, const void *bytes, uint32_t size)
{
	for (uint32_t done = 0, n; done < size; done += n) {
		struct low_memory part = lower_behind(*to, done);
		int64_t word = 0;

		n = access_size(to, done, size - done);
		memcpy(&word, (const char *)bytes + done, n);
		lower_store(l, &part, n * 8, ir_imm(word));
	}
}
