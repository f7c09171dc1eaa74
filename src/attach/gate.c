// SPDX-License-Identifier: BSD-2-Clause
/* Writes the instructions of gates. gate.h says what they are for. */
#include <asm/ptrace.h>
#include <bpf/bpf.h>
#include <errno.h>

#include "base/base.h"
#include "gate.h"

/*
 * How many calls may be handed over at a time. Those that end by an exception or a jump stay in the map, until they are
 * the oldest and their entry is needed.
 */
#define CALLS_MAX 16384

/* Where a call is: the begin of the key is the frame, then the slot and, in the upper half, the process. */
struct key {
	uint64_t frame, who;
};

/* The value of the map `tally`: calls that were put into the map, and those that were taken out at their ends. */
struct tally {
	uint64_t put, taken;
};

/* On the stack of the program. */
#define AT_KEY	   (-(int)sizeof(struct key))
#define AT_ADDRESS (AT_KEY - 8)
#define AT_LEAD	   (AT_ADDRESS - (int)sizeof(struct gate_lead))
#define AT_CALLS   (AT_LEAD - (int)sizeof(struct gate_calls))

#if defined(__x86_64__)
#define AT_IP	 offsetof(struct pt_regs, rip)
#define AT_SP	 offsetof(struct pt_regs, rsp)
#define AT_FLAGS offsetof(struct pt_regs, eflags)

/* By the numbers that registers have in instructions (Intel SDM volume 2, 2.1.5). */
static int at_register(uint32_t number)
{
	static const uint16_t places[] = {
		offsetof(struct pt_regs, rax),
		offsetof(struct pt_regs, rcx),
		offsetof(struct pt_regs, rdx),
		offsetof(struct pt_regs, rbx),
		offsetof(struct pt_regs, rsp),
		offsetof(struct pt_regs, rbp),
		offsetof(struct pt_regs, rsi),
		offsetof(struct pt_regs, rdi),
		offsetof(struct pt_regs, r8),
		offsetof(struct pt_regs, r9),
		offsetof(struct pt_regs, r10),
		offsetof(struct pt_regs, r11),
		offsetof(struct pt_regs, r12),
		offsetof(struct pt_regs, r13),
		offsetof(struct pt_regs, r14),
		offsetof(struct pt_regs, r15),
	};

	return places[number & 15];
}
#else
#define AT_IP offsetof(struct user_pt_regs, pc)
#define AT_SP offsetof(struct user_pt_regs, sp)

static int at_register(uint32_t number)
{
	return (number & 31) * 8;
}
#endif

#define NO_REGISTER 0xff

/* r1 to r5 are arguments and lost by calls. r6: the context. r7: the cookie. r8: the slot. */
struct code {
	struct bpf_insn *v;
	size_t n;
};

static void add(struct code *code, uint8_t op, uint8_t dst, uint8_t src, int off, int imm)
{
	code->v[code->n++] = (struct bpf_insn){ .code = op, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm };
}

static void move(struct code *code, uint8_t dst, uint8_t src)
{
	add(code, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void set(struct code *code, uint8_t dst, int value)
{
	add(code, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value);
}

static void calculate(struct code *code, uint8_t op, uint8_t dst, int value)
{
	add(code, BPF_ALU64 | op | BPF_K, dst, 0, 0, value);
}

static void combine(struct code *code, uint8_t op, uint8_t dst, uint8_t src)
{
	add(code, BPF_ALU64 | op | BPF_X, dst, src, 0, 0);
}

static void load(struct code *code, uint8_t dst, uint8_t from, int off)
{
	add(code, BPF_LDX | BPF_MEM | BPF_DW, dst, from, off, 0);
}

static void store(struct code *code, uint8_t src, int off)
{
	add(code, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10, src, off, 0);
}

/* Jumps over so many instructions if the comparison holds. */
static void skip_if(struct code *code, uint8_t op, uint8_t reg, int value, int over)
{
	add(code, BPF_JMP | op | BPF_K, reg, 0, over, value);
}

static void call(struct code *code, enum bpf_func_id helper)
{
	add(code, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

static void point(struct code *code, uint8_t dst, int off)
{
	move(code, dst, BPF_REG_10);
	calculate(code, BPF_ADD, dst, off);
}

static void load_map(struct code *code, int map)
{
	add(code, BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map);
	add(code, 0, 0, 0, 0, 0);
}

static void leave(struct code *code)
{
	set(code, BPF_REG_0, 0);
	add(code, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Leaves the program, unless the comparison with a number holds. */
static void leave_unless(struct code *code, uint8_t op, uint8_t reg, int value)
{
	skip_if(code, op, reg, value, 2);
	leave(code);
}

/* Reads a word of the user's memory at the address in r3. Leaves the program if it cannot be read. */
static void read_user(struct code *code)
{
	point(code, BPF_REG_1, AT_ADDRESS);
	set(code, BPF_REG_2, 8);
	call(code, BPF_FUNC_probe_read_user);
	leave_unless(code, BPF_JEQ, BPF_REG_0, 0);
}

static void write_begin(struct code *code, enum slot_how how, uint64_t slot)
{
	move(code, BPF_REG_6, BPF_REG_1);
	if (how == SLOT_COOKIE) {
		call(code, BPF_FUNC_get_attach_cookie);
		move(code, BPF_REG_7, BPF_REG_0);
		move(code, BPF_REG_8, BPF_REG_0);
		calculate(code, BPF_AND, BPF_REG_8, SLOT_COOKIE_MASK);
	} else {
		set(code, BPF_REG_8, slot);
	}
}

#if defined(__x86_64__)
#define CARRY  (1 << 0)
#define PARITY (1 << 2)
#define ZERO   (1 << 6)
#define SIGN   (1 << 7)
#define OVER   (1 << 11)

/* The conditions by the upper three bits of their numbers; the lowest bit negates (Intel SDM volume 2, B.1.4.7). */
static void write_condition(struct code *code, uint32_t condition)
{
	static const int masks[] = { OVER, CARRY, ZERO, CARRY | ZERO, SIGN, PARITY, OVER, OVER };
	uint32_t number = condition - 1, kind = number >> 1 & 7;

	load(code, BPF_REG_2, BPF_REG_6, AT_FLAGS);
	move(code, BPF_REG_3, BPF_REG_2);
	if (kind >= 6) { /* less: the sign differs from the overflow */
		move(code, BPF_REG_4, BPF_REG_2);
		calculate(code, BPF_LSH, BPF_REG_4, 4);
		combine(code, BPF_XOR, BPF_REG_2, BPF_REG_4);
	}
	calculate(code, BPF_AND, BPF_REG_2, masks[kind]);
	if (kind == 7) { /* less, or equal */
		calculate(code, BPF_AND, BPF_REG_3, ZERO);
		combine(code, BPF_OR, BPF_REG_2, BPF_REG_3);
	}
	leave_unless(code, number & 1 ? BPF_JEQ : BPF_JNE, BPF_REG_2, 0);
}
#else
static void write_condition(struct code *code, uint32_t condition)
{
	/* binary_exits.c refuses functions that leave by a conditional jump */
}
#endif

static int at_base(uint32_t base)
{
	return base == INSTRUCTION_ITSELF ? (int)AT_IP : at_register(base);
}

/* r3: where the jump leads. */
static void write_target(struct code *code, const struct gate *gate)
{
	if (gate->reg != NO_REGISTER) {
		load(code, BPF_REG_3, BPF_REG_6, at_register(gate->reg));
		return;
	}
	set(code, BPF_REG_3, (int32_t)gate->displacement);
	if (gate->index != NO_REGISTER) {
		load(code, BPF_REG_4, BPF_REG_6, at_register(gate->index));
		calculate(code, BPF_MUL, BPF_REG_4, gate->scale);
		combine(code, BPF_ADD, BPF_REG_3, BPF_REG_4);
	}
	if (gate->base != NO_REGISTER) {
		load(code, BPF_REG_4, BPF_REG_6, at_base(gate->base));
		combine(code, BPF_ADD, BPF_REG_3, BPF_REG_4);
	}
	read_user(code);
	load(code, BPF_REG_3, BPF_REG_10, AT_ADDRESS);
}

/* Leaves the program if the jump stays in the code around it: its distance from the begin is less than the size. */
static void write_judge(struct code *code, const struct gate *gate, bool cookies)
{
	write_target(code, gate);
	load(code, BPF_REG_2, BPF_REG_6, AT_IP);
	combine(code, BPF_SUB, BPF_REG_3, BPF_REG_2);
	if (cookies) {
		move(code, BPF_REG_2, BPF_REG_7);
		calculate(code, BPF_RSH, BPF_REG_2, SLOT_COOKIE_BITS);
		calculate(code, BPF_AND, BPF_REG_2, BINARY_JUDGED_MAX - 1);
		combine(code, BPF_ADD, BPF_REG_3, BPF_REG_2);
		calculate(code, BPF_RSH, BPF_REG_7, SLOT_COOKIE_BITS + BINARY_JUDGED_BITS);
	} else {
		calculate(code, BPF_ADD, BPF_REG_3, gate->before);
		set(code, BPF_REG_7, gate->size);
	}
	add(code, BPF_JMP | BPF_JGE | BPF_X, BPF_REG_3, BPF_REG_7, 2, 0);
	leave(code);
}

/* r9: the return address. r3: the stack pointer. */
static void load_return_address(struct code *code)
{
#if defined(__x86_64__)
	read_user(code);
	load(code, BPF_REG_9, BPF_REG_10, AT_ADDRESS);
#else
	/* The link register. Where the function signs it, it is signed at retaa, and not where it jumps on. */
	load(code, BPF_REG_9, BPF_REG_6, at_register(30));
	calculate(code, BPF_LSH, BPF_REG_9, 16);
	calculate(code, BPF_RSH, BPF_REG_9, 16);
#endif
}

/* The key is on the stack then. */
static void write_key(struct code *code)
{
	load(code, BPF_REG_3, BPF_REG_6, AT_SP);
	store(code, BPF_REG_3, AT_KEY);
	load_return_address(code);
	call(code, BPF_FUNC_get_current_pid_tgid);
	calculate(code, BPF_RSH, BPF_REG_0, 32);
	calculate(code, BPF_LSH, BPF_REG_0, 32);
	combine(code, BPF_OR, BPF_REG_0, BPF_REG_8);
	store(code, BPF_REG_0, AT_KEY + 8);
}

/* Stores what is on the stack at `value` in a map. */
static void write_update(struct code *code, int map, int key, int value, int flags)
{
	load_map(code, map);
	point(code, BPF_REG_2, key);
	point(code, BPF_REG_3, value);
	set(code, BPF_REG_4, flags);
	call(code, BPF_FUNC_map_update_elem);
}

static void write_lookup(struct code *code, int map, int key)
{
	load_map(code, map);
	point(code, BPF_REG_2, key);
	call(code, BPF_FUNC_map_lookup_elem);
}

/* Adds 1 to the number that r0 points to. */
static void add_one(struct code *code)
{
	set(code, BPF_REG_1, 1);
	add(code, BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_0, BPF_REG_1, 0, BPF_ADD);
}

/* Adds 1 to a member of the tally. r0 and r1 are lost. */
static void tally_one(struct code *code, int map, size_t member)
{
	add(code, BPF_LD | BPF_DW | BPF_IMM, BPF_REG_0, BPF_PSEUDO_MAP_VALUE, 0, map);
	add(code, 0, 0, 0, 0, (int)member);
	add_one(code);
}

/* Lets the jump at `from` lead here. */
static void land(struct code *code, size_t from)
{
	code->v[from].off = code->n - from - 1;
}

static size_t jump(struct code *code, uint8_t op, uint8_t reg, int value)
{
	skip_if(code, op, reg, value, 0);
	return code->n - 1;
}

/* Counts a call that finds no room. */
static void write_lost(struct code *code, int users)
{
	set(code, BPF_REG_1, (int)GATE_LOST_CALLS);
	store(code, BPF_REG_1, AT_KEY);
	write_lookup(code, users, AT_KEY);
	skip_if(code, BPF_JEQ, BPF_REG_0, 0, 2);
	add_one(code);
}

/* Counts a lead by the key on the stack. Leaves the program if there are so many already; the call is counted then. */
static void write_share(struct code *code, int users, int most)
{
	size_t known, created, has_room;

	write_lookup(code, users, AT_KEY);
	known = jump(code, BPF_JNE, BPF_REG_0, 0);
	set(code, BPF_REG_1, 1);
	store(code, BPF_REG_1, AT_ADDRESS);
	write_update(code, users, AT_KEY, AT_ADDRESS, BPF_NOEXIST);
	created = jump(code, BPF_JA, 0, 0);
	land(code, known);
	load(code, BPF_REG_2, BPF_REG_0, 0);
	has_room = jump(code, BPF_JLT, BPF_REG_2, most);
	write_lost(code, users);
	leave(code);
	land(code, has_room);
	add_one(code);
	land(code, created);
}

/* r9: the user. Root has no limit. */
static void write_shares(struct code *code, int users)
{
	size_t root = jump(code, BPF_JEQ, BPF_REG_9, 0);

	store(code, BPF_REG_9, AT_KEY);
	write_share(code, users, GATE_LEADS_OF_ONE);
	set(code, BPF_REG_1, (int)GATE_ALL_USERS);
	store(code, BPF_REG_1, AT_KEY);
	write_share(code, users, GATE_LEADS_OF_ALL);
	land(code, root);
}

/* Counts the call where it leads to, unless its ends are probed. The key of the call is on the stack, and lost. */
static void write_lead(struct code *code, const struct gate *gate, const struct gate_maps *maps)
{
	size_t is_new, fits;

	write_target(code, gate);
	store(code, BPF_REG_3, AT_LEAD);
	load(code, BPF_REG_3, BPF_REG_10, AT_KEY + 8);
	store(code, BPF_REG_3, AT_LEAD + 8);
	write_lookup(code, maps->leads, AT_LEAD);
	is_new = jump(code, BPF_JEQ, BPF_REG_0, 0);
	load(code, BPF_REG_2, BPF_REG_0, 0);
	skip_if(code, BPF_JSLT, BPF_REG_2, 0, 2);
	add_one(code);
	leave(code);
	land(code, is_new);
	call(code, BPF_FUNC_get_current_uid_gid);
	add(code, BPF_ALU | BPF_MOV | BPF_X, BPF_REG_9, BPF_REG_0, 0, 0);
	if (maps->users)
		write_shares(code, maps->users);
	set(code, BPF_REG_1, 1);
	store(code, BPF_REG_1, AT_CALLS);
	store(code, BPF_REG_9, AT_CALLS + (int)offsetof(struct gate_calls, uid));
	write_update(code, maps->leads, AT_LEAD, AT_CALLS, BPF_NOEXIST);
	fits = jump(code, BPF_JEQ, BPF_REG_0, 0);
	if (maps->users)
		write_lost(code, maps->users);
	land(code, fits);
}

/*
 * Remembers the call whose key is on the stack, with the return address in r9. Where the same key is there already, its
 * call has ended without a return.
 */
static void write_handing(struct code *code, const struct gate_maps *maps)
{
	size_t is_new, replaced;

	store(code, BPF_REG_9, AT_ADDRESS);
	write_update(code, maps->handed_over, AT_KEY, AT_ADDRESS, BPF_NOEXIST);
	is_new = jump(code, BPF_JEQ, BPF_REG_0, 0);
	write_update(code, maps->handed_over, AT_KEY, AT_ADDRESS, BPF_ANY);
	replaced = jump(code, BPF_JEQ, BPF_REG_0, 0);
	land(code, is_new);
	tally_one(code, maps->tally, offsetof(struct tally, put));
	land(code, replaced);
}

/* Another return address is that of another call: the one that was handed over has ended without a return. */
static void write_handed(struct code *code, const struct gate_maps *maps)
{
	size_t gone;

	write_lookup(code, maps->handed_over, AT_KEY);
	leave_unless(code, BPF_JNE, BPF_REG_0, 0);
	load(code, BPF_REG_7, BPF_REG_0, 0);
	load_map(code, maps->handed_over);
	point(code, BPF_REG_2, AT_KEY);
	call(code, BPF_FUNC_map_delete_elem);
	gone = jump(code, BPF_JNE, BPF_REG_0, 0);
	tally_one(code, maps->tally, offsetof(struct tally, taken));
	land(code, gone);
	add(code, BPF_JMP | BPF_JEQ | BPF_X, BPF_REG_7, BPF_REG_9, 2, 0);
	leave(code);
}

size_t gate_write(const struct gate *gate, enum slot_how how, uint64_t slot, const struct gate_maps *maps, struct bpf_insn *to)
{
	struct code code = { to, 0 };

	if (gate_is_open(gate))
		return 0;
	write_begin(&code, how, slot);
	if (gate->condition)
		write_condition(&code, gate->condition);
	if (gate->judged)
		write_judge(&code, gate, how == SLOT_COOKIE);
	if (gate->handed || gate_is_alone(gate))
		write_key(&code);
	if (gate->handed)
		write_handed(&code, maps);
	if (gate_is_alone(gate))
		write_handing(&code, maps);
	if (gate->learns)
		write_lead(&code, gate, maps);
	if (gate_is_alone(gate))
		leave(&code);
	else
		move(&code, BPF_REG_1, BPF_REG_6);
	return code.n;
}

struct gate gate_of(const struct binary_end *end, bool cookies)
{
	struct gate gate = {
		.hands_over = end->kind == BINARY_END_HANDS_OVER,
		.handed = end->handed,
		.condition = end->condition == INSTRUCTION_NONE ? 0 : end->condition + 1,
	};

	if (end->kind != BINARY_END_JUDGED && !end->learns)
		return gate;
	gate.learns = end->learns;
	gate.judged = end->kind == BINARY_END_JUDGED;
	gate.reg = end->operand.reg;
	gate.base = end->operand.base;
	gate.index = end->operand.index;
	gate.scale = end->operand.scale;
	gate.displacement = (uint32_t)end->operand.displacement;
	gate.before = cookies ? 0 : end->before;
	gate.size = cookies ? 0 : end->size;
	return gate;
}

uint64_t gate_cookie(const struct target *target, const struct binary_end *end)
{
	return target->slot | (uint64_t)end->before << SLOT_COOKIE_BITS |
	       (uint64_t)end->size << (SLOT_COOKIE_BITS + BINARY_JUDGED_BITS);
}

static int prepare_map(int *map, enum bpf_map_type type, const char *name, size_t key, size_t value, size_t max)
{
	int fd = *map ? *map : bpf_map_create(type, name, key, value, max, NULL);

	if (fd < 0)
		return fd;
	*map = fd;
	return 0;
}

/* The calls that find no room are counted in an element that is there from the begin. */
static int prepare_users(struct gate_maps *maps)
{
	uint32_t key = GATE_LOST_CALLS;
	uint64_t none = 0;
	int ret = maps->users ? -EEXIST
			      : prepare_map(&maps->users, BPF_MAP_TYPE_HASH, "handed_users", sizeof(key), sizeof(none), GATE_USERS_MAX);

	return !ret ? bpf_map_update_elem(maps->users, &key, &none, BPF_NOEXIST) : ret == -EEXIST ? 0
												  : ret;
}

int gate_prepare(const struct gate *gate, struct gate_maps *maps, bool limits)
{
	int ret = 0;

	if (gate->handed || gate_is_alone(gate))
		ret = prepare_map(&maps->handed_over, BPF_MAP_TYPE_LRU_HASH, "handed_over", sizeof(struct key), sizeof(uint64_t),
				  CALLS_MAX);
	if (!ret && maps->handed_over)
		ret = prepare_map(&maps->tally, BPF_MAP_TYPE_ARRAY, "handed_tally", sizeof(uint32_t), sizeof(struct tally), 1);
	if (!ret && gate->learns)
		ret = prepare_map(&maps->leads, BPF_MAP_TYPE_HASH, "handed_leads", sizeof(struct gate_lead),
				  sizeof(struct gate_calls), GATE_LEADS_MAX);
	return ret || !gate->learns || !limits ? ret : prepare_users(maps);
}

/* All entries of the map of calls. */
static uint64_t count_calls(int map)
{
	__free struct key *keys = base_alloc(CALLS_MAX * sizeof(*keys));
	__free uint64_t *values = base_alloc(CALLS_MAX * sizeof(*values));
	uint64_t sum = 0;
	uint32_t at, n;
	void *from = NULL;
	int ret;

	do {
		n = CALLS_MAX;
		ret = bpf_map_lookup_batch(map, from, &at, keys, values, &n, NULL);
		sum += n;
		from = &at;
	} while (!ret);
	return errno == ENOENT ? sum : CALLS_MAX;
}

/*
 * What was put in, was not taken out, and is not there any more. The map is counted between two readings of the tally:
 * so calls that go on meanwhile never make it more.
 */
uint64_t gate_pushed_out(const struct gate_maps *maps)
{
	struct tally before, after;
	uint32_t zero = 0;
	uint64_t there;

	if (!maps->tally || bpf_map_lookup_elem(maps->tally, &zero, &before) || before.put <= before.taken)
		return 0;
	there = count_calls(maps->handed_over);
	if (bpf_map_lookup_elem(maps->tally, &zero, &after) || before.put < after.taken + there)
		return 0;
	return before.put - after.taken - there;
}
