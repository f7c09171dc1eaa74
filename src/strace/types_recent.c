// SPDX-License-Identifier: BSD-2-Clause
/* Structs of calls that are seldom made, most of which Linux has since 6.5: of mounts, attributes, locks, modules. */
#include "strace_part.h"
#include "types.h"
#include "types_shape.h"

#define U(X) ((unsigned long long)(X))

/* A struct that a text describes; its size is the next argument if it may be larger. */
struct shaped {
	const char *shape;
	size_t size;
	bool is_extensible;
	size_t most; /* of the size; 0: no matter */
};

static void print_shaped(struct strace_line *line, unsigned int arg)
{
	const struct shaped *shaped = line->call->args[arg]->data;
	uint64_t size = shaped->is_extensible ? strace_arg(line, arg + 1) : shaped->size;
	const void *bytes;

	if (size < shaped->size || (shaped->most && size > shaped->most)) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	bytes = strace_struct(line, arg, 0, shaped->size);
	if (!bytes)
		return;
	strace_shape(line, shaped->shape, strlen(shaped->shape), bytes, shaped->size, shaped->size);
	if (shaped->is_extensible)
		strace_rest(line, arg, shaped->size, size);
	str_addc(line->out, '}');
}

/* --- caches and attributes of files --- */

const struct strace_type t_cache_range = { print_shaped, .data = &(const struct shaped){ "{off=%x8, len=%u8", 16 },
					   .steps = { STEP_READS(16) } },
			 t_cache_stat = { print_shaped,
					  .data = &(const struct shaped){
						  "{nr_cache=%u8, nr_dirty=%u8, nr_writeback=%u8, nr_evicted=%u8, nr_recently_evicted=%u8", 40 },
					  .steps = { STEP_WRITES(40) } };

#define FILE_FLAGS \
	"{fa_xflags=%b8(FS_XFLAG_:REALTIME PREALLOC - IMMUTABLE APPEND SYNC NOATIME NODUMP RTINHERIT PROJINHERIT NOSYMLINKS " \
	"EXTSIZE EXTSZINHERIT NODEFRAG FILESTREAM DAX COWEXTSIZE VERITY CASEFOLD CASENONPRESERVING =0x80000000 HASATTR), " \
	"fa_extsize=%u4"
#define FILE_REST ", fa_projid=%x4, fa_cowextsize=%u4"
#define STEP_EXTENSIBLE_OUT \
	{ \
		STRACE_BYTES, .from = SELF, .count_from = NEXT(1), .scale = 1, .most = STRACE_EXTENSIBLE, \
			      .when = STRACE_TO_EDGE | STRACE_IF_OK \
	}
const struct strace_type t_file_attr_in = { print_shaped, .data = &(const struct shaped){ FILE_FLAGS "%.4" FILE_REST, 24, true, STRACE_EXTENSIBLE },
					    .steps = { STEP_EXTENSIBLE(NEXT(1)) } },
			 t_file_attr_out = { print_shaped,
					     .data = &(const struct shaped){ FILE_FLAGS ", fa_nextents=%u4" FILE_REST, 24, true, STRACE_EXTENSIBLE },
					     .steps = { STEP_EXTENSIBLE_OUT } };

struct xattr_args {
	uint64_t value;
	uint32_t size, flags;
};

static void add_xattr_args(struct strace_line *line, unsigned int arg, bool is_shown, uint64_t n)
{
	uint64_t size = strace_arg(line, arg + 1);
	const struct xattr_args *args;

	if (size < sizeof(*args)) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	args = strace_struct(line, arg, 0, sizeof(*args));
	if (!args)
		return;
	str_add(line->out, "{value=");
	if (is_shown && (n || args->size))
		strace_value(line, strace_blob(line, arg, 1, 0), args->value, args->size && n ? n : args->size);
	else
		strace_address(line->out, args->value);
	str_addf(line->out, ", size=%u, flags=", args->size);
	strace_bits(line->out, t_xattr_flags.data, args->flags);
	strace_rest(line, arg, sizeof(*args), size);
	str_addc(line->out, '}');
}

static void print_xattr_args_in(struct strace_line *line, unsigned int arg)
{
	add_xattr_args(line, arg, true, 0);
}

static void print_xattr_args_out(struct strace_line *line, unsigned int arg)
{
	add_xattr_args(line, arg, strace_ok(line), strace_ret(line));
}
const struct strace_type t_xattr_args_in = {
	print_xattr_args_in,
	.steps = {
		STEP_EXTENSIBLE(NEXT(1)),
		{ STRACE_BYTES, .from = STRACE_FROM_BLOB, .count_from = STRACE_FROM_BLOB, .count_at = 8, .scale = 1, .most = MOST_TEXT },
	},
};
const struct strace_type t_xattr_args_out = {
	print_xattr_args_out,
	.steps = {
		STEP_EXTENSIBLE(NEXT(1)),
		{ STRACE_BYTES, .from = STRACE_FROM_BLOB, .count_from = STRACE_FROM_RET, .scale = 1, .most = MOST_TEXT, .when = STRACE_IF_OK },
	},
};

/* --- another kernel --- */

#define SEGMENTS     16 /* the kernel takes no more */
#define SEGMENT_SIZE 32
static const char segment[] = "{buf=%p8, bufsz=%u8, mem=%p8, memsz=%u8}";

static void add_segment(struct strace_line *line, const void *element, size_t index)
{
	strace_shape(line, segment, sizeof(segment) - 1, element, SEGMENT_SIZE, SEGMENT_SIZE);
	(void)index;
}

static void print_segments(struct strace_line *line, unsigned int arg)
{
	uint64_t n = strace_arg(line, arg - 1);

	if (n > SEGMENTS)
		strace_address(line->out, strace_arg(line, arg));
	else
		strace_array(line, arg, 0, n, SEGMENT_SIZE, add_segment);
}
const struct strace_type t_kexec_segments = { print_segments, .steps = { STEP_ARRAY_TO_EDGE(BEFORE, SEGMENT_SIZE, SEGMENTS) } };

/* An architecture, and flags. */
static void print_kexec_flags(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words archs = {
		"KEXEC_ARCH_", "DEFAULT =0x30000 386 =0x40000 68K =0x80000 MIPS =0xa0000 MIPS_LE =0xf0000 PARISC =0x140000 PPC "
			       "=0x150000 PPC64 =0x160000 S390 =0x280000 ARM =0x2a0000 SH =0x320000 IA_64 =0x3e0000 X86_64 "
			       "=0xb70000 AARCH64 =0xf30000 RISCV =0x1020000 LOONGARCH"
	};
	static const struct strace_words flags = { "KEXEC_",
						   "ON_CRASH PRESERVE_CONTEXT UPDATE_ELFCOREHDR CRASH_HOTPLUG_SUPPORT" };
	uint64_t value = strace_arg(line, arg), arch = value & 0xffff0000;

	strace_word(line->out, &archs, arch);
	if (value == arch)
		return;
	str_addc(line->out, '|');
	strace_bits(line->out, &flags, value & ~arch);
}
const struct strace_type t_kexec_flags = { print_kexec_flags };
BITS_LONG(t_kexec_file_flags, "KEXEC_FILE_", "UNLOAD ON_CRASH NO_INITRAMFS DEBUG NO_CMA FORCE_DTB");
BITS(t_shadow_flags, "SHADOW_STACK_", "SET_TOKEN");

/* --- locks --- */

/* How large the lock is, and flags. */
static void add_futex_flags(struct str *out, unsigned int value)
{
	static const struct strace_words sizes = { "FUTEX2_SIZE_", "U8 U16 U32 U64" };
	static const struct strace_words flags = { "FUTEX2_", "- - NUMA MPOL =0x80 PRIVATE" };
	const enum strace_style style = strace_style();
	struct str names __str = {};
	char number[16];

	snprintf(number, sizeof(number), "%#x", value);
	strace_set_style(STRACE_NAMES);
	strace_word(&names, &sizes, value & 3);
	strace_bits_more(&names, &flags, value & ~3U);
	strace_set_style(style);
	strace_constant(out, number, names.data);
}

static void print_futex_flags(struct strace_line *line, unsigned int arg)
{
	add_futex_flags(line->out, strace_arg(line, arg));
}
const struct strace_type t_futex_flags = { print_futex_flags };

static void add_futex(struct strace_line *line, const void *element, size_t index)
{
	const struct {
		uint64_t value, address;
		uint32_t flags, reserved;
	} *futex = element;

	str_addf(line->out, "{val=%#llx, uaddr=", U(futex->value));
	strace_address(line->out, futex->address);
	str_add(line->out, ", flags=");
	add_futex_flags(line->out, futex->flags);
	if (futex->reserved)
		str_addf(line->out, ", __reserved=%#x", futex->reserved);
	str_addc(line->out, '}');
	(void)index;
}

/* Where a waiter waits, and where to. */
static void print_futex_pair(struct strace_line *line, unsigned int arg)
{
	strace_array(line, arg, 0, 2, 24, add_futex);
}
const struct strace_type t_futex_pair = {
	print_futex_pair,
	.steps = { { STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = 48, .most = 48, .when = STRACE_TO_EDGE } },
};

/* --- mounts and namespaces --- */

#define STAT_PARTS \
	"(STATMOUNT_:SB_BASIC MNT_BASIC PROPAGATE_FROM MNT_ROOT MNT_POINT FS_TYPE MNT_NS_ID MNT_OPTS FS_SUBTYPE SB_SOURCE " \
	"OPT_ARRAY OPT_SEC_ARRAY SUPPORTED_MASK MNT_UIDMAP MNT_GIDMAP)"

/* A request that begins with its own size. Some have a number more since a later version. */
struct request {
	const char *shape; /* of the first version, and what is in the next */
	size_t first, next;
};

static void print_request(struct strace_line *line, unsigned int arg)
{
	const struct request *request = line->call->args[arg]->data;
	const uint32_t *size = strace_struct(line, arg, 0, sizeof(*size));
	const struct strace_blob *blob = strace_blob(line, arg, 1, 0);
	size_t known;

	if (!size)
		return;
	known = *size < request->next ? request->first : request->next;
	str_addf(line->out, "{size=%u", *size);
	if (*size >= request->first && (!blob || blob->status == STRACE_UNREAD || blob->n < known)) {
		str_add(line->out, ", ???");
	} else if (*size >= request->first) {
		strace_shape(line, request->shape, strlen(request->shape), strace_bytes(blob), known, known);
		if (known == request->next)
			strace_rest_of(line, blob, known, *size);
	}
	str_addc(line->out, '}');
}
#define REQUEST(SHAPE, FIRST, NEXT) \
	{ \
		print_request, .data = &(const struct request){ SHAPE, FIRST, NEXT }, .steps = { \
			STEP_READS(4), \
			{ STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_BLOB, .scale = 1, .most = STRACE_EXTENSIBLE, .when = STRACE_TO_EDGE }, \
		} \
	}
#define NAMESPACES "(|???_NS:=0x80 TIME_NS =0x20000 MNT_NS =0x2000000 CGROUP_NS =0x4000000 UTS_NS IPC_NS USER_NS PID_NS NET_NS)"
const struct strace_type t_mount_request = REQUEST("%.4, mnt_ns_fd=%d4, mnt_id=%x8, param=%b8" STAT_PARTS "%?, mnt_ns_id=%x8%|", 24, 32),
			 t_mount_list_request = REQUEST("%.4, mnt_ns_fd=%d4, mnt_id=%w8(:=0xffffffffffffffff LSMT_ROOT), param=%x8"
							"%?, mnt_ns_id=%x8%|",
							24, 32),
			 t_space_request = REQUEST("%.4%j4(, spare=), ns_id=%x8, ns_type=%b4" NAMESPACES
						   "%j4(, spare2=), user_ns_id=%w8(:=0xffffffffffffffff LISTNS_CURRENT_USER)",
						   32, 32);
BITS(t_mount_stat_flags, "STATMOUNT_", "BY_FD");
BITS(t_mount_list_flags, "LISTMOUNT_", "REVERSE");

static void add_number(struct strace_line *line, const void *element, size_t index)
{
	str_addf(line->out, "%#llx", *(const unsigned long long *)element);
	(void)index;
}

static void print_numbers_out(struct strace_line *line, unsigned int arg)
{
	if (strace_ok(line))
		strace_array(line, arg, 0, strace_ret(line), sizeof(uint64_t), add_number);
	else
		strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_numbers_out = { print_numbers_out, .steps = { STEP_FILLED(8, 512) } };

#define MOUNT_STAT 512 /* behind it are texts, of which the struct says where each begins */
static const char mount_stat[] =
	"{size=%u4%=8&128(, mnt_opts=%z4)%@8, mask=%b8" STAT_PARTS
	"%=8&1(, sb_dev_major=%u4, sb_dev_minor=%u4, sb_magic=%z8, sb_flags=%b4(MS_:=1 RDONLY =16 SYNCHRONOUS =128 DIRSYNC "
	"=0x2000000 LAZYTIME))%=8&32(, fs_type=%@36%z4)"
	"%=8&2(, mnt_id=%@40%x8, mnt_parent_id=%x8, mnt_id_old=%x4, mnt_parent_id_old=%x4, "
	"mnt_attr=%b8(MOUNT_ATTR_:RDONLY NOSUID NODEV NOEXEC =0x70 _ATIME =0x10 NOATIME STRICTATIME =0x80 NODIRATIME "
	"=0x100000 IDMAP NOSYMFOLLOW), mnt_propagation=%b8(MS_:=0x20000 UNBINDABLE PRIVATE SLAVE SHARED), "
	"mnt_peer_group=%x8, mnt_master=%x8)%=8&4(, propagate_from=%@96%x8)%=8&8(, mnt_root=%@104%z4)"
	"%=8&16(, mnt_point=%@108%z4)%=8&64(, mnt_ns_id=%@112%x8)%=8&256(, fs_subtype=%@120%z4)"
	"%=8&512(, sb_source=%@124%z4)%=8&1024(, opt_num=%@128%u4, opt_array=%z4)"
	"%=8&2048(, opt_sec_num=%@136%u4, opt_sec_array=%z4)%=8&4096(, supported_mask=%@144%b8" STAT_PARTS
	")%=8&8192(, mnt_uidmap_num=%@152%u4, mnt_uidmap=%z4)%=8&16384(, mnt_gidmap_num=%@160%u4, mnt_gidmap=%z4)}";

/* A text behind the struct, or several, whose number stands before. */
static void add_mount_text(struct strace_line *line, const unsigned char *bytes, size_t at)
{
	const struct strace_blob *blob = strace_blob(line, 1, 0, 0);
	bool is_array = at == 132 || at == 140 || at == 156 || at == 164;
	const char *text = strace_bytes(blob);
	uint32_t offset, n = 1;
	uint64_t magic, begin;

	if (at == 24) {
		memcpy(&magic, bytes + at, sizeof(magic));
		strace_filesystem(line->out, magic);
		return;
	}
	memcpy(&offset, bytes + at, sizeof(offset));
	begin = (uint64_t)MOUNT_STAT + offset;
	if (begin >= blob->n) {
		str_addf(line->out, "%#x", offset);
		return;
	}
	if (is_array)
		memcpy(&n, bytes + at - sizeof(n), sizeof(n));
	str_add(line->out, is_array ? "[" : "");
	for (uint32_t i = 0; i < n; i++) {
		size_t len = begin < blob->n ? strnlen(text + begin, blob->n - begin) : 0;

		str_add(line->out, i ? ", " : "");
		if (begin + len >= blob->n) {
			str_add(line->out, "...");
			break;
		}
		strace_text(line, text + begin, len, false);
		begin += len + 1;
	}
	str_add(line->out, is_array ? "]" : "");
}

static void print_mount_stat(struct strace_line *line, unsigned int arg)
{
	const void *bytes = strace_struct(line, arg, 0, MOUNT_STAT);

	if (bytes)
		strace_shape_pointed(line, mount_stat, sizeof(mount_stat) - 1, bytes, MOUNT_STAT, MOUNT_STAT, add_mount_text);
}
const struct strace_type t_mount_stat = { print_mount_stat, .steps = { STEP_EXTENSIBLE_OUT } };

/* --- security modules --- */

static const struct strace_words modules = { "LSM_ID_", "UNDEF =100 CAPABILITY SELINUX SMACK TOMOYO APPARMOR YAMA LOADPIN SAFESETID "
							"LOCKDOWN BPF LANDLOCK IMA EVM IPE" };
WORDS(t_lsm_attribute, "LSM_ATTR_", "UNDEF =100 CURRENT EXEC FSCREATE KEYCREATE PREV SOCKCREATE");
BITS(t_lsm_flags, "LSM_FLAG_", "SINGLE");

struct context {
	uint64_t id, flags, len, text_len;
};

static void add_module(struct strace_line *line, const void *element, size_t index)
{
	struct str name __str = {};
	char number[32];

	snprintf(number, sizeof(number), "%#llx", *(const unsigned long long *)element);
	strace_word_if(&name, &modules, *(const uint64_t *)element);
	strace_constant(line->out, number, name.data);
	(void)index;
}

/* A context, of which n bytes have been copied from an address, and which has room for `size`. */
static void add_context(struct strace_line *line, const void *bytes, size_t n, uint64_t size, uint64_t address)
{
	struct context copy, *context = memcpy(&copy, bytes, sizeof(copy));
	struct strace_settings hex = *line->settings;
	struct strace_line in_hex = *line;
	uint64_t room = context->len < size ? context->len : size, shown;

	str_add(line->out, "{id=");
	add_module(line, &context->id, 0);
	str_addf(line->out, ", flags=%#llx, len=%llu, ctx_len=%llu", U(context->flags), U(context->len), U(context->text_len));
	room = room > sizeof(*context) ? room - sizeof(*context) : 0;
	if (room > context->text_len)
		room = context->text_len;
	shown = room < line->settings->size ? room : line->settings->size;
	hex.hex = 2;
	in_hex.settings = &hex;
	if (room) {
		str_add(line->out, ", ctx=");
		/* one more byte says whether it goes on */
		if (sizeof(*context) + shown + (room > shown) <= n)
			strace_text(&in_hex, (const char *)bytes + sizeof(*context), shown, room > shown);
		else
			strace_address(line->out, address + sizeof(*context));
	}
	str_addc(line->out, '}');
}

static void print_context_in(struct strace_line *line, unsigned int arg)
{
	unsigned int size = strace_arg(line, arg + 1);
	const void *bytes;

	if (size < sizeof(struct context)) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	bytes = strace_struct(line, arg, 0, sizeof(struct context));
	if (bytes)
		add_context(line, bytes, strace_blob(line, arg, 0, 0)->n, size, strace_arg(line, arg));
}
const struct strace_type t_lsm_context_in = { print_context_in, .steps = { STEP_EXTENSIBLE(NEXT(1)) } };

/* As many as the result says, one behind the other. */
static void add_contexts(struct strace_line *line, const struct strace_blob *blob, uint64_t address)
{
	const char *bytes = strace_bytes(blob);
	struct context context;
	uint64_t at = 0;

	str_addc(line->out, '[');
	for (int64_t i = 0; i < strace_ret(line); i++) {
		str_add(line->out, i ? ", " : "");
		if (at + sizeof(context) > blob->n || i >= line->settings->size) {
			str_addf(line->out, i >= line->settings->size ? "..." : "... /* %#llx */", U(address + at));
			break;
		}
		memcpy(&context, bytes + at, sizeof(context));
		add_context(line, bytes + at, blob->n - at, UINT64_MAX, address + at);
		if (context.len < sizeof(context))
			break;
		at = context.len < STRACE_EXTENSIBLE ? at + context.len : STRACE_EXTENSIBLE;
	}
	str_addc(line->out, ']');
}

static void print_context_out(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0), *size;
	uint64_t address = strace_arg(line, arg);

	if (!address || !blob || blob->status == STRACE_UNREAD || blob->n < sizeof(struct context)) {
		strace_address(line->out, address);
		return;
	}
	/* of one module, which the caller has named; without a size nobody looks at it */
	size = strace_before(line, arg + 1);
	if (strace_arg(line, 3) & 1 && size && size->status == STRACE_WHOLE) {
		str_add(line->out, "{id=");
		add_module(line, strace_bytes(blob), 0);
		str_add(line->out, "} => ");
	}
	if (strace_ok(line))
		add_contexts(line, blob, address);
	else
		strace_address(line->out, address);
}
const struct strace_type t_lsm_context_out = {
	print_context_out,
	.steps = {
		{ STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = STRACE_EXTENSIBLE, .most = STRACE_EXTENSIBLE, .when = STRACE_TO_EDGE },
	},
};

static void print_modules(struct strace_line *line, unsigned int arg)
{
	if (strace_ok(line))
		strace_array(line, arg, 0, strace_ret(line), sizeof(uint64_t), add_module);
	else
		strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_lsm_modules = { print_modules, .steps = { STEP_FILLED(8, 32) } };

/* How much room there was, and how much is needed. */
static void print_size_both(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *before = strace_before(line, arg), *after = strace_blob(line, arg, 0, 0);
	const uint32_t *was = before && before->n >= sizeof(*was) ? strace_bytes(before) : NULL;
	const uint32_t *is = after && after->n >= sizeof(*is) ? strace_bytes(after) : was;

	if (!was || before->status == STRACE_UNREAD)
		strace_address(line->out, strace_arg(line, arg));
	else if (after->status == STRACE_UNREAD || *is == *was)
		str_addf(line->out, "[%u]", *was);
	else
		str_addf(line->out, "[%u => %u]", *was, *is);
}
const struct strace_type t_size_both = { print_size_both, .both = true, .steps = { STEP_READS(4) } };
