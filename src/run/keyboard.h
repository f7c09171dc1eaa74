/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in run only: reads single keys from the terminal while a table is shown repeatedly. Ctrl-C and Ctrl-Z
 * still send signals. The terminal's modes are changed only during a pause between two tables: whatever ends us
 * in between leaves the terminal as it was.
 */
#ifndef SONDE_RUN_KEYBOARD_H
#define SONDE_RUN_KEYBOARD_H

#include <termios.h>

#include "base/base.h"

struct keyboard {
	int fd; /* readable when a key was typed; -1: we have no keyboard now */
	struct termios before;
};

/* Changes the modes if stdin and stdout are a terminal and we are in its foreground; else fd is -1. */
void keyboard_take(struct keyboard *keyboard);
/* Reads what was typed. Returns true if 'q' is among it. */
bool keyboard_quits(struct keyboard *keyboard);
/* Restores the terminal's modes. */
void keyboard_give_back(struct keyboard *keyboard);

#endif
