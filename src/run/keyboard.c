// SPDX-License-Identifier: BSD-2-Clause
/* Without an Enter, and without an echo. */
#include "keyboard.h"

void keyboard_take(struct keyboard *keyboard)
{
	struct termios now;

	keyboard->fd = -1;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
	    tcgetattr(STDIN_FILENO, &keyboard->before))
		return;
	now = keyboard->before;
	now.c_lflag &= ~(ICANON | ECHO);
	/* a read gives what there is and does not wait */
	now.c_cc[VMIN] = now.c_cc[VTIME] = 0;
	/* what was typed since the last pause is kept */
	if (!tcsetattr(STDIN_FILENO, TCSANOW, &now))
		keyboard->fd = STDIN_FILENO;
}

bool keyboard_quits(struct keyboard *keyboard)
{
	char typed[64];
	ssize_t n = keyboard->fd < 0 ? 0 : read(keyboard->fd, typed, sizeof(typed));

	return n > 0 && memchr(typed, 'q', n);
}

void keyboard_give_back(struct keyboard *keyboard)
{
	if (keyboard->fd >= 0)
		tcsetattr(keyboard->fd, TCSANOW, &keyboard->before);
	keyboard->fd = -1;
}
