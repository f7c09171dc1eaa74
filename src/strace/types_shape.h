/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs whose text is told by another text. */
#ifndef SONDE_STRACE_TYPES_SHAPE_H
#define SONDE_STRACE_TYPES_SHAPE_H

#include "type.h"

/*
 * Appends the text of n bytes; false, and nothing, if it is made of more. The shape is as in src/strace/ioctls.txt, and
 * %? goes on behind the next %| if `size`, what the call says, ends here; %+ is ", ..." if there is more than zeros.
 * Numbers: %k4 is the version of a kernel, %n2 in the network's order, %O2 as bytes with -X, %I4 an interface, %f1 an address family, %H2 one in
 * the network's order, %h2 a protocol of Ethernet, %D4 a device, %U4 a user, %c8 hundredths of a second, %X8 hex with
 * zeros, %B2(ZERO:PREFIX:NAMES) bits with a name for none, %y1(PREFIX:NAMES) and %Y1 a number and bits with names in a
 * remark.
 * Bytes: %j1(TEXT) and %J3(TEXT) are a padding in hex and its bytes, %A4 is an address, %F16 one of the family of the
 * first byte, %P32(2) as many bytes as the number at the byte 2 says, %m6 bytes with colons, %M6 the first of 14, %q8 in hex, %E32 the ends of
 * a socket.
 */
bool strace_shape(struct strace_line *line, const char *shape, size_t shape_n, const void *bytes, size_t n, size_t size);

/* The same of a struct with pointers, %z8, whose text the function appends. at: where it is in the struct. */
typedef void strace_pointed(struct strace_line *line, const unsigned char *bytes, size_t at);
bool strace_shape_pointed(struct strace_line *line, const char *shape, size_t shape_n, const void *bytes, size_t n,
			  size_t size, strace_pointed *pointed);

#endif
