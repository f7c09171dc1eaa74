// SPDX-License-Identifier: BSD-2-Clause
/* System V's and POSIX's queues, semaphores and shared memory, and keys. */
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
		str_add(line->out, "IPC_PRIVATE");
}
const struct strace_type t_ipc_key = { print_key };

/* Flags, with the mode in the lowest bits. */
static void add_get_flags(struct strace_line *line, unsigned int arg, const char *names)
{
	unsigned int flags = strace_arg(line, arg);

	if (flags & ~0777U) {
		strace_bits(line->out, &(const struct strace_words){ "", names }, flags & ~0777U);
		str_addc(line->out, '|');
	}
	str_addf(line->out, "%#03o", flags & 0777);
}

static void print_ipc_flags(struct strace_line *line, unsigned int arg)
{
	add_get_flags(line, arg, "=0x200 IPC_CREAT IPC_EXCL IPC_NOWAIT");
}

static void print_shm_flags(struct strace_line *line, unsigned int arg)
{
	add_get_flags(line, arg, "=0x200 IPC_CREAT IPC_EXCL SHM_HUGETLB SHM_NORESERVE");
}
const struct strace_type t_ipc_get = { print_ipc_flags }, t_shm_get = { print_shm_flags };
BITS(t_shm_at, "SHM_", "=0x1000 RDONLY RND REMAP EXEC");
BITS(t_msg_get, "", "=0x800 IPC_NOWAIT =0x1000 MSG_NOERROR MSG_EXCEPT MSG_COPY");
WORDS(t_shm_command, "", "IPC_RMID IPC_SET IPC_STAT IPC_INFO =11 SHM_LOCK SHM_UNLOCK SHM_STAT SHM_INFO SHM_STAT_ANY");
WORDS(t_msg_command, "", "IPC_RMID IPC_SET IPC_STAT IPC_INFO =11 MSG_STAT MSG_INFO MSG_STAT_ANY");
WORDS(t_sem_command, "",
      "IPC_RMID IPC_SET IPC_STAT IPC_INFO =11 GETPID GETVAL GETALL GETNCNT GETZCNT SETVAL SETALL SEM_STAT SEM_INFO "
      "SEM_STAT_ANY");

static void print_shm(struct strace_line *line, unsigned int arg)
{
	unsigned int command = strace_arg(line, arg - 1);
	const struct shmid_ds *shm;
	struct str *out = line->out;

	if (command != IPC_STAT || !strace_ok(line)) {
		strace_address(out, strace_arg(line, arg));
		return;
	}
	shm = strace_struct(line, arg, 0, sizeof(*shm));
	if (!shm)
		return;
	str_addf(out, "{shm_perm={uid=%u, gid=%u, mode=%#o, key=%u, cuid=%u, cgid=%u}, shm_segsz=%llu, shm_cpid=%d, ",
		 shm->shm_perm.uid, shm->shm_perm.gid, shm->shm_perm.mode, shm->shm_perm.__key, shm->shm_perm.cuid,
		 shm->shm_perm.cgid, U(shm->shm_segsz), shm->shm_cpid);
	str_addf(out, "shm_lpid=%d, shm_nattch=%llu, shm_atime=%llu, shm_dtime=%llu, shm_ctime=%llu}", shm->shm_lpid,
		 U(shm->shm_nattch), U(shm->shm_atime), U(shm->shm_dtime), U(shm->shm_ctime));
}
const struct strace_type t_shm = { print_shm, .steps = { STEP_WRITES(sizeof(struct shmid_ds)) } };

static void print_sem_ops(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words flags = { "", "=0x800 IPC_NOWAIT SEM_UNDO" };
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);
	const struct sembuf *op = blob ? strace_bytes(blob) : NULL;

	if (!strace_arg(line, arg) || !blob || blob->status == STRACE_UNREAD) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	str_addc(line->out, '[');
	for (size_t i = 0; i < blob->n / sizeof(*op); i++) {
		str_addf(line->out, "%s{sem_num=%u, sem_op=%d, sem_flg=", i ? ", " : "", op[i].sem_num, op[i].sem_op);
		strace_bits(line->out, &flags, (unsigned short)op[i].sem_flg);
		str_addc(line->out, '}');
	}
	str_addc(line->out, ']');
}
const struct strace_type t_sem_ops = { print_sem_ops, .steps = { STEP_ARRAY(NEXT(1), 6, 32) } };

/* A message: its kind, and a text of as many bytes as the call says. */
static void print_message(struct strace_line *line, unsigned int arg)
{
	const long *kind = strace_struct(line, arg, 0, sizeof(*kind));
	const struct strace_blob *text = strace_blob(line, arg, 1, 0);
	uint64_t all = strace_arg(line, arg + 1), n = all;

	if (!kind)
		return;
	str_addf(line->out, "{mtype=%ld, mtext=", *kind);
	if (n > line->settings->size)
		n = line->settings->size;
	if (text && text->n > 8 && n > text->n - 8U)
		n = text->n - 8U;
	if (text && text->status != STRACE_UNREAD && text->n > 8)
		strace_text(line, (const char *)strace_bytes(text) + 8, n, n < all);
	else
		strace_address(line->out, strace_arg(line, arg) + 8);
	str_addc(line->out, '}');
}
/* the text alone would begin behind the kind: as many bytes more than it has are copied as are there */
#define MESSAGE(WHEN) \
	{ \
		{ STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = 8, .most = 8, .when = WHEN }, \
		{ \
			STRACE_BYTES, .from = SELF, .count_from = NEXT(1), .scale = 9, .most = 48, .when = WHEN \
		} \
	}
const struct strace_type t_message_in = { print_message, .steps = MESSAGE(0) },
			 t_message_out = { print_message, .steps = MESSAGE(STRACE_IF_OK) };

/* Of mq_open, with O_CREAT only. */
static void print_mq_attr(struct strace_line *line, unsigned int arg)
{
	const long *v;

	if (!(strace_arg(line, 1) & O_CREAT))
		return;
	v = strace_struct(line, arg, 0, 32);
	if (v)
		str_addf(line->out, "{mq_flags=%#lx, mq_maxmsg=%ld, mq_msgsize=%ld, mq_curmsgs=%ld}", v[0], v[1], v[2], v[3]);
}
const struct strace_type t_mq_attr = { print_mq_attr, .steps = { STEP_READS(64) } };

/* --- keys --- */

static void print_key_id(struct strace_line *line, unsigned int arg)
{
	static const char *const names[] = {
		"THREAD_KEYRING",
		"PROCESS_KEYRING",
		"SESSION_KEYRING",
		"USER_KEYRING",
		"USER_SESSION_KEYRING",
		"GROUP_KEYRING",
		"REQKEY_AUTH_KEY",
		"REQUESTOR_KEYRING",
	};
	int id = strace_arg(line, arg);

	if (id < 0 && -id <= (int)ARRAY_SIZE(names))
		str_addf(line->out, "KEY_SPEC_%s", names[-id - 1]);
	else
		str_add_s64(line->out, id);
}
const struct strace_type t_key_id = { print_key_id };

/* The operation, and all arguments that it has. */
static void print_keyctl(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words operations = {
		"KEYCTL_", "GET_KEYRING_ID JOIN_SESSION_KEYRING UPDATE REVOKE CHOWN SETPERM DESCRIBE CLEAR LINK UNLINK SEARCH "
			   "READ INSTANTIATE NEGATE SET_REQKEY_KEYRING SET_TIMEOUT ASSUME_AUTHORITY GET_SECURITY "
			   "SESSION_TO_PARENT REJECT INSTANTIATE_IOV INVALIDATE GET_PERSISTENT DH_COMPUTE PKEY_QUERY PKEY_ENCRYPT "
			   "PKEY_DECRYPT PKEY_SIGN PKEY_VERIFY RESTRICT_KEYRING MOVE CAPABILITIES WATCH_KEY"
	};
	unsigned int operation = strace_arg(line, 0);

	strace_word(line->out, &operations, operation);
	if (operation == 18)
		return;
	str_add(line->out, ", ");
	if (operation == 1) {
		strace_address(line->out, strace_arg(line, 1));
		return;
	}
	print_key_id(line, 1);
	if (!operation) {
		str_addf(line->out, ", %d", (int)strace_arg(line, 2));
	} else if (operation == 8 || operation == 9) {
		str_add(line->out, ", ");
		print_key_id(line, 2);
	} else if (operation != 3 && operation != 7 && operation != 16 && operation != 21) {
		for (unsigned int i = 2; i < 5; i++)
			str_addf(line->out, ", %#llx", U(strace_arg(line, i)));
	}
}
const struct strace_type t_keyctl = { print_keyctl };
