/* SPDX-License-Identifier: BSD-2-Clause */
/* ftrace's own records of where it can trace, as they are copied out of the kernel. Shared by both sides. */
#ifndef SONDE_RECORDS_H
#define SONDE_RECORDS_H

#define RECORDS_WINDOW 65536

/* What one run has found: a part of one page's records in the window, whole ones. */
struct records_step {
	unsigned long long next; /* where the address of the next page is; 0: there was no page */
	unsigned int n;		 /* records of this page, from the one asked for on; as many as fit are in the window */
	unsigned int size;	 /* of a record, bytes */
	unsigned int ip;	 /* where in it the address is */
};

#endif
