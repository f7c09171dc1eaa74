// SPDX-License-Identifier: BSD-2-Clause
/* Reads keys without waiting for Enter, and without echo. */
#include <poll.h>

#include "keyboard.h"

/* True if stdin is a terminal and we are in its foreground. */
static bool is_ours(void)
{
	return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

void keyboard_take(struct keyboard *keyboard)
{
	struct termios now;

	keyboard->fd = -1;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !is_ours() || tcgetattr(STDIN_FILENO, &keyboard->before))
		return;
	now = keyboard->before;
	now.c_lflag &= ~(ICANON | ECHO);
	/* read(2) returns what there is and does not wait */
	now.c_cc[VMIN] = now.c_cc[VTIME] = 0;
	/* TCSANOW keeps what was typed since the last pause */
	if (!tcsetattr(STDIN_FILENO, TCSANOW, &now))
		keyboard->fd = STDIN_FILENO;
}

/*
 * If we were stopped in the meantime, the shell may have set its own modes; read(2) would then wait for Enter. So
 * poll first.
 */
bool keyboard_quits(struct keyboard *keyboard)
{
	struct pollfd key = { .fd = keyboard->fd, .events = POLLIN };
	char typed[64];
	ssize_t n;

	if (poll(&key, 1, 0) <= 0)
		return false;
	n = is_ours() ? read(keyboard->fd, typed, sizeof(typed)) : 0;
	/* A terminal that is gone or now another's would stay readable forever. */
	if (n <= 0)
		keyboard_give_back(keyboard);
	return n > 0 && memchr(typed, 'q', n);
}

/*
 * If we are in the background, the kernel would stop us for changing the modes, and the shell has already set its
 * own.
 */
void keyboard_give_back(struct keyboard *keyboard)
{
	if (keyboard->fd >= 0 && is_ours())
		tcsetattr(keyboard->fd, TCSANOW, &keyboard->before);
	keyboard->fd = -1;
}
