// SPDX-License-Identifier: BSD-2-Clause
/*
 * Numbers that a text stands for, as -X asks for it: the number, the text, or both. Numbers in the network's order, and
 * addresses, are bytes in quotes.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdarg.h>
#include <sys/sysmacros.h>

#include "strace_part.h"
#include "type.h"

/* Of the lines that are printed now. */
static enum strace_style style;

void strace_set_style(enum strace_style new)
{
	style = new;
}

enum strace_style strace_style(void)
{
	return style;
}

void strace_constant(struct str *out, const char *number, const char *name)
{
	if (style == STRACE_BOTH && name)
		str_addf(out, "%s /* %s */", number, name);
	else
		str_add(out, style == STRACE_NAMES && name ? name : number);
}

void strace_named(struct str *out, const char *number, const char *format, ...)
{
	struct str name __str = {};
	va_list args;

	va_start(args, format);
	str_addv(&name, format, args);
	va_end(args);
	strace_constant(out, number, name.data);
}

void strace_combined_as(struct strace_line *line, const struct strace_type *type, unsigned int arg)
{
	const enum strace_style was = style;
	struct strace_line part = *line;
	struct str names __str = {};
	char number[16];

	part.out = &names;
	style = STRACE_NAMES;
	type->print(&part, arg);
	style = was;
	snprintf(number, sizeof(number), "%#x", (unsigned int)strace_arg(line, arg));
	strace_constant(line->out, number, names.data);
}

void strace_combined(struct strace_line *line, unsigned int arg)
{
	strace_combined_as(line, line->call->args[arg], arg);
}

void strace_quoted(struct str *out, const void *bytes, size_t n)
{
	str_addc(out, '"');
	for (size_t i = 0; i < n; i++)
		str_addf(out, "\\x%02x", ((const unsigned char *)bytes)[i]);
	str_addc(out, '"');
}

void strace_mac(struct str *out, const void *bytes, size_t all, size_t n)
{
	struct str quoted __str = {}, pairs __str = {};

	strace_quoted(&quoted, bytes, all);
	for (size_t i = 0; i < n; i++)
		str_addf(&pairs, i ? ":%02x" : "%02x", ((const unsigned char *)bytes)[i]);
	strace_constant(out, quoted.data, str_or_empty(pairs.data));
}

void strace_swapped(struct str *out, const void *bytes, size_t size, bool is_number)
{
	struct str quoted __str = {}, call __str = {};
	uint64_t value = 0;

	strace_quoted(&quoted, bytes, size);
	for (size_t i = 0; i < size && i < sizeof(value); i++)
		value = value << 8 | ((const unsigned char *)bytes)[i];
	str_addf(&call, size == 2 ? "htons(%llu)" : size == 4 ? "htonl(%llu)"
							      : "htobe64(%llu)",
		 (unsigned long long)value);
	strace_constant(out, is_number ? call.data : quoted.data, is_number ? NULL : call.data);
}

void strace_in_address(struct str *out, bool wide, const void *bytes, size_t all)
{
	struct str quoted __str = {};
	char text[INET6_ADDRSTRLEN] = "";

	strace_quoted(&quoted, bytes, all);
	inet_ntop(wide ? AF_INET6 : AF_INET, bytes, text, sizeof(text));
	strace_named(out, quoted.data, wide ? "inet_pton(AF_INET6, \"%s\")" : "inet_addr(\"%s\")", text);
}

void strace_in6_member(struct str *out, const char *name, const void *bytes)
{
	char text[INET6_ADDRSTRLEN] = "";

	if (style == STRACE_NAMES) {
		inet_ntop(AF_INET6, bytes, text, sizeof(text));
		str_addf(out, "inet_pton(AF_INET6, \"%s\", &%s)", text, name);
		return;
	}
	str_addf(out, "%s=", name);
	strace_in_address(out, true, bytes, 16);
}

void strace_interface(struct strace_line *line, unsigned int index, bool is_signed)
{
	char name[IF_NAMESIZE], number[16];

	snprintf(number, sizeof(number), is_signed ? "%d" : "%u", index);
	if (index && !line->settings->elsewhere && if_indextoname(index, name))
		strace_named(line->out, number, "if_nametoindex(\"%s\")", name);
	else
		str_add(line->out, number);
}

void strace_device(struct str *out, uint64_t device)
{
	char number[32];

	snprintf(number, sizeof(number), "%#llx", (unsigned long long)device);
	strace_named(out, number, "makedev(%#x, %#x)", major(device), minor(device));
}
