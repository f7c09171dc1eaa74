// SPDX-License-Identifier: BSD-2-Clause
/* Without an Enter, and without an echo. */
#include <poll.h>

#include "keyboard.h"

/* A terminal is there, and we are in its foreground. */
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
	/* a read gives what there is and does not wait */
	now.c_cc[VMIN] = now.c_cc[VTIME] = 0;
	/* what was typed since the last pause is kept */
	if (!tcsetattr(STDIN_FILENO, TCSANOW, &now))
		keyboard->fd = STDIN_FILENO;
}

/* We may have been stopped meanwhile, and the shell has the modes it likes: then a read would wait for an Enter. */
bool keyboard_quits(struct keyboard *keyboard)
{
	struct pollfd key = { .fd = keyboard->fd, .events = POLLIN };
	char typed[64];
	ssize_t n;

	if (poll(&key, 1, 0) <= 0)
		return false;
	n = is_ours() ? read(keyboard->fd, typed, sizeof(typed)) : 0;
	/* a terminal that has gone, or is another's now, is ready for ever */
	if (n <= 0)
		keyboard_give_back(keyboard);
	return n > 0 && memchr(typed, 'q', n);
}

/* In the background the kernel would stop us for it, and the shell has its own modes by then. */
void keyboard_give_back(struct keyboard *keyboard)
{
	if (keyboard->fd >= 0 && is_ours())
		tcsetattr(keyboard->fd, TCSANOW, &keyboard->before);
	keyboard->fd = -1;
}
