// SPDX-License-Identifier: BSD-2-Clause
/* Attach points, fields of format files, arguments of USDT probes and of kernel functions. */
#include <bpf/btf.h>
#include <signal.h>

#include "kernel_fixture.h"
#include "lang/places/probes_part.h"

static struct pool pool;
static struct lang_messages messages;
static struct lang_attach attach;

static bool parse(const char *text)
{
	messages.n = messages.errors = 0;
	return lang_attach_parse(&attach, text, (struct span){}, &pool, &messages);
}

static void expect_spec(const char *text, enum lang_probe_kind kind, const char *want, const char *spec)
{
	cr_assert(parse(text), "%s: %s", text, messages.n ? messages.v[0].text : "");
	cr_expect_eq(attach.kind, kind, "%s", text);
	cr_expect_str_eq(attach.text, want);
	cr_expect_str_eq(attach.spec, spec, "%s: %s", text, attach.spec);
}

Test(lang_probes, places)
{
	expect_spec("kprobe:vfs_*", PROBE_KPROBE, "kprobe:vfs_*", "kprobe:vfs_*");
	expect_spec("k:kvm:x86_emulate_insn+8", PROBE_KPROBE, "kprobe:kvm:x86_emulate_insn+8",
		    "kprobe:kvm:x86_emulate_insn+8");
	expect_spec("kr:d_lookup", PROBE_KRETPROBE, "kretprobe:d_lookup", "kretprobe:d_lookup");
	expect_spec("kfunc:vmlinux:fget", PROBE_FENTRY, "fentry:vmlinux:fget", "fentry:vmlinux:fget");
	expect_spec("fr:fget", PROBE_FEXIT, "fexit:fget", "fexit:fget");
	expect_spec("t:sched:sched_switch", PROBE_TRACEPOINT, "tracepoint:sched:sched_switch",
		    "tracepoint:sched:sched_switch");
	expect_spec("rt:vmlinux:kfree_skb", PROBE_RAWTRACEPOINT, "rawtracepoint:vmlinux:kfree_skb",
		    "rawtracepoint:kfree_skb");
	expect_spec("u:c:malloc+4", PROBE_UPROBE, "uprobe:c:malloc+4", "uprobe:c:malloc+4");
	expect_spec("uprobe:/a:cpp:ns::fn(int)", PROBE_UPROBE, "uprobe:/a:cpp:ns::fn(int)", "uprobe:/a:ns::fn(int)");
	expect_spec("uprobe:cpp:/a:ns::fn", PROBE_UPROBE, "uprobe:cpp:/a:ns::fn", "uprobe:/a:ns::fn");
	expect_spec("uprobe:/a:4096", PROBE_UPROBE, "uprobe:/a:4096", "uprobe:/a:0x1000");
	expect_spec("U:/a:p:n", PROBE_USDT, "usdt:/a:p:n", "usdt:/a:p:n");
}

Test(lang_probes, run_loop)
{
	static const struct {
		const char *text;
		enum lang_probe_kind kind;
		uint64_t period;
	} cases[] = {
		{ "BEGIN", PROBE_BEGIN },
		{ "end", PROBE_END },
		{ "interval:s:1", PROBE_INTERVAL, 1000000000 },
		{ "i:ms:5", PROBE_INTERVAL, 5000000 },
		{ "interval:5ms", PROBE_INTERVAL, 5000000 },
		{ "interval:1m", PROBE_INTERVAL, 60000000000 },
		{ "interval:1000000", PROBE_INTERVAL, 1000000 },
		{ "interval:1e6", PROBE_INTERVAL, 1000000 },
		{ "interval:us:1_000", PROBE_INTERVAL, 1000000 },
		{ "profile:hz:99", PROBE_PROFILE, 10101010 },
		{ "p:hz:1000", PROBE_PROFILE, 1000000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cr_assert(parse(cases[i].text), "%s: %s", cases[i].text, messages.n ? messages.v[0].text : "");
		cr_expect_eq(attach.kind, cases[i].kind, "%s", cases[i].text);
		cr_expect_eq(attach.period, cases[i].period, "%s", cases[i].text);
	}
	cr_assert(parse("self:signal:SIGUSR1"));
	cr_expect_eq(attach.signal, SIGUSR1);
	cr_assert(parse("test:okay"));
	cr_expect_str_eq(attach.object, "okay");
}

Test(lang_probes, events)
{
	cr_assert(parse("software:faults:100"));
	cr_expect_eq(attach.event, 2);
	cr_expect_eq(attach.period, 100);
	cr_assert(parse("s:cpu-migrations:"));
	cr_expect_eq(attach.event, 4);
	cr_expect_eq(attach.period, 1);
	cr_assert(parse("hardware:cache-misses:1e6"));
	cr_expect_eq(attach.event, 3);
	cr_expect_eq(attach.period, 1000000);
	cr_assert(parse("watchpoint:0x10000000:8:rw"));
	cr_expect_eq(attach.address, 0x10000000);
	cr_expect_eq(attach.length, 8);
	cr_expect_eq(attach.access, TARGET_READ | TARGET_WRITE);
}

Test(lang_probes, iterators)
{
	cr_assert(parse("iter:task"));
	cr_expect_str_eq(attach.object, "task");
	cr_expect_null(attach.pin);
	cr_assert(parse("it:task_file:list"));
	cr_expect_str_eq(attach.object, "task_file");
	cr_expect_str_eq(attach.pin, "/sys/fs/bpf/list");
	cr_assert(parse("iter:task:/sys/fs/bpf/a/b"));
	cr_expect_str_eq(attach.pin, "/sys/fs/bpf/a/b");
}

Test(lang_probes, wrong)
{
	static const struct {
		const char *text, *error, *hint;
	} cases[] = {
		{ "kprob:vfs_read", "unknown kind of probe 'kprob'", "did you mean 'kprobe'?" },
		{ "kprobe:", "the name is missing" },
		{ "kretprobe:f+4", "a return probe takes the name of a function, not an offset" },
		{ "interval:s:0", "the period of interval cannot be 0" },
		{ "interval:x:1", "'x' is not a unit of time (hz, s, ms, us, ns)" },
		{ "interval", "interval needs a period: interval:1s, interval:hz:99" },
		{ "interval:s:1x", "unexpected 'x' after the number" },
		{ "interval:d:300000", "the period of interval is too long" },
		{ "profile:hz:2000000000", "profile cannot run more than 1,000,000,000 times a second" },
		{ "software:faluts", "perf has no software event 'faluts'", "did you mean 'faults'?" },
		{ "software:faults:0", "the number of events cannot be 0" },
		{ "watchpoint:g_value:8:w", "a watchpoint needs an address: watchpoint:0x10000000:8:rw" },
		{ "watchpoint:increment+arg1:8:w",
		  "watchpoint:increment+arg1 is not supported, what an argument points to: print it with a probe of "
		  "the function, and watch that address (watchpoint:0x10000000:8:rw)" },
		{ "watchpoint:0x10:3:w", "a watchpoint watches 1, 2, 4 or 8 bytes" },
		{ "watchpoint:0x10:8:q", "'q' is not a kind of access: r, w, rw or x" },
		{ "watchpoint:0x10:8:", "the access is missing: r, w, rw or x" },
		{ "BEGIN:x", "unexpected ':x' after begin" },
		{ "self:signal:SIGKILL", "'SIGKILL' is none of SIGUSR1, SIGUSR2, SIGHUP, SIGWINCH and SIGALRM" },
		{ "fentry:bpf:prog", "attaching to BPF programs is not supported; kernel functions are" },
		{ "uprobe:readline", "uprobe needs a binary and a function: uprobe:/bin/bash:readline" },
		{ "iter:task:", "the name of the pin is missing" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cr_assert_not(parse(cases[i].text), "%s", cases[i].text);
		cr_expect_str_eq(messages.v[0].text, cases[i].error, "%s", messages.v[0].text);
		cr_expect_eq(messages.n, cases[i].hint ? 2 : 1, "%s", cases[i].text);
		if (cases[i].hint)
			cr_expect_str_eq(messages.v[1].text, cases[i].hint);
	}
}

/* --- USDT --- */

#define NONE (-1)

/* The size says how much of a constant counts, and whether it has a sign. */
Test(lang_probes, usdt_constants)
{
	static const struct {
		const char *note;
		int64_t value;
	} cases[] = {
		{ "4@$-202182160", 4092785136 },
		{ "-4@$-202182160", -202182160 },
		{ "4@$4092785136", 4092785136 },
		{ "-4@$4092785136", -202182160 },
		{ "2@$-1", 65535 },
		{ "-2@$-1", -1 },
		{ "-2@$65535", -1 },
		{ "1@$-3", 253 },
		{ "-1@$-3", -3 },
		{ "-1@$253", -3 },
		{ "8@$-1", -1 },
		{ "-8@$-1", -1 },
		{ "4@-1", 4294967295 },
		{ "-4@0x7fffffff", 2147483647 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lang_usdt_argument v;
		size_t n = 1;

		cr_assert_eq(lang_usdt_parse(cases[i].note, &v, &n), 0);
		cr_expect_eq(v.where, USDT_CONSTANT);
		cr_expect_eq(v.value, cases[i].value, "%s: %lld", cases[i].note, (long long)v.value);
	}
}

Test(lang_probes, usdt_arguments)
{
	static const char x86[] = "-4@$5 8@%rax 1@%al -2@%r12w 8@-20(%rbp) 4@(%rsp) 8@8(%rax,%rbx,4) 8@$-1 "
				  "4@$0xffffffff";
	static const char arm64[] = "-4@5 8@x0 4@w1 8@[sp, 16] 8@[x19] 8@[x0, x1, lsl 3] 8@[x29, -24] 8@sp";
	static const struct lang_usdt_argument want_x86[] = {
		{ USDT_CONSTANT, 5, NONE, NONE, 1, 4, true },
		{ USDT_REGISTER, 0, 80, NONE, 1, 8, false },
		{ USDT_REGISTER, 0, 80, NONE, 1, 1, false },
		{ USDT_REGISTER, 0, 24, NONE, 1, 2, true },
		{ USDT_MEMORY, -20, 32, NONE, 1, 8, false },
		{ USDT_MEMORY, 0, 152, NONE, 1, 4, false },
		{ USDT_MEMORY, 8, 80, 40, 4, 8, false },
		{ USDT_CONSTANT, -1, NONE, NONE, 1, 8, false },
		{ USDT_CONSTANT, 0xffffffff, NONE, NONE, 1, 4 },
	};
	static const struct lang_usdt_argument want_arm64[] = {
		{ USDT_CONSTANT, 5, NONE, NONE, 1, 4, true },
		{ USDT_REGISTER, 0, 0, NONE, 1, 8, false },
		{ USDT_REGISTER, 0, 8, NONE, 1, 4, false },
		{ USDT_MEMORY, 16, 248, NONE, 1, 8, false },
		{ USDT_MEMORY, 0, 152, NONE, 1, 8, false },
		{ USDT_MEMORY, 0, 0, 8, 8, 8, false },
		{ USDT_MEMORY, -24, 232, NONE, 1, 8, false },
		{ USDT_REGISTER, 0, 248, NONE, 1, 8, false },
	};
	const struct {
		const char *note;
		const struct lang_usdt_argument *want;
		size_t n;
	} cases[] = {
		{ x86, want_x86, ARRAY_SIZE(want_x86) },
		{ arm64, want_arm64, ARRAY_SIZE(want_arm64) },
		{ "", NULL, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lang_usdt_argument v[12];
		size_t n = ARRAY_SIZE(v);

		cr_assert_eq(lang_usdt_parse(cases[i].note, v, &n), 0, "%s: %zu", cases[i].note, n);
		cr_assert_eq(n, cases[i].n);
		for (size_t j = 0; j < n; j++) {
			const struct lang_usdt_argument *a = &v[j], *b = &cases[i].want[j];

			cr_expect(a->where == b->where && a->value == b->value && a->reg == b->reg &&
					  a->index_reg == b->index_reg && a->scale == b->scale && a->size == b->size &&
					  a->is_signed == b->is_signed,
				  "%s: argument %zu: %d %lld %d %d %u %u %d", cases[i].note, j, a->where,
				  (long long)a->value, a->reg, a->index_reg, a->scale, a->size, a->is_signed);
		}
	}
}

Test(lang_probes, usdt_arguments_of_unknown_form)
{
	static const struct {
		const char *note;
		int ret;
		size_t n;
	} cases[] = {
		{ "8@%rax 4@counter(%rip)", -EINVAL, 1 },
		{ "8@%xmm0", -EINVAL, 0 },
		{ "3@%rax", -EINVAL, 0 },
		{ "%rax", -EINVAL, 0 },
		{ "8@", -EINVAL, 0 },
		{ "8@%rax,", -EINVAL, 0 },
		{ "8@8(%rax", -EINVAL, 0 },
		{ "8@x31", -EINVAL, 0 },
		{ "8@[x0, x1, lsl 9]", -EINVAL, 0 },
		{ "8@8(%rax,%rbx,3)", -EINVAL, 0 },
		{ "0@$1", -EINVAL, 0 },
		{ "1@$1 1@$1 1@$1", -E2BIG, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lang_usdt_argument v[2];
		size_t n = ARRAY_SIZE(v);

		cr_expect_eq(lang_usdt_parse(cases[i].note, v, &n), cases[i].ret, "%s", cases[i].note);
		cr_expect_eq(n, cases[i].n, "%s: %zu", cases[i].note, n);
	}
}

/* --- format files --- */

static void expect_arguments(const struct lang_arguments *arguments, const char *const *want)
{
	for (size_t i = 0; i < arguments->n; i++) {
		const struct lang_argument *argument = &arguments->v[i];
		struct str text __str = {};

		cr_assert(want[i], "%s is too much", argument->name);
		type_show(argument->type, &text);
		str_addf(&text, " %s @%u", argument->name, argument->at);
		if (argument->type->kind == TYPE_POINTER)
			str_addf(&text, " of %d", argument->type->space);
		str_add(&text, argument->is_data_loc ? " loc" : "");
		str_add(&text, argument->by_read ? " read" : "");
		cr_expect_str_eq(text.data, want[i], "%s", text.data);
	}
	cr_expect_null(want[arguments->n]);
}

#define FIELD(text, at, size, sign) "\tfield:" text ";\toffset:" #at ";\tsize:" #size ";\tsigned:" #sign ";\n"

Test(lang_probes, format_file)
{
	static const char *const lines[] = {
		"name: x\nID: 1\nformat:\n",
		FIELD("unsigned short common_type", 0, 2, 0),
		FIELD("int common_pid", 4, 4, 1) "\n",
		FIELD("char comm[16]", 8, 16, 0),
		FIELD("pid_t pid", 24, 4, 1),
		FIELD("__data_loc char[] name", 28, 4, 0),
		FIELD("const struct page * page", 32, 8, 0),
		FIELD("unsigned long args[6]", 40, 48, 0),
		FIELD("bool ok", 88, 1, 0),
		FIELD("__u8 addr[16]", 92, 16, 0),
		FIELD("u8 mac[ETH_ALEN]", 108, 6, 0),
		FIELD("__data_loc u8[] bytes", 116, 4, 0),
		FIELD("enum how how", 120, 4, 0),
		FIELD("struct pair both", 124, 12, 0),
		FIELD("kuid_t uid", 136, 4, 0),
		FIELD("void * data", 144, 8, 0),
		"\nprint fmt: \"field:\"\n",
	};
	static const char *const want[] = {
		"string[16] comm @8",
		"int32 pid @24",
		"string[0] name @28 loc",
		"struct page * page @32 of 1",
		"uint64[6] args @40",
		"bool ok @88",
		"uint8[16] addr @92",
		"uint8[6] mac @108",
		"uint8 * bytes @116 of 1 loc",
		"enum how how @120",
		"struct pair both @124",
		"uint32 uid @136",
		"void * data @144 of 1",
		NULL,
	};
	struct ctypes *types = ctypes_new(&pool);
	struct lang_arguments arguments = {};
	struct str text __str = {};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		str_add(&text, lines[i]);
	cr_assert_eq(lang_arguments_of_format(text.data, SPACE_KERNEL, types, &pool, &arguments), 0);
	expect_arguments(&arguments, want);
	ctypes_free(types);
}

/* Their format files say that each field has 8 bytes and no sign. */
Test(lang_probes, format_file_of_system_call)
{
	char text[] = FIELD("int __syscall_nr", 8, 4, 1) FIELD("int dfd", 16, 8, 0)
		FIELD("const char * filename", 24, 8, 0) FIELD("umode_t mode", 32, 8, 0)
			FIELD("pid_t pid", 40, 8, 0) FIELD("unsigned int fd", 48, 8, 0);
	static const char *const want[] = {
		"int32 __syscall_nr @8",
		"int64 dfd @16",
		"int8 * filename @24 of 2",
		"uint16 mode @32",
		"int32 pid @40",
		"uint64 fd @48",
		NULL,
	};
	struct ctypes *types = ctypes_new(&pool);
	struct lang_arguments arguments = {};

	cr_assert_eq(lang_arguments_of_format(text, SPACE_USER, types, &pool, &arguments), 0);
	expect_arguments(&arguments, want);
	ctypes_free(types);
}

Test(lang_probes, damaged_format_file)
{
	static const char *const damaged[] = {
		"",
		"field:",
		"\tfield:int x;\toffset:",
		"\tfield:;\toffset:0;\tsize:4;\tsigned:0;",
		"\tfield:x;\toffset:0;\tsize:4;\tsigned:0;",
		"\tfield:int ];\toffset:0;\tsize:4;\tsigned:0;",
		"\tfield:int [4];\toffset:0;\tsize:4;\tsigned:0;",
	};
	struct ctypes *types = ctypes_new(&pool);

	for (size_t i = 0; i < ARRAY_SIZE(damaged); i++) {
		__free char *text = base_strdup(damaged[i]);
		struct lang_arguments arguments = {};

		lang_arguments_of_format(text, SPACE_KERNEL, types, &pool, &arguments);
		cr_expect_eq(arguments.n, 0, "%s: %s", damaged[i], arguments.n ? arguments.v[0].name : "");
	}
	ctypes_free(types);
}

/* --- functions --- */

/*
 * long read(struct file *file, char *to, struct pair pair, long *at, struct later *later); opened(void *, struct file
 * *)
 */
static struct btf *make_kernel(void)
{
	struct btf *btf = btf__new_empty();
	int letter = btf__add_int(btf, "char", 1, 0), number = btf__add_int(btf, "unsigned long", 8, 0);
	int size = btf__add_int(btf, "long", 8, BTF_INT_SIGNED), file = btf__add_struct(btf, "file", 8), pair;
	int text = btf__add_ptr(btf, letter), at = btf__add_ptr(btf, size), nothing = btf__add_ptr(btf, 0);
	int later = btf__add_ptr(btf, btf__add_fwd(btf, "later", BTF_FWD_STRUCT)), proto;

	file = btf__add_ptr(btf, file);
	pair = btf__add_struct(btf, "pair", 16);
	btf__add_field(btf, "a", number, 0, 0);
	btf__add_field(btf, "b", number, 64, 0);
	proto = btf__add_func_proto(btf, size);
	btf__add_func_param(btf, "file", file);
	btf__add_func_param(btf, "to", text);
	btf__add_func_param(btf, "pair", pair);
	btf__add_func_param(btf, "at", at);
	btf__add_func_param(btf, "later", later);
	btf__add_func(btf, "read", BTF_FUNC_GLOBAL, proto);
	proto = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, "__data", nothing);
	btf__add_func_param(btf, "file", file);
	btf__add_func(btf, "__traceiter_opened", BTF_FUNC_GLOBAL, proto);
	return btf;
}

Test(lang_probes, functions, .init = fixture_init, .fini = fixture_fini)
{
	static const char *const entry[] = {
		"struct file * file @0 of 4",
		"uint8 * to @1 of 0", /* it may be the user's */
		"struct pair pair @2",
		"int64 * at @4 of 0 read",
		"struct later * later @5 of 4 read",
		NULL,
	};
	static const char *const raw[] = { "struct file * file @0 of 1", NULL };
	struct target target = { .name = "read", .label = "read" }, opened = { .name = "opened" };
	struct ctypes *types = ctypes_new(&pool);
	struct lang_arguments arguments;
	struct btf *btf = make_kernel();
	struct err err = {};
	uint32_t size;
	const void *data = btf__raw_data(btf, &size);

	fixture_bytes(BTF, data, size);
	cr_assert_eq(lang_arguments_of(PROBE_FEXIT, &target, types, &pool, &arguments, &err), 0, "%s", err.text);
	expect_arguments(&arguments, entry);
	cr_expect_eq(arguments.ret_at, 6);
	cr_expect(type_same(arguments.ret, type_integer(8, true)));
	cr_assert_eq(lang_arguments_of(PROBE_FENTRY, &target, types, &pool, &arguments, &err), 0);
	cr_expect_null(arguments.ret);
	cr_assert_eq(lang_arguments_of(PROBE_RAWTRACEPOINT, &opened, types, &pool, &arguments, &err), 0);
	expect_arguments(&arguments, raw);
	cr_expect_eq(lang_arguments_of(PROBE_FENTRY, &opened, types, &pool, &arguments, &err), -ENODATA);
	cr_expect_eq(lang_arguments_of(PROBE_KPROBE, &target, types, &pool, &arguments, &err), -ENOENT);
	ctypes_free(types);
	btf__free(btf);
}

/* Without tracefs the struct of the record tells the fields, and those of any length by their prefix. */
Test(lang_probes, tracepoint_without_tracefs, .init = fixture_init, .fini = fixture_fini)
{
	static const char *const want[] = { "uint32 n @8", "string[0] name @12 loc", NULL };
	struct target target = { .object = "any", .name = "opened", .label = "any:opened" };
	struct ctypes *types = ctypes_new(&pool);
	struct lang_arguments arguments;
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "unsigned int", 4, 0), entry = btf__add_struct(btf, "trace_entry", 8);
	struct err err = {};
	const void *data;
	uint32_t size;

	btf__add_struct(btf, "trace_event_raw_opened", 16);
	btf__add_field(btf, "ent", entry, 0, 0);
	btf__add_field(btf, "n", number, 64, 0);
	btf__add_field(btf, "__data_loc_name", number, 96, 0);
	data = btf__raw_data(btf, &size);
	fixture_bytes(BTF, data, size);
	cr_assert_eq(lang_arguments_of(PROBE_TRACEPOINT, &target, types, &pool, &arguments, &err), 0, "%s", err.text);
	expect_arguments(&arguments, want);
	target.name = "closed";
	cr_expect_eq(lang_arguments_of(PROBE_TRACEPOINT, &target, types, &pool, &arguments, &err), -ENODATA);
	ctypes_free(types);
	btf__free(btf);
}

Test(lang_probes, iterators_context, .init = fixture_init, .fini = fixture_fini)
{
	static const char *const want[] = { "struct item * item @0 of 4", "uint32 fd @8", NULL };
	struct ctypes *types = ctypes_new(&pool);
	struct lang_arguments arguments;
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "unsigned int", 4, 0), item = btf__add_ptr(btf, btf__add_struct(btf, "item", 8));
	int both = btf__add_union(btf, NULL, 8);
	struct err err = {};
	const void *data;
	uint32_t size;

	btf__add_field(btf, "item", item, 0, 0);
	btf__add_struct(btf, "bpf_iter__item_file", 16);
	btf__add_field(btf, NULL, both, 0, 0);
	btf__add_field(btf, "fd", number, 64, 0);
	data = btf__raw_data(btf, &size);
	fixture_bytes(BTF, data, size);
	cr_assert_eq(lang_arguments_of_iter("item_file", types, &pool, &arguments, &err), 0, "%s", err.text);
	expect_arguments(&arguments, want);
	cr_expect_eq(lang_arguments_of_iter("item_fil", types, &pool, &arguments, &err), -ENODATA);
	cr_expect(strstr(err.text, "did you mean item_file?"), "%s", err.text);
	ctypes_free(types);
	btf__free(btf);
}
