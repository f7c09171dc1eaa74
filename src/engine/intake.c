// SPDX-License-Identifier: BSD-2-Clause
/* An epoll descriptor, and who reads what it watches. Knows nothing of what is read. */
#include <limits.h>
#include <sys/epoll.h>

#include "intake.h"

struct intake {
	int epoll; /* or -errno */
	struct {
		intake_fn take; /* NULL: there is no such source */
		void *ctx;
	} sources[INTAKE_TURNS];
};

struct intake *intake_new(void)
{
	struct intake *intake = base_alloc(sizeof(*intake));

	intake->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (intake->epoll < 0)
		intake->epoll = -errno;
	return intake;
}

void intake_free(struct intake *intake)
{
	if (intake && intake->epoll >= 0)
		close(intake->epoll);
	free(intake);
}

int intake_watch(struct intake *intake, int fd, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int ret = intake->epoll < 0 ? intake->epoll : 0;

	if (!ret && fd >= 0 && epoll_ctl(intake->epoll, EPOLL_CTL_ADD, fd, &event))
		ret = -errno;
	return ret ? err_set(err, ret, "cannot wait for events: %s", strerror(-ret)) : 0;
}

bool intake_ignore(struct intake *intake, int fd)
{
	return !epoll_ctl(intake->epoll, EPOLL_CTL_DEL, fd, NULL);
}

void intake_add(struct intake *intake, enum intake_turn turn, intake_fn take, void *ctx)
{
	intake->sources[turn].take = take;
	intake->sources[turn].ctx = ctx;
}

int intake_fd(const struct intake *intake)
{
	return intake ? intake->epoll : -1;
}

/* Wake-ups are forgotten before anything is read: what arrives from then on wakes again. */
int intake_take(struct intake *intake)
{
	struct epoll_event woken[16];
	int ms = INT_MAX;

	while (epoll_wait(intake->epoll, woken, ARRAY_SIZE(woken), 0) == ARRAY_SIZE(woken))
		;
	for (size_t i = 0; i < INTAKE_TURNS; i++) {
		int also = intake->sources[i].take ? intake->sources[i].take(intake->sources[i].ctx) : INT_MAX;

		ms = also < ms ? also : ms;
	}
	return ms;
}
