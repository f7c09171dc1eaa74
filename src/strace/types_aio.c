// SPDX-License-Identifier: BSD-2-Clause
/* Asynchronous input and output by io_submit and its like. */
#include <linux/aio_abi.h>

#include "strace_part.h"
#include "types.h"

#ifndef IOCB_FLAG_IOPRIO
#define IOCB_FLAG_IOPRIO 2
#endif
#define U(X) ((unsigned long long)(X))

/* What every request has. */
static void add_request_head(struct strace_line *line, const struct iocb *request)
{
	static const struct strace_words commands = { "IOCB_CMD_", "PREAD PWRITE FSYNC FDSYNC PREADX POLL NOOP PREADV PWRITEV" };
	struct str *out = line->out;

	str_addf(out, "{aio_data=%#llx", U(request->aio_data));
	if (request->aio_key)
		str_addf(out, ", aio_key=%u", request->aio_key);
	if (request->aio_rw_flags) {
		str_add(out, ", aio_rw_flags=");
		strace_bits(out, t_rw_flags.data, (unsigned int)request->aio_rw_flags);
	}
	str_add(out, ", aio_lio_opcode=");
	if (!strace_word_if(out, &commands, request->aio_lio_opcode))
		str_addf(out, "%u /* IOCB_CMD_??? */", request->aio_lio_opcode);
	if (request->aio_flags & IOCB_FLAG_IOPRIO) {
		str_add(out, ", aio_reqprio=");
		strace_ioprio(out, (unsigned short)request->aio_reqprio);
	} else if (request->aio_reqprio) {
		str_addf(out, ", aio_reqprio=%d", request->aio_reqprio);
	}
	str_addf(out, ", aio_fildes=%d", request->aio_fildes);
}

static void print_request(struct strace_line *line, unsigned int arg)
{
	const struct iocb *request = strace_struct(line, arg, 0, sizeof(*request));

	if (!request)
		return;
	add_request_head(line, request);
	str_addc(line->out, '}');
}
const struct strace_type t_aio_request = { print_request, .steps = { STEP_READS(sizeof(struct iocb)) } };

/* What a request is to do. The memory that it names is not copied. */
static void add_request_body(struct strace_line *line, const struct iocb *request)
{
	struct str *out = line->out;

	switch (request->aio_lio_opcode) {
	case IOCB_CMD_PREAD:
	case IOCB_CMD_PWRITE:
	case IOCB_CMD_PREADV:
	case IOCB_CMD_PWRITEV:
		str_addf(out, ", aio_buf=%#llx", U(request->aio_buf));
		str_addf(out, ", aio_nbytes=%llu, aio_offset=%lld", U(request->aio_nbytes), (long long)request->aio_offset);
		break;
	case IOCB_CMD_POLL:
		str_add(out, ", aio_buf=");
		strace_poll_events(out, request->aio_buf);
		break;
	default:
		return;
	}
	if (request->aio_flags) {
		str_add(out, ", aio_flags=");
		strace_bits(out, &(const struct strace_words){ "IOCB_FLAG_", "RESFD IOPRIO" }, request->aio_flags);
	}
	if (request->aio_flags & IOCB_FLAG_RESFD)
		str_addf(out, ", aio_resfd=%d", (int)request->aio_resfd);
}

/* The requests are blobs of the second step; where one could not be read stands its address. */
static void add_request(struct strace_line *line, const void *element, size_t index)
{
	const struct strace_blob *blob = strace_blob(line, 2, 1, index);
	const struct iocb *request = blob && blob->n >= sizeof(*request) ? strace_bytes(blob) : NULL;
	uint64_t address = *(const uint64_t *)element;

	if (!address || !request || blob->status == STRACE_UNREAD) {
		strace_address(line->out, address);
		return;
	}
	add_request_head(line, request);
	add_request_body(line, request);
	str_addc(line->out, '}');
}

static void print_requests(struct strace_line *line, unsigned int arg)
{
	int64_t n = strace_arg(line, arg - 1);

	if (n < 0)
		strace_address(line->out, strace_arg(line, arg));
	else
		strace_array(line, arg, 0, n, sizeof(uint64_t), add_request);
}
const struct strace_type t_aio_requests = { print_requests,
					    .steps = {
						    STEP_ARRAY_TO_EDGE(BEFORE, 8, STRACE_VECTOR),
						    { STRACE_VECTORS, .from = STRACE_FROM_BLOB, .scale = sizeof(struct iocb), .most = sizeof(struct iocb) },
					    } };

static void add_event(struct strace_line *line, const void *element, size_t index)
{
	const struct io_event *event = element;

	str_addf(line->out, "{data=%#llx, obj=", U(event->data));
	strace_address(line->out, event->obj);
	str_addf(line->out, ", res=%lld, res2=%lld}", event->res, event->res2);
}

static void print_events(struct strace_line *line, unsigned int arg)
{
	if (strace_ok(line))
		strace_array(line, arg, 0, strace_ret(line), sizeof(struct io_event), add_event);
	else
		strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_aio_events = { print_events, .steps = { STEP_FILLED(sizeof(struct io_event), 32) } };

static void print_event(struct strace_line *line, unsigned int arg)
{
	const struct io_event *event = strace_struct(line, arg, 0, sizeof(*event));

	if (event)
		add_event(line, event, 0);
}
const struct strace_type t_aio_event = { print_event, .steps = { STEP_WRITES(sizeof(struct io_event)) } };
