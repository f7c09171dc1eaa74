// SPDX-License-Identifier: BSD-2-Clause
/* System V's and POSIX's queues, semaphores and shared memory. */
#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "strace_part.h"
#include "types.h"

#define U(X) ((unsigned long long)(X))

static void print_key(struct strace_line *line, unsigned int arg)
{
	unsigned int key = strace_arg(line, arg);

	if (key)
		str_addf(line->out, "%#x", key);
	else
		strace_constant(line->out, "0", "IPC_PRIVATE");
}
const struct strace_type t_ipc_key = { print_key };

/* Flags, with the mode in the lowest bits. */
static void print_ipc_flags(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words names = { "", "=0x200 IPC_CREAT IPC_EXCL IPC_NOWAIT" };
	unsigned int flags = strace_arg(line, arg), named = flags & ~0777U;

	/* strace writes no '|' behind what has no name at all, unless all are numbers */
	if (named & (IPC_CREAT | IPC_EXCL | IPC_NOWAIT) || (named && strace_style() == STRACE_NUMBERS)) {
		strace_bits(line->out, &names, named);
		str_addc(line->out, '|');
	} else if (named) {
		str_addf(line->out, "%#x", named);
	}
	str_addf(line->out, "%#03o", flags & 0777);
}

/* Of shared memory, with the power of two of the size of huge pages in the highest bits. */
static void print_shm_flags(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words names = { "", "=0x200 IPC_CREAT IPC_EXCL SHM_HUGETLB SHM_NORESERVE" };
	unsigned int flags = strace_arg(line, arg), shift = flags >> 26, named = flags & 0x3fffe00;

	if (named & 0x1e00)
		strace_bits(line->out, &names, named);
	else if (named)
		str_addf(line->out, "%#x", named);
	str_add(line->out, named ? "|" : "");
	if (shift) {
		str_addf(line->out, "%u<<", shift);
		strace_constant(line->out, "26", "SHM_HUGE_SHIFT");
		str_addc(line->out, '|');
	}
	str_addf(line->out, "%#03o", flags & 0777);
}
const struct strace_type t_ipc_get = { print_ipc_flags }, t_shm_get = { print_shm_flags };
BITS(t_shm_at, "SHM_", "=0x1000 RDONLY RND REMAP EXEC");
BITS_MIXED(t_msg_get, "MSG_???", "=0x1000 MSG_NOERROR MSG_EXCEPT MSG_COPY =0x800 IPC_NOWAIT");

#define IPC_COMMANDS "IPC_RMID IPC_SET IPC_STAT IPC_INFO "
/* The bit says that structs are the kernel's newer ones, as they are for 64-bit programs. */
#define IPC_64 0x100

static void add_command(struct strace_line *line, unsigned int arg, const struct strace_words *words)
{
	unsigned int command = strace_arg(line, arg);

	if (command & IPC_64) {
		strace_constant(line->out, "0x100", "IPC_64");
		str_addc(line->out, '|');
	}
	strace_word(line->out, words, command & ~IPC_64);
}

static void print_shm_command(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words words = {
		"", IPC_COMMANDS "=11 SHM_LOCK SHM_UNLOCK SHM_STAT SHM_INFO SHM_STAT_ANY", "SHM_???"
	};

	add_command(line, arg, &words);
}

static void print_msg_command(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words words = { "", IPC_COMMANDS "=11 MSG_STAT MSG_INFO MSG_STAT_ANY", "MSG_???" };

	add_command(line, arg, &words);
}

static void print_sem_command(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words words = {
		"", IPC_COMMANDS "=11 GETPID GETVAL GETALL GETNCNT GETZCNT SETVAL SETALL SEM_STAT SEM_INFO SEM_STAT_ANY", "SEM_???"
	};

	add_command(line, arg, &words);
}
const struct strace_type t_shm_command = { print_shm_command }, t_msg_command = { print_msg_command },
			 t_sem_command = { print_sem_command };

/* The kernel's struct ipc64_perm. */
struct perm {
	uint32_t key, uid, gid, cuid, cgid, mode;
	uint64_t unused[3];
};

struct shm {
	struct perm perm;
	uint64_t size;
	int64_t atime, dtime, ctime;
	int32_t cpid, lpid;
	uint64_t attached, unused[2];
};

struct msg {
	struct perm perm;
	int64_t stime, rtime, ctime;
	uint64_t bytes, n, most;
	int32_t lspid, lrpid;
};

struct sem {
	struct perm perm;
#if defined(__x86_64__)
	int64_t otime, unused, ctime, unused_too;
	uint64_t n, unused_more[2];
#else
	int64_t otime, ctime;
	uint64_t n, unused_more[2];
#endif
};

static void add_owner(struct str *out, const char *name, uint32_t id)
{
	str_addf(out, id == UINT32_MAX ? "%s=-1" : "%s=%u", name, id);
}

/* set: what IPC_SET takes of it. */
static void add_perm(struct str *out, const char *name, const struct perm *perm, bool set)
{
	str_addf(out, "{%s={", name);
	add_owner(out, "uid", perm->uid);
	add_owner(out, ", gid", perm->gid);
	str_addf(out, ", mode=%#03o", perm->mode);
	if (!set) {
		str_addf(out, ", key=%u", perm->key);
		add_owner(out, ", cuid", perm->cuid);
		add_owner(out, ", cgid", perm->cgid);
	}
	str_addc(out, '}');
}

/* What a command has in its last argument: the steps read it at the end of the call. */
enum what {
	NOTHING,
	SET,
	STATUS,
	LIMITS,
	TOTALS,
};

static enum what what_of(const struct strace_line *line, unsigned int arg)
{
	switch ((unsigned int)strace_arg(line, arg - 1) & ~IPC_64) {
	case IPC_SET:
		return SET;
	case IPC_INFO:
		return strace_ok(line) ? LIMITS : NOTHING;
	case IPC_STAT:
		return strace_ok(line) ? STATUS : NOTHING;
	default:
		return NOTHING;
	}
}

static void print_shm(struct strace_line *line, unsigned int arg)
{
	unsigned int command = (unsigned int)strace_arg(line, arg - 1) & ~IPC_64;
	bool ok = strace_ok(line);
	enum what what = ok && command == 14 ? TOTALS : ok && (command == 13 || command == 15) ? STATUS
											       : what_of(line, arg);
	const void *bytes = what ? strace_struct(line, arg, what == TOTALS || what == LIMITS, what == TOTALS || what == LIMITS ? 48 : sizeof(struct shm)) : NULL;
	const struct shm *shm = bytes;
	const uint64_t *v = bytes;
	struct str *out = line->out;

	if (!what)
		strace_address(out, strace_arg(line, arg));
	if (!bytes)
		return;
	if (what == LIMITS) {
		str_addf(out, "{shmmax=%llu, shmmin=%llu, shmmni=%llu, shmseg=%llu, shmall=%llu}", U(v[0]), U(v[1]), U(v[2]),
			 U(v[3]), U(v[4]));
		return;
	}
	if (what == TOTALS) {
		str_addf(out, "{used_ids=%d, shm_tot=%llu, shm_rss=%llu, shm_swp=%llu, swap_attempts=%llu, swap_successes=%llu}",
			 (int)v[0], U(v[1]), U(v[2]), U(v[3]), U(v[4]), U(v[5]));
		return;
	}
	add_perm(out, "shm_perm", &shm->perm, what == SET);
	if (what == STATUS)
		str_addf(out, ", shm_segsz=%llu, shm_cpid=%d, shm_lpid=%d, shm_nattch=%llu, shm_atime=%llu, shm_dtime=%llu, "
			      "shm_ctime=%llu",
			 U(shm->size), shm->cpid, shm->lpid, U(shm->attached), U(shm->atime), U(shm->dtime), U(shm->ctime));
	str_addc(out, '}');
}
const struct strace_type t_shm = { print_shm, .steps = { STEP_READS(sizeof(struct shm)), STEP_READS(48) } };

static void print_msg(struct strace_line *line, unsigned int arg)
{
	unsigned int command = (unsigned int)strace_arg(line, arg - 1) & ~IPC_64;
	bool ok = strace_ok(line);
	enum what what = ok && command == 12 ? LIMITS : ok && (command == 11 || command == 13) ? STATUS
											       : what_of(line, arg);
	const void *bytes = what ? strace_struct(line, arg, what == LIMITS, what == LIMITS ? 32 : sizeof(struct msg)) : NULL;
	const struct msg *msg = bytes;
	const int *v = bytes;
	struct str *out = line->out;

	if (!what)
		strace_address(out, strace_arg(line, arg));
	if (!bytes)
		return;
	if (what == LIMITS) {
		str_addf(out, "{msgpool=%d, msgmap=%d, msgmax=%d, msgmnb=%d, msgmni=%d, msgssz=%d, msgtql=%d, msgseg=%u}", v[0],
			 v[1], v[2], v[3], v[4], v[5], v[6], *(const unsigned short *)(v + 7));
		return;
	}
	add_perm(out, "msg_perm", &msg->perm, what == SET);
	if (what == STATUS)
		str_addf(out, ", msg_stime=%llu, msg_rtime=%llu, msg_ctime=%llu, msg_qnum=%llu", U(msg->stime), U(msg->rtime),
			 U(msg->ctime), U(msg->n));
	str_addf(out, ", msg_qbytes=%llu", U(msg->most));
	if (what == STATUS)
		str_addf(out, ", msg_lspid=%d, msg_lrpid=%d", msg->lspid, msg->lrpid);
	str_addc(out, '}');
}
const struct strace_type t_msg = { print_msg, .steps = { STEP_READS(sizeof(struct msg)), STEP_READS(32) } };

static void print_sem(struct strace_line *line, unsigned int arg)
{
	unsigned int command = (unsigned int)strace_arg(line, arg - 1) & ~IPC_64;
	bool ok = strace_ok(line);
	enum what what = ok && command == 19 ? LIMITS : ok && (command == 18 || command == 20) ? STATUS
											       : what_of(line, arg);
	const void *bytes = what ? strace_struct(line, arg, what == LIMITS, what == LIMITS ? 40 : sizeof(struct sem)) : NULL;
	const struct sem *sem = bytes;
	const int *v = bytes;
	struct str *out = line->out;

	if (!what)
		strace_address(out, strace_arg(line, arg));
	if (!bytes)
		return;
	if (what == LIMITS) {
		str_addf(out,
			 "{semmap=%d, semmni=%d, semmns=%d, semmnu=%d, semmsl=%d, semopm=%d, semume=%d, semusz=%d, semvmx=%d, "
			 "semaem=%d}",
			 v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]);
		return;
	}
	add_perm(out, "sem_perm", &sem->perm, what == SET);
	if (what == STATUS)
		str_addf(out, ", sem_otime=%llu, sem_ctime=%llu, sem_nsems=%llu", U(sem->otime), U(sem->ctime), U(sem->n));
	str_addc(out, '}');
}
const struct strace_type t_sem = { print_sem, .steps = { STEP_READS(sizeof(struct sem)), STEP_READS(40) } };

static void add_sem_op(struct strace_line *line, const void *element, size_t index)
{
	static const struct strace_words flags = { "", "=0x1000 SEM_UNDO =0x800 IPC_NOWAIT", "SEM_???" };
	struct sembuf op;

	memcpy(&op, element, sizeof(op));
	str_addf(line->out, "{sem_num=%u, sem_op=%d, sem_flg=", op.sem_num, op.sem_op);
	strace_bits(line->out, &flags, (unsigned short)op.sem_flg);
	str_addc(line->out, '}');
}

static void print_sem_ops(struct strace_line *line, unsigned int arg)
{
	strace_array(line, arg, 0, (unsigned int)strace_arg(line, arg + 1), sizeof(struct sembuf), add_sem_op);
}
const struct strace_type t_sem_ops = { print_sem_ops, .steps = { STEP_ARRAY_TO_EDGE(NEXT(1), 6, 32) } };

#define MESSAGE_MOST 512

/* A message: its kind, and a text of as many bytes as the call says. All is there, or its address. */
static void print_message(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);
	uint64_t all = strace_arg(line, arg + 1), n = all < line->settings->size ? all : line->settings->size;
	const char *bytes = blob && blob->status != STRACE_UNREAD ? strace_bytes(blob) : NULL;
	long kind;

	if (n > MESSAGE_MOST - sizeof(kind))
		n = MESSAGE_MOST - sizeof(kind);
	if (!bytes || blob->n < sizeof(kind) + n) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	memcpy(&kind, bytes, sizeof(kind));
	str_addf(line->out, "{mtype=%ld, mtext=", kind);
	strace_text(line, bytes + sizeof(kind), n, n < all);
	str_addc(line->out, '}');
}
/* kind and text are one piece of memory */
#define MESSAGE(WHEN) \
	{ \
		{ \
			STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = MESSAGE_MOST, \
				      .most = MESSAGE_MOST, .when = (WHEN) | STRACE_TO_EDGE \
		} \
	}
const struct strace_type t_message_in = { print_message, .steps = MESSAGE(0) },
			 t_message_out = { print_message, .steps = MESSAGE(STRACE_IF_OK) };

/* named: the flags have names. */
static void add_mq_attr(struct strace_line *line, unsigned int arg, bool named)
{
	const long *v = strace_struct(line, arg, 0, 32);

	if (!v)
		return;
	str_add(line->out, "{mq_flags=");
	if (named)
		strace_bits(line->out, &(const struct strace_words){ "O_", "=0x800 NONBLOCK" }, v[0]);
	else
		str_addf(line->out, "%#lx", v[0]);
	str_addf(line->out, ", mq_maxmsg=%ld, mq_msgsize=%ld, mq_curmsgs=%ld}", v[1], v[2], v[3]);
}

static void print_mq_attr_named(struct strace_line *line, unsigned int arg)
{
	add_mq_attr(line, arg, true);
}
const struct strace_type t_mq_attr_in = { print_mq_attr_named, .steps = { STEP_READS(64) } },
			 t_mq_attr_out = { print_mq_attr_named, .steps = { STEP_WRITES(64) } };

/* Of mq_open, with O_CREAT only. */
static void print_mq_attr(struct strace_line *line, unsigned int arg)
{
	if (strace_arg(line, 1) & O_CREAT)
		add_mq_attr(line, arg, false);
}
const struct strace_type t_mq_attr = { print_mq_attr, .steps = { STEP_READS(64) } };
