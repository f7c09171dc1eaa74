// SPDX-License-Identifier: BSD-2-Clause
/* What is known of netlink's messages: src/strace/netlink.txt, compressed. It is unpacked when it is first asked for. */
#include "base/unpack.h"
#include "gen/netlink.inc"
#include "netlink_part.h"

static char text[NETLINK_SIZE + 2];

static void fill_text(void)
{
	char *unpacked __free = unpack(packed, sizeof(packed), NETLINK_SIZE);

	/* each line has a newline before it */
	text[0] = '\n';
	if (unpacked)
		memcpy(text + 1, unpacked, NETLINK_SIZE);
}

/* Copies the word at *at, and goes behind the space after it. */
static void take_word(const char **at, char *to, size_t size)
{
	size_t n = strcspn(*at, " \t\n");

	snprintf(to, size, "%.*s", (int)n, *at);
	*at += n + ((*at)[n] == ' ');
}

/* Where the line goes on that begins with this mark and name; NULL: there is none. */
static const char *find(char mark, const char *name)
{
	char key[48];
	const char *at;

	if (!text[0])
		fill_text();
	snprintf(key, sizeof(key), "\n%c%s ", mark, name);
	at = strstr(text, key);
	return at ? at + strlen(key) : NULL;
}

bool netlink_find_payload(const char *name, struct netlink_payload *payload)
{
	const char *at = find('>', name);
	char size[8];

	if (!at)
		return false;
	take_word(&at, size, sizeof(size));
	payload->size = strtoul(size, NULL, 10);
	take_word(&at, payload->table, sizeof(payload->table));
	payload->shape = at;
	payload->shape_n = strcspn(at, "\n");
	return true;
}

bool netlink_has_table(const char *name)
{
	return find('[', name);
}

static bool next_line(const char **at)
{
	*at += strcspn(*at, "\n");
	if (!**at)
		return false;
	++*at;
	return **at && **at != '[' && **at != '>';
}

/* The types of the lines follow each other; "=N" before a name sets its type. */
void netlink_find_attribute(const char *table, unsigned int type, struct netlink_attribute *attribute)
{
	const char *at = find('[', table);
	char word[8];
	unsigned int next = 0;

	*attribute = (struct netlink_attribute){ .value = "", .rest = "" };
	if (!at)
		return;
	take_word(&at, attribute->prefix, sizeof(attribute->prefix));
	attribute->unknown = at;
	attribute->unknown_n = strcspn(at, "\n");
	while (next_line(&at)) {
		if (*at == '=') {
			at++;
			take_word(&at, word, sizeof(word));
			next = strtoul(word, NULL, 0);
		}
		if (next++ != type)
			continue;
		attribute->name = at;
		attribute->name_n = strcspn(at, "\t\n");
		at += attribute->name_n;
		attribute->value = at + (*at == '\t');
		attribute->value_n = strcspn(attribute->value, "\t\n");
		at = attribute->value + attribute->value_n;
		attribute->rest = at + (*at == '\t');
		attribute->rest_n = strcspn(attribute->rest, "\n");
		return;
	}
}
