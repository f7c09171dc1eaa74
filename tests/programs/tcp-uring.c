// SPDX-License-Identifier: BSD-2-Clause
/* Accepts a connection without accept(2): through io_uring, with one request. */
#include <err.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int uring_accept(int listener);

static void *map(int ring, size_t size, off_t at)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, at);

	if (p == MAP_FAILED)
		err(1, "io_uring's memory");
	return p;
}

int uring_accept(int listener)
{
	struct io_uring_params params = {};
	int ring = syscall(SYS_io_uring_setup, 1, &params);
	struct io_uring_sqe *request;
	struct io_uring_cqe *answer;
	char *sq, *cq;

	if (ring < 0)
		err(1, "io_uring");
	sq = map(ring, params.sq_off.array + params.sq_entries * sizeof(int), IORING_OFF_SQ_RING);
	cq = map(ring, params.cq_off.cqes + params.cq_entries * sizeof(*answer), IORING_OFF_CQ_RING);
	request = map(ring, sizeof(*request), IORING_OFF_SQES);
	memset(request, 0, sizeof(*request));
	request->opcode = IORING_OP_ACCEPT;
	request->fd = listener;
	*(unsigned int *)(sq + params.sq_off.array) = 0;
	__atomic_store_n((unsigned int *)(sq + params.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		err(1, "io_uring");
	answer = (struct io_uring_cqe *)(cq + params.cq_off.cqes);
	close(ring);
	return answer->res;
}
