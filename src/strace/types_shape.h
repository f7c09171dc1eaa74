/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs whose text is told by another text. */
#ifndef SONDE_STRACE_TYPES_SHAPE_H
#define SONDE_STRACE_TYPES_SHAPE_H

#include "type.h"

/*
 * Appends the text of n bytes; false, and nothing, if it is made of more. The shape is as in src/strace/ioctls.txt;
 * and %? goes on behind the next %| if `size`, what the call says, ends here; %+ is ", ..." if there is more than
 * zeros; %k4 the version of a kernel. %n2 is a number in the network's order, %I4 an interface, %f1 an address family, %h2
 * a protocol of Ethernet, %D4 a device, %U4 a user, %c8 hundredths of a second; %B2(ZERO:PREFIX:NAMES) bits with a name for none,
 * %Y1(PREFIX:NAMES) and %y1 bits and a
 * number with names in a remark, %X8 hex with zeros, %w1(PREFIX:NAMES) a name without a remark if there is none, %j1(TEXT) and %J3(TEXT) a padding
 * in hex and its bytes, %H2 an address family in the network's order, %A4 an address,
 * %F16 one of the family of the first byte, %P32(2) as many bytes as the number at the byte 2 says, %m6 bytes with colons,
 * %q8 in hex, %E32 the ends of a socket, and %@4 goes to the byte 4.
 */
bool strace_shape(struct strace_line *line, const char *shape, size_t shape_n, const void *bytes, size_t n, size_t size);

#endif
