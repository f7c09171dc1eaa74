/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within run/: a terminal's keys as they are typed, for what is shown again and again. Ctrl-C and Ctrl-Z go on to be signals.
 * The terminal is taken for a pause only, so that whatever ends us between two leaves it as it was.
 */
#ifndef SONDE_KEYBOARD_H
#define SONDE_KEYBOARD_H

#include <termios.h>

#include "base/base.h"

struct keyboard {
	int fd; /* readable when something was typed; -1: there is no keyboard that is ours now */
	struct termios before;
};

/* Where stdin and stdout are a terminal and we are in its foreground. */
void keyboard_take(struct keyboard *keyboard);
/* Reads what was typed: is q among it? */
bool keyboard_quits(struct keyboard *keyboard);
/* The terminal is as it was before. */
void keyboard_give_back(struct keyboard *keyboard);

#endif
