// SPDX-License-Identifier: BSD-2-Clause
/*
 * pty LINES PROGRAM [ARG]...
 *
 * Runs a program on a new pseudo-terminal. When it prompts for the first time, prints "did prompt PID PPID": the
 * program's process id and our own. Then types the lines of the file LINES, each when the program prompts, and at last
 * Ctrl-D, which must end it. Types Ctrl-V before each control character, so that the character becomes part of the
 * line. Prints "did line PID LINE" for each line, with its bytes unchanged, when the program prompts again. PS1 tells
 * the program which prompt to print. LINES may be a FIFO: then the writer decides when the next line is typed.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ttydefaults.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROMPT	   "[pty] "
#define PATIENCE_S 50

static int master;
static pid_t program;
/* The end of what the program has written. */
static char seen[1024];
static size_t n_seen;

/* Begins the program in a session of its own, with the terminal as its controlling one. */
static void start(char **argv)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	const char *name;

	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (master < 0 || grantpt(master) || unlockpt(master) || !(name = ptsname(master)))
		err(1, "no pseudo-terminal");
	program = fork();
	if (program < 0)
		err(1, "fork");
	if (program)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	/* becomes 0, and as the first one that a session leader opens the controlling terminal */
	if (open(name, O_RDWR) != 0 || dup(0) != 1 || dup(0) != 2)
		_exit(126);
	ioctl(0, TIOCSWINSZ, &size);
	setenv("PS1", PROMPT, 1);
	execvp(argv[0], argv);
	_exit(127);
}

static void give_up(const char *why)
{
	fprintf(stderr, "pty: %s; last seen: %.*s\n", why, (int)n_seen, seen);
	kill(program, SIGKILL);
	exit(1);
}

/* What has come is appended to seen, which keeps its end. False: the program has closed the terminal. */
static bool take(void)
{
	char some[sizeof(seen) / 2];
	ssize_t n = read(master, some, sizeof(some));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0)
		return false;
	if (n_seen + n > sizeof(seen)) {
		size_t keep = sizeof(seen) - n;

		memmove(seen, seen + n_seen - keep, keep);
		n_seen = keep;
	}
	memcpy(seen + n_seen, some, n);
	n_seen += n;
	return true;
}

static bool wait_for_events(short events)
{
	struct pollfd fd = { .fd = master, .events = events };

	if (poll(&fd, 1, PATIENCE_S * 1000) <= 0)
		give_up("nothing happens");
	return !(fd.revents & (POLLIN | POLLHUP)) || take();
}

/* What comes behind it in the same moment is forgotten: there is nothing but what answers the next keys. */
static void wait_for_prompt(void)
{
	while (!memmem(seen, n_seen, PROMPT, strlen(PROMPT)))
		if (!wait_for_events(POLLIN))
			give_up("the program has gone");
	n_seen = 0;
}

/* What is echoed meanwhile has to be taken, or both sides wait for each other. */
static void type(const char *keys, size_t n)
{
	while (n) {
		ssize_t done = write(master, keys, n);

		if (done < 0 && errno != EAGAIN && errno != EINTR)
			give_up("cannot type");
		if (done > 0) {
			keys += done;
			n -= done;
		}
		if (n && !wait_for_events(POLLIN | POLLOUT))
			give_up("the program has gone");
	}
}

static void type_key(char key)
{
	type(&key, 1);
}

/* One write, as others write to the same file. */
static void type_line(const char *line, size_t len)
{
	char *keys = malloc(2 * len + 1);
	size_t n = 0;

	if (!keys)
		err(1, "memory");
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			keys[n++] = CTRL('v');
		keys[n++] = line[i];
	}
	keys[n++] = '\r';
	type(keys, n);
	free(keys);
	wait_for_prompt();
	printf("did line %d ", program);
	fwrite(line, 1, len, stdout);
	putchar('\n');
	fflush(stdout);
}

static void end(void)
{
	int status;

	type_key(CTRL('d'));
	while (wait_for_events(POLLIN))
		;
	if (waitpid(program, &status, 0) != program || !WIFEXITED(status))
		errx(1, "the program did not end by itself");
}

int main(int argc, char **argv)
{
	/* One write for a line: the tracer writes to the same file. glibc ignores a size without a buffer. */
	static char buffer[4 * 1024 * 1024];
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	FILE *lines;

	if (argc < 3)
		errx(2, "usage: pty LINES PROGRAM [ARG]...");
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	start(argv + 2);
	wait_for_prompt();
	printf("did prompt %d %d\n", program, getpid());
	fflush(stdout);
	lines = fopen(argv[1], "r");
	if (!lines)
		err(1, "%s", argv[1]);
	while ((len = getline(&line, &room, lines)) > 0)
		type_line(line, len - (line[len - 1] == '\n'));
	end();
	return 0;
}
