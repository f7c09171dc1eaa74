// SPDX-License-Identifier: BSD-2-Clause
/* Messages of sockets: one, an array of them, and the control messages that they carry. */
#include <sys/socket.h>

#include "netlink.h"
#include "strace_part.h"
#include "types.h"

#define U(X) ((unsigned long long)(X))

struct message {
	uint64_t name;
	uint32_t name_len, unused;
	uint64_t vectors, n_vectors, control, control_len;
	uint32_t flags, unused_too;
};

/* The same of a 32-bit program. */
struct message_32 {
	uint32_t name, name_len, vectors, n_vectors, control, control_len, flags;
};

/* An element of the array of sendmmsg: a message, and a length of 4 bytes. */
#define ELEMENT_SIZE(NARROW) ((NARROW) ? sizeof(struct message_32) + sizeof(uint32_t) : STRACE_MESSAGE_SIZE)

/* The steps: the message, its name, its vectors, what they point to, control messages. */
enum {
	MESSAGE,
	NAME,
	VECTORS,
	CONTENT,
	CONTROL,
};

/* --- control messages --- */

static const struct strace_words socket_messages = { "SCM_", "- RIGHTS CREDENTIALS SECURITY PIDFD =29 "
							     "!SO_TIMESTAMP_OLD =35 !SO_TIMESTAMPNS_OLD =37 "
							     "!SO_TIMESTAMPING_OLD" };

static void add_control_data(struct strace_line *line, const struct cmsghdr *head, const void *data, size_t n)
{
	const int *v = data;

	if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS && n >= sizeof(*v)) {
		str_add(line->out, ", cmsg_data=[");
		for (size_t i = 0; i < n / sizeof(*v); i++) {
			str_add(line->out, i ? ", " : "");
			if (!line->settings->whole && i >= line->settings->size) {
				str_add(line->out, "...");
				break;
			}
			str_add_s64(line->out, v[i]);
		}
		str_addc(line->out, ']');
	} else if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == 2 && n == 12) {
		str_add(line->out, ", cmsg_data=");
		strace_credentials(line, v);
	} else if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == 29 && n == 16) {
		str_add(line->out, ", cmsg_data=");
		strace_timeval(line->out, data);
	} else if (n && !(head->cmsg_level == SOL_SOCKET && head->cmsg_type == 2)) {
		str_add(line->out, ", cmsg_data=");
		strace_text(line, data, n, false);
	}
}

/* narrow: of a 32-bit program, whose lengths have 4 bytes. */
static void read_control_head(struct cmsghdr *head, const char *bytes, bool narrow)
{
	uint32_t words[3];

	if (!narrow) {
		memcpy(head, bytes, sizeof(*head));
		return;
	}
	memcpy(words, bytes, sizeof(words));
	head->cmsg_len = words[0];
	head->cmsg_level = words[1];
	head->cmsg_type = words[2];
}

/* [{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[3]}] */
static void add_control_messages(struct strace_line *line, const struct strace_blob *blob, size_t n)
{
	const char *bytes = strace_bytes(blob);
	bool narrow = strace_is_narrow(line);
	size_t size = narrow ? 3 * sizeof(uint32_t) : sizeof(struct cmsghdr);

	str_addc(line->out, '[');
	for (size_t at = 0; at + size <= n && at + size <= blob->n;) {
		struct cmsghdr head;
		size_t len;

		read_control_head(&head, bytes + at, narrow);
		str_addf(line->out, "%s{cmsg_len=%llu, cmsg_level=", at ? ", " : "", U(head.cmsg_len));
		strace_socket_level(line->out, (unsigned int)head.cmsg_level, "SOL_???");
		str_add(line->out, ", cmsg_type=");
		if (head.cmsg_level == SOL_SOCKET)
			strace_word(line->out, &socket_messages, (unsigned int)head.cmsg_type);
		else
			str_addf(line->out, "%#x", (unsigned int)head.cmsg_type);
		if (head.cmsg_len < size) {
			str_addc(line->out, '}');
			break;
		}
		len = head.cmsg_len - size;
		if (len > blob->n - at - size)
			len = blob->n - at - size;
		add_control_data(line, &head, bytes + at + size, len);
		str_addc(line->out, '}');
		/* the length is foreign, and may be any number */
		if (head.cmsg_len > blob->n - at)
			break;
		at += narrow ? (head.cmsg_len + 3) & ~(size_t)3 : (head.cmsg_len + 7) & ~(size_t)7;
	}
	str_addc(line->out, ']');
}

static void add_control(struct strace_line *line, const struct message *message, const struct strace_blob *blob)
{
	if (message->control_len && message->control && blob && blob->status != STRACE_UNREAD &&
	    blob->n >= (strace_is_narrow(line) ? 12 : sizeof(struct cmsghdr))) {
		str_add(line->out, ", msg_control=");
		add_control_messages(line, blob, message->control_len);
	} else if (message->control_len) {
		str_addf(line->out, ", msg_control=%#llx", U(message->control));
	}
	str_addf(line->out, ", msg_controllen=%llu", U(message->control_len));
}

/* --- a message --- */

static void add_head(struct strace_line *line, const struct message *message, const struct strace_blob *name)
{
	str_add(line->out, "{msg_name=");
	if (message->name && message->name_len && name && name->status != STRACE_UNREAD && name->n >= 2)
		strace_sockaddr(line, strace_bytes(name), name->n);
	else
		strace_address(line->out, message->name);
	str_addf(line->out, ", msg_namelen=%d, msg_iov=", (int)message->name_len);
}

static void add_flags(struct strace_line *line, const struct message *message)
{
	str_add(line->out, ", msg_flags=");
	strace_flags(line->out, &strace_msg_flags, message->flags);
	str_addc(line->out, '}');
}

static void copy_message(struct message *to, const void *bytes, bool narrow)
{
	struct message_32 half;

	memcpy(narrow ? (void *)&half : (void *)to, bytes, narrow ? sizeof(half) : sizeof(*to));
	if (narrow)
		*to = (struct message){
			.name = half.name,
			.name_len = half.name_len,
			.vectors = half.vectors,
			.n_vectors = half.n_vectors,
			.control = half.control,
			.control_len = half.control_len,
			.flags = half.flags,
		};
}

/* False: it is not there, and an address has been printed. */
static bool read_message(struct strace_line *line, unsigned int arg, struct message *to)
{
	bool narrow = strace_is_narrow(line);
	const void *bytes = strace_struct(line, arg, MESSAGE, narrow ? sizeof(struct message_32) : sizeof(*to));

	if (bytes)
		copy_message(to, bytes, narrow);
	return bytes;
}

static void add_message(struct strace_line *line, unsigned int arg, uint64_t most)
{
	struct message message;

	if (!read_message(line, arg, &message))
		return;
	add_head(line, &message, strace_blob(line, arg, NAME, 0));
	strace_vectors(line, arg, VECTORS, message.vectors, message.n_vectors, most);
	str_addf(line->out, ", msg_iovlen=%llu", U(message.n_vectors));
	add_control(line, &message, strace_blob(line, arg, CONTROL, 0));
	add_flags(line, &message);
}

static void print_msg_in(struct strace_line *line, unsigned int arg)
{
	add_message(line, arg, UINT64_MAX);
}

static void print_msg_out(struct strace_line *line, unsigned int arg)
{
	struct message message;

	if (strace_ok(line))
		add_message(line, arg, strace_ret(line));
	else if (read_message(line, arg, &message))
		str_addf(line->out, "{msg_namelen=%d}", (int)message.name_len);
}

/* Data on a socket. */
static void add_data(struct strace_line *line, unsigned int arg, uint64_t n)
{
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);
	int protocol = strace_netlink_protocol(line);
	size_t most = line->settings->size;

	if (!strace_arg(line, arg) || !blob || blob->status == STRACE_UNREAD) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	if (protocol >= 0 && strace_netlink(line, protocol, blob, strace_arg(line, arg), n))
		return;
	if (blob->status == STRACE_EDGE) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	if (most > blob->n)
		most = blob->n;
	strace_text(line, strace_bytes(blob), n < most ? n : most, n > most);
}

static void print_sent(struct strace_line *line, unsigned int arg)
{
	add_data(line, arg, strace_arg(line, arg + 1));
}

/* With MSG_TRUNC the result may be more than there was room for. */
static void print_received(struct strace_line *line, unsigned int arg)
{
	uint64_t n = strace_ret(line), room = strace_arg(line, arg + 1);

	if (strace_ok(line))
		add_data(line, arg, n > room && strace_netlink_protocol(line) >= 0 ? room : n);
	else
		strace_address(line->out, strace_arg(line, arg));
}

#define SENT_BYTES(COUNT, WHEN) \
	{ \
		{ \
			STRACE_BYTES, .from = SELF, .count_from = COUNT, .scale = 1, .most = MOST_TEXT, \
				      .when = (WHEN) | STRACE_MESSAGE | STRACE_TO_EDGE \
		} \
	}
const struct strace_type t_sent = { print_sent, .steps = SENT_BYTES(NEXT(1), 0) },
			 t_received = { print_received, .steps = SENT_BYTES(STRACE_FROM_RET, STRACE_IF_OK) };

#define MESSAGE_STEPS(WHEN) \
	{ \
		{ STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = 56, .most = 56 }, \
			{ STRACE_BYTES, .from = STRACE_FROM_BLOB, .at = 0, .count_from = STRACE_FROM_BLOB, .count_at = 8, \
			  .scale = 1, .most = 128, .when = WHEN }, \
			{ STRACE_BYTES, .from = STRACE_FROM_BLOB, .at = 16, .count_from = STRACE_FROM_BLOB, .count_at = 24, \
			  .wide = 1, .scale = 16, .most = 16 * STRACE_VECTOR, .when = (WHEN) | STRACE_TO_EDGE }, \
			{ STRACE_VECTORS, .from = STRACE_FROM_BLOB + VECTORS, .most = MOST_TEXT, .when = (WHEN) | STRACE_MESSAGE }, \
			{ STRACE_BYTES, .from = STRACE_FROM_BLOB, .at = 32, .count_from = STRACE_FROM_BLOB, .count_at = 40, \
			  .wide = 1, .scale = 1, .most = 512, .when = WHEN }, \
	}
const struct strace_type t_msg_in = { print_msg_in, .steps = MESSAGE_STEPS(0) },
			 t_msg_out = { print_msg_out, .steps = MESSAGE_STEPS(STRACE_IF_OK) };

/* Its pointers and lengths have 4 bytes each. */
#define MESSAGE_STEPS_32(WHEN) \
	{ \
		{ STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = sizeof(struct message_32), \
		  .most = sizeof(struct message_32), .when = STRACE_NARROW }, \
			{ STRACE_BYTES, .from = STRACE_FROM_BLOB, .at = 0, .count_from = STRACE_FROM_BLOB, .count_at = 4, \
			  .scale = 1, .most = 128, .when = (WHEN) | STRACE_NARROW }, \
			{ STRACE_BYTES, .from = STRACE_FROM_BLOB, .at = 8, .count_from = STRACE_FROM_BLOB, .count_at = 12, \
			  .scale = 8, .most = 8 * STRACE_VECTOR, .when = (WHEN) | STRACE_NARROW | STRACE_TO_EDGE }, \
			{ STRACE_VECTORS, .from = STRACE_FROM_BLOB + VECTORS, .most = MOST_TEXT, \
			  .when = (WHEN) | STRACE_MESSAGE | STRACE_NARROW }, \
		{ \
			STRACE_BYTES, .from = STRACE_FROM_BLOB, .at = 16, .count_from = STRACE_FROM_BLOB, .count_at = 20, \
				      .scale = 1, .most = 512, .when = (WHEN) | STRACE_NARROW \
		} \
	}
const struct strace_type t_msg_in_32 = { print_msg_in, .steps = MESSAGE_STEPS_32(0) },
			 t_msg_out_32 = { print_msg_out, .steps = MESSAGE_STEPS_32(STRACE_IF_OK) };

/* --- an array of messages --- */

/* The blobs of the second step: for each message its name, control messages, vectors, and what these point to. */
static void add_elements(struct strace_line *line, unsigned int arg, size_t n, bool is_out)
{
	const struct strace_blob *array = strace_blob(line, arg, 0, 0);
	const char *bytes = strace_bytes(array);
	bool narrow = strace_is_narrow(line);
	size_t size = ELEMENT_SIZE(narrow), next = 0, shown = array->n / size;

	str_addc(line->out, '[');
	for (size_t i = 0; i < n; i++, bytes += size) {
		const struct strace_blob *name, *control, *vectors;
		struct message message;
		uint32_t len;

		if (i >= shown || i >= STRACE_MESSAGES_MAX || i >= line->settings->size) {
			str_add(line->out, i ? ", ..." : "...");
			if (i == shown && array->status == STRACE_EDGE)
				str_addf(line->out, " /* %#llx */", U(strace_arg(line, arg) + i * size));
			break;
		}
		copy_message(&message, bytes, narrow);
		memcpy(&len, bytes + (narrow ? sizeof(struct message_32) : sizeof(message)), sizeof(len));
		name = strace_blob(line, arg, 1, next++);
		control = strace_blob(line, arg, 1, next++);
		vectors = strace_blob(line, arg, 1, next++);
		str_add(line->out, i ? ", {msg_hdr=" : "{msg_hdr=");
		add_head(line, &message, name);
		strace_vectors_of(line, arg, 1, vectors, next, message.vectors, message.n_vectors, is_out ? len : UINT64_MAX);
		next += vectors && vectors->status != STRACE_UNREAD ? vectors->n / (narrow ? 8 : 16) : 0;
		str_addf(line->out, ", msg_iovlen=%llu", U(message.n_vectors));
		add_control(line, &message, control);
		add_flags(line, &message);
		if (strace_ok(line) && i < (size_t)strace_ret(line))
			str_addf(line->out, ", msg_len=%u", len);
		str_addc(line->out, '}');
	}
	str_addc(line->out, ']');
}

static void print_mmsg_in(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *array = strace_blob(line, arg, 0, 0);
	unsigned int n = strace_arg(line, arg + 1);

	if (strace_arg(line, arg) && array && array->status != STRACE_UNREAD && (!n || array->n >= ELEMENT_SIZE(strace_is_narrow(line))))
		add_elements(line, arg, n, false);
	else
		strace_address(line->out, strace_arg(line, arg));
}

static void print_mmsg_out(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *array = strace_ok(line) ? strace_blob(line, arg, 0, 0) : NULL;

	if (strace_arg(line, arg) && array && array->status != STRACE_UNREAD)
		add_elements(line, arg, strace_ret(line), true);
	else
		strace_address(line->out, strace_arg(line, arg));
}
#define MESSAGES(COUNT, SIZE, WHEN) \
	{ \
		{ STRACE_BYTES, .from = SELF, .count_from = COUNT, .scale = SIZE, .most = STRACE_MESSAGES_MAX * (SIZE), \
		  .when = (WHEN) | STRACE_TO_EDGE }, \
		{ \
			STRACE_MESSAGES, .from = STRACE_FROM_BLOB, .most = MOST_TEXT, .when = WHEN \
		} \
	}
const struct strace_type t_mmsg_in = { print_mmsg_in, .steps = MESSAGES(NEXT(1), ELEMENT_SIZE(false), 0) },
			 t_mmsg_out = { print_mmsg_out,
					.steps = MESSAGES(STRACE_FROM_RET, ELEMENT_SIZE(false), STRACE_IF_OK) },
			 t_mmsg_in_32 = { print_mmsg_in,
					  .steps = MESSAGES(NEXT(1), ELEMENT_SIZE(true), STRACE_NARROW) },
			 t_mmsg_out_32 = { print_mmsg_out, .steps = MESSAGES(STRACE_FROM_RET, ELEMENT_SIZE(true),
									     STRACE_IF_OK | STRACE_NARROW) };
