/* SPDX-License-Identifier: BSD-2-Clause */
/* A child that does what it is asked to. */
#ifndef SONDE_TESTS_ENGINES_CHILD_H
#define SONDE_TESTS_ENGINES_CHILD_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
	pid_t pid;
	int to, from;
};

/* In the child, work() reads requests until there are no more, and answers each with a byte. */
static inline struct child child_start(void (*work)(int requests, int answers))
{
	struct child child;
	int requests[2], answers[2];

	if (pipe(requests) || pipe(answers))
		exit(1);
	child = (struct child){ fork(), requests[1], answers[0] };
	if (!child.pid) {
		close(requests[1]);
		work(requests[0], answers[1]);
		_exit(0);
	}
	return child;
}

/* Returns when the child has answered; false if it has ended. */
static inline bool child_ask(const struct child *child, const void *request, size_t size)
{
	char answer;

	return write(child->to, request, size) == (ssize_t)size && read(child->from, &answer, 1) == 1;
}

static inline void child_end(const struct child *child)
{
	close(child->to);
	waitpid(child->pid, NULL, 0);
}

#endif
