// SPDX-License-Identifier: BSD-2-Clause
/* Keys of the kernel: what the arguments of keyctl are depends on the first. */
#include "strace_part.h"
#include "types.h"

#define U(X) ((unsigned long long)(X))

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
	char number[16];

	snprintf(number, sizeof(number), "%d", id);
	if (id < 0 && id >= -(int)ARRAY_SIZE(names))
		strace_named(line->out, number, "KEY_SPEC_%s", names[-id - 1]);
	else
		str_add(line->out, number);
}
const struct strace_type t_key_id = { print_key_id };

/* The steps of keyctl: what its third and fourth argument point to. */
enum {
	TEXT2,
	TEXT3,
	BYTES2, /* as many as the fourth says */
	TEXT1,
	VECTORS2,
};

static void add_text(struct strace_line *line, unsigned int arg)
{
	static const unsigned char steps[] = { TEXT1, TEXT1, TEXT2, TEXT3 };

	strace_string(line, strace_blob(line, 0, steps[arg], 0), strace_arg(line, arg), false);
}

/* n bytes, as far as -s wants them. */
static void add_bytes(struct strace_line *line, const struct strace_blob *blob, uint64_t n)
{
	uint64_t shown = n < line->settings->size ? n : line->settings->size;

	if (shown > blob->n)
		shown = blob->n;
	strace_text(line, strace_bytes(blob), shown, n > shown);
}

/* Data that goes in. */
static void add_payload(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_blob(line, 0, BYTES2, 0);
	uint64_t n = strace_arg(line, arg + 1);

	if (!strace_arg(line, arg) || !blob || blob->status == STRACE_UNREAD)
		strace_address(line->out, strace_arg(line, arg));
	else
		add_bytes(line, blob, n);
}

/* Data or a text that comes out: the result says how long it is. */
static void add_result(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_ok(line) ? strace_blob(line, 0, BYTES2, 0) : NULL;
	uint64_t n = strace_ret(line);

	if (!strace_arg(line, arg) || !blob || blob->status == STRACE_UNREAD)
		strace_address(line->out, strace_arg(line, arg));
	else
		add_bytes(line, blob, n);
}

static void add_rights(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words rights = {
		"KEY_", "=0x1000000 POS_VIEW POS_READ POS_WRITE POS_SEARCH POS_LINK POS_SETATTR =0x10000 USR_VIEW USR_READ "
			"USR_WRITE USR_SEARCH USR_LINK USR_SETATTR =0x100 GRP_VIEW GRP_READ GRP_WRITE GRP_SEARCH GRP_LINK "
			"GRP_SETATTR =1 OTH_VIEW OTH_READ OTH_WRITE OTH_SEARCH OTH_LINK OTH_SETATTR"
	};

	strace_bits(line->out, &rights, (unsigned int)strace_arg(line, arg));
}

static void add_default_ring(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words rings = {
		"KEY_REQKEY_DEFL_", "=0xffffffff NO_CHANGE =0 DEFAULT THREAD_KEYRING PROCESS_KEYRING SESSION_KEYRING USER_KEYRING "
				    "USER_SESSION_KEYRING GROUP_KEYRING REQUESTOR_KEYRING"
	};
	int ring = strace_arg(line, arg);

	if (!strace_word_if(line->out, &rings, (unsigned int)ring))
		str_addf(line->out, "%d /* KEY_REQKEY_DEFL_??? */", ring);
}

static void add_error(struct strace_line *line, unsigned int arg)
{
	unsigned int error = strace_arg(line, arg);

	if (strerrorname_np(error) && error)
		str_add(line->out, strerrorname_np(error));
	else
		str_add_u64(line->out, error);
}

static void add_vectors(struct strace_line *line, unsigned int arg)
{
	/* their memory is not copied: a step without blobs */
	strace_vectors_of(line, 0, STRACE_TYPE_STEPS, strace_blob(line, 0, VECTORS2, 0), 0, strace_arg(line, arg),
			  strace_arg(line, arg + 1), UINT64_MAX);
}

/*
 * The arguments of each operation behind its name, a letter each: k a key, d an int, u an unsigned int, l a long, i the
 * id of a user, t a text, p data, r the result, f rights, q a ring for requests, e an error, v vectors, m flags, x hex,
 * a an address.
 */
static const char *const keyctl_args[] = {
	"kd",
	"t",
	"kpl",
	"k",
	"kii",
	"kf",
	"krl",
	"k",
	"kk",
	"kk",
	"kttk",
	"krl",
	"kplk",
	"kuk",
	"q",
	"ku",
	"k",
	"krl",
	"",
	"kuek",
	"kvlk",
	"k",
	"ik",
	"xal",
	"kata",
	"xtaa",
	"xtaa",
	"xtaa",
	"xtaa",
	"ktt",
	"kkkm",
	"xl",
	"xxaa",
};

static void add_argument(struct strace_line *line, unsigned int arg, char letter)
{
	static const struct strace_words moves = { "KEYCTL_MOVE_", "EXCL" };
	uint64_t value = strace_arg(line, arg);

	switch (letter) {
	case 'k':
		print_key_id(line, arg);
		break;
	case 'd':
		str_add_s64(line->out, (int)value);
		break;
	case 'i':
	case 'u':
		str_addf(line->out, letter == 'i' && (int)value == -1 ? "-1" : "%u", (unsigned int)value);
		break;
	case 'l':
		str_add_u64(line->out, value);
		break;
	case 't':
		add_text(line, arg);
		break;
	case 'p':
		add_payload(line, arg);
		break;
	case 'r':
		add_result(line, arg);
		break;
	case 'f':
		add_rights(line, arg);
		break;
	case 'q':
		add_default_ring(line, arg);
		break;
	case 'e':
		add_error(line, arg);
		break;
	case 'v':
		add_vectors(line, arg);
		break;
	case 'm':
		strace_bits(line->out, &moves, (unsigned int)value);
		break;
	case 'a':
		strace_address(line->out, value);
		break;
	default:
		str_addf(line->out, "%#llx", U(value));
	}
}

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
	const char *letters = operation < ARRAY_SIZE(keyctl_args) ? keyctl_args[operation] : "xxxx";

	strace_word(line->out, &operations, operation);
	for (unsigned int i = 0; letters[i]; i++) {
		str_add(line->out, ", ");
		add_argument(line, 1 + i, letters[i]);
	}
}
const struct strace_type t_keyctl = {
	print_keyctl,
	.steps = {
		{ STRACE_STRING, .from = NEXT(2), .most = MOST_TEXT },
		{ STRACE_STRING, .from = NEXT(3), .most = MOST_TEXT },
		{ STRACE_BYTES, .from = NEXT(2), .count_from = NEXT(3), .scale = 1, .most = MOST_TEXT },
		{ STRACE_STRING, .from = NEXT(1), .most = MOST_TEXT },
		{ STRACE_BYTES, .from = NEXT(2), .count_from = NEXT(3), .scale = 16, .most = 16 * STRACE_VECTOR, .when = STRACE_TO_EDGE },
	},
};
