// SPDX-License-Identifier: BSD-2-Clause
/* Calls that control the kernel or other processes: io_uring, landlock, seccomp, ptrace. */
#include <linux/io_uring.h>

#include "strace_part.h"
#include "types.h"

#define U(X) ((unsigned long long)(X))

/* --- io_uring --- */

BITS(t_uring_enter, "IORING_ENTER_", "GETEVENTS SQ_WAKEUP SQ_WAIT EXT_ARG REGISTERED_RING ABS_TIMER EXT_ARG_REG NO_IOWAIT");
#define EXT_ARG	    0x08
#define EXT_ARG_REG 0x40

/* A set of signals, or where the argument is among those that are registered. */
static void print_uring_wait(struct strace_line *line, unsigned int arg)
{
	if ((strace_arg(line, arg - 1) & (EXT_ARG | EXT_ARG_REG)) == EXT_ARG_REG)
		str_add_s64(line->out, strace_arg(line, arg));
	else
		t_sigset.print(line, arg);
}
const struct strace_type t_uring_wait = { print_uring_wait, .steps = { STEP_READS(8) } };

#define REGISTERED_RING 0x80000000U

/* What is registered; and whether the ring is named by its number among the registered ones. */
static void print_uring_register(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words operations = {
		"IORING_", "REGISTER_BUFFERS UNREGISTER_BUFFERS REGISTER_FILES UNREGISTER_FILES REGISTER_EVENTFD UNREGISTER_EVENTFD "
			   "REGISTER_FILES_UPDATE REGISTER_EVENTFD_ASYNC REGISTER_PROBE REGISTER_PERSONALITY UNREGISTER_PERSONALITY "
			   "REGISTER_RESTRICTIONS REGISTER_ENABLE_RINGS REGISTER_FILES2 REGISTER_FILES_UPDATE2 REGISTER_BUFFERS2 "
			   "REGISTER_BUFFERS_UPDATE REGISTER_IOWQ_AFF UNREGISTER_IOWQ_AFF REGISTER_IOWQ_MAX_WORKERS REGISTER_RING_FDS "
			   "UNREGISTER_RING_FDS REGISTER_PBUF_RING UNREGISTER_PBUF_RING REGISTER_SYNC_CANCEL REGISTER_FILE_ALLOC_RANGE "
			   "REGISTER_PBUF_STATUS REGISTER_NAPI UNREGISTER_NAPI REGISTER_CLOCK REGISTER_CLONE_BUFFERS "
			   "REGISTER_SEND_MSG_RING REGISTER_ZCRX_IFQ REGISTER_RESIZE_RINGS REGISTER_MEM_REGION REGISTER_QUERY "
			   "REGISTER_ZCRX_CTRL REGISTER_BPF_FILTER",
		"IORING_REGISTER_???"
	};
	static const struct strace_words flags = { "IORING_REGISTER_", "=0x80000000 USE_REGISTERED_RING" };
	unsigned int operation = strace_arg(line, arg);

	strace_word(line->out, &operations, operation & ~REGISTERED_RING);
	strace_bits_more(line->out, &flags, operation & REGISTERED_RING);
}
const struct strace_type t_uring_register = { print_uring_register };

static void add_uring_file(struct strace_line *line, const void *element, size_t index)
{
	strace_fd(line, *(const int *)element, NULL);
	(void)index;
}

static void add_uring_buffer(struct strace_line *line, const void *element, size_t index)
{
	const uint64_t *buffer = element;

	str_add(line->out, "{iov_base=");
	strace_address(line->out, buffer[0]);
	str_addf(line->out, ", iov_len=%llu}", (unsigned long long)buffer[1]);
	(void)index;
}

static void print_uring_update(struct strace_line *line, unsigned int arg)
{
	const struct {
		uint32_t offset, resv;
		uint64_t fds;
	} *update = strace_struct(line, arg, 0, sizeof(*update));

	if (!update)
		return;
	str_addf(line->out, "{offset=%u", update->offset);
	if (update->resv)
		str_addf(line->out, ", resv=%#x", update->resv);
	str_add(line->out, ", fds=");
	strace_address(line->out, update->fds);
	str_addc(line->out, '}');
}

/* What is registered: buffers and descriptors are printed, all else is an address. */
static void print_uring_registered(struct strace_line *line, unsigned int arg)
{
	unsigned int n = strace_arg(line, arg + 1), operation = strace_arg(line, arg - 1) & ~REGISTERED_RING;

	/* buffers of a 32-bit program are other structs */
	if (operation == IORING_REGISTER_BUFFERS && strace_is_narrow(line))
		operation = -1U;
	switch (operation) {
	case IORING_REGISTER_BUFFERS:
		strace_array(line, arg, 0, n, 2 * sizeof(uint64_t), add_uring_buffer);
		break;
	case IORING_REGISTER_FILES:
	case IORING_REGISTER_EVENTFD:
	case IORING_REGISTER_EVENTFD_ASYNC:
		strace_array(line, arg, 0, n, sizeof(int), add_uring_file);
		break;
	case IORING_REGISTER_FILES_UPDATE:
		print_uring_update(line, arg);
		break;
	default:
		strace_address(line->out, strace_arg(line, arg));
	}
}
const struct strace_type t_uring_registered = { print_uring_registered, .steps = { STEP_ARRAY_TO_EDGE(NEXT(1), 16, 64) } };

static void print_uring_ring(struct strace_line *line, unsigned int arg)
{
	if ((unsigned int)strace_arg(line, arg + 1) & REGISTERED_RING)
		str_add_u64(line->out, (unsigned int)strace_arg(line, arg));
	else
		t_fd.print(line, arg);
}
const struct strace_type t_uring_ring = { print_uring_ring, .enter = true, .steps = { STEP_FILE } };

static void print_uring(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words flags = {
		"IORING_SETUP_", "IOPOLL SQPOLL SQ_AFF CQSIZE CLAMP ATTACH_WQ R_DISABLED SUBMIT_ALL COOP_TASKRUN TASKRUN_FLAG "
				 "SQE128 CQE32 SINGLE_ISSUER DEFER_TASKRUN NO_MMAP REGISTERED_FD_ONLY NO_SQARRAY HYBRID_IOPOLL CQE_MIXED "
				 "SQE_MIXED SQ_REWIND"
	};
	static const struct strace_words features = {
		"IORING_FEAT_", "SINGLE_MMAP NODROP SUBMIT_STABLE RW_CUR_POS CUR_PERSONALITY FAST_POLL POLL_32BITS "
				"SQPOLL_NONFIXED EXT_ARG NATIVE_WORKERS RSRC_TAGS CQE_SKIP LINKED_FILE"
	};
	const struct io_uring_params *p = strace_struct(line, arg, 0, sizeof(*p));
	struct str *out = line->out;

	if (!p)
		return;
	str_add(out, "{flags=");
	strace_bits(out, &flags, p->flags);
	str_addf(out, ", sq_thread_cpu=%u, sq_thread_idle=%u", p->sq_thread_cpu, p->sq_thread_idle);
	if (p->flags & IORING_SETUP_ATTACH_WQ)
		str_addf(out, ", wq_fd=%d", (int)p->wq_fd);
	if (p->resv[0] || p->resv[1] || p->resv[2])
		str_addf(out, ", resv=[%#x, %#x, %#x]", p->resv[0], p->resv[1], p->resv[2]);
	if (strace_ok(line)) {
		str_addf(out, ", sq_entries=%u, cq_entries=%u, features=", p->sq_entries, p->cq_entries);
		strace_bits(out, &features, p->features);
		str_addf(out,
			 ", sq_off={head=%u, tail=%u, ring_mask=%u, ring_entries=%u, flags=%u, dropped=%u, array=%u}, "
			 "cq_off={head=%u, tail=%u, ring_mask=%u, ring_entries=%u, overflow=%u, cqes=%u, flags=%u}",
			 p->sq_off.head, p->sq_off.tail, p->sq_off.ring_mask, p->sq_off.ring_entries, p->sq_off.flags,
			 p->sq_off.dropped, p->sq_off.array, p->cq_off.head, p->cq_off.tail, p->cq_off.ring_mask,
			 p->cq_off.ring_entries, p->cq_off.overflow, p->cq_off.cqes, p->cq_off.flags);
	}
	str_addc(out, '}');
}
const struct strace_type t_uring = { print_uring, .steps = { STEP_READS(sizeof(struct io_uring_params)) } };

/* --- landlock and seccomp --- */

BITS(t_landlock_flags, "LANDLOCK_CREATE_RULESET_", "VERSION ERRATA");
BITS(t_landlock_rule_flags, "LANDLOCK_ADD_RULE_", "QUIET");
WORDS(t_landlock_rule, "LANDLOCK_RULE_", "- PATH_BENEATH NET_PORT");

static const struct strace_words landlock_rights = {
	"LANDLOCK_ACCESS_FS_", "EXECUTE WRITE_FILE READ_FILE READ_DIR REMOVE_DIR REMOVE_FILE MAKE_CHAR MAKE_DIR MAKE_REG "
			       "MAKE_SOCK MAKE_FIFO MAKE_BLOCK MAKE_SYM REFER TRUNCATE IOCTL_DEV RESOLVE_UNIX"
};
static const struct strace_words landlock_net = { "LANDLOCK_ACCESS_NET_",
						  "BIND_TCP CONNECT_TCP BIND_UDP CONNECT_SEND_UDP" };
static const struct strace_words landlock_scopes = { "LANDLOCK_SCOPE_", "ABSTRACT_UNIX_SOCKET SIGNAL" };

/* The two kinds of rules. */
static void print_landlock_what(struct strace_line *line, unsigned int arg)
{
	unsigned int kind = strace_arg(line, arg - 1);
	const void *bytes;
	uint64_t v[2] = {};

	if (kind != 1 && kind != 2) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	bytes = strace_struct(line, arg, kind - 1, kind == 1 ? 12 : 16);
	if (!bytes)
		return;
	memcpy(v, bytes, kind == 1 ? 12 : 16);
	str_add(line->out, "{allowed_access=");
	strace_bits(line->out, kind == 1 ? &landlock_rights : &landlock_net, v[0]);
	if (kind == 1)
		str_addf(line->out, ", parent_fd=%d}", (int)v[1]);
	else
		str_addf(line->out, ", port=%llu}", U(v[1]));
}
const struct strace_type t_landlock_what = { print_landlock_what, .steps = { STEP_READS(12), STEP_READS(16) } };

/* Each version has more members, of which the last may be there in part. */
static void print_landlock(struct strace_line *line, unsigned int arg)
{
	static const struct {
		const char *name;
		const struct strace_words *words;
	} members[] = {
		{ "{handled_access_fs=", &landlock_rights },
		{ ", handled_access_net=", &landlock_net },
		{ ", scoped=", &landlock_scopes },
		{ ", quiet_access_fs=", &landlock_rights },
		{ ", quiet_access_net=", &landlock_net },
		{ ", quiet_scoped=", &landlock_scopes },
	};
	uint64_t size = strace_arg(line, arg + 1), v[ARRAY_SIZE(members)] = {};
	size_t known = size < sizeof(v) ? size : sizeof(v);
	const void *bytes;

	if (size < sizeof(v[0])) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	bytes = strace_struct(line, arg, 0, known);
	if (!bytes)
		return;
	memcpy(v, bytes, known);
	for (size_t i = 0; i * sizeof(v[0]) < known; i++) {
		str_add(line->out, members[i].name);
		strace_bits(line->out, members[i].words, v[i]);
	}
	str_add(line->out, size > sizeof(v) ? ", ...}" : "}");
}
const struct strace_type t_landlock = { print_landlock, .steps = { STEP_ARRAY(NEXT(1), 1, 48) } };

WORDS(t_seccomp, "SECCOMP_", "SET_MODE_STRICT SET_MODE_FILTER GET_ACTION_AVAIL GET_NOTIF_SIZES");

static void print_seccomp_flags(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words flags = { "SECCOMP_FILTER_FLAG_",
						   "TSYNC LOG SPEC_ALLOW NEW_LISTENER TSYNC_ESRCH WAIT_KILLABLE_RECV" };

	if (strace_arg(line, 0) == 1)
		strace_bits(line->out, &flags, (unsigned int)strace_arg(line, arg));
	else
		str_addf(line->out, "%#x", (unsigned int)strace_arg(line, arg));
}
const struct strace_type t_seccomp_flags = { print_seccomp_flags };

static void print_seccomp_arg(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);
	const uint32_t *v = blob && blob->status == STRACE_WHOLE && blob->n >= 16 ? strace_bytes(blob) : NULL;

	if (v && strace_arg(line, 0) == 2) {
		str_addc(line->out, '[');
		strace_seccomp_action(line->out, *v);
		str_addc(line->out, ']');
	} else if (v && strace_arg(line, 0) == 3 && strace_ok(line)) {
		str_addf(line->out, "{seccomp_notif=%u, seccomp_notif_resp=%u, seccomp_data=%u}", (unsigned short)*v, *v >> 16,
			 (unsigned short)v[1]);
	} else if (v && strace_arg(line, 0) == 1) {
		strace_filter(line, v, strace_blob(line, arg, 1, 0), true);
	} else {
		strace_address(line->out, strace_arg(line, arg));
	}
}
/* struct sock_fprog is the largest */
const struct strace_type t_seccomp_arg = { print_seccomp_arg, .steps = { STEP_READS(16), STEP_FILTER(0) } };
