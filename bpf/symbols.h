/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's symbols as a BPF iterator writes them, one behind the other. Shared by both sides. */
#ifndef SONDE_SYMBOLS_H
#define SONDE_SYMBOLS_H

/* include/linux/kallsyms.h, include/linux/module.h */
#define SYMBOLS_NAME   512
#define SYMBOLS_MODULE 64

struct symbols_head {
	unsigned long long addr;
	unsigned short name;   /* bytes of the name behind this, with its NUL */
	unsigned short module; /* and of the module's behind that; 0: none */
	char type;	       /* as nm(1) has it */
	char unused[3];
};

#endif
