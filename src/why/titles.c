// SPDX-License-Identifier: BSD-2-Clause
#include "base/clock.h"
#include "engine/filter.h"
#include "titles.h"

#define BYTES 256
/* Of a title, columns. */
#define TITLE 48

/* Returns how many bytes there are, without the NULs and blanks at the end. */
static size_t read_arguments(uint32_t pid, char text[BYTES])
{
	__free char *path = base_printf("/proc/%u/cmdline", pid);
	__fclose FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, BYTES - 1, f) : 0;

	while (n && (!text[n - 1] || text[n - 1] == ' '))
		n--;
	text[n] = 0;
	return n;
}

char *titles_command(uint32_t pid)
{
	char text[BYTES];
	size_t n = read_arguments(pid, text);

	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	return n ? base_strndup(text, n) : NULL;
}

bool titles_comm(struct str *s, uint32_t tid)
{
	__free char *path = base_printf("/proc/%u/comm", tid);
	__fclose FILE *f = filter_pidns() ? NULL : fopen(path, "re");
	char text[64];

	if (!f || !fgets(text, sizeof(text), f))
		return false;
	str_addf(s, "%.*s", (int)strcspn(text, "\n"), text);
	return true;
}

void titles_add(struct str *s, uint32_t pid)
{
	char text[BYTES];
	size_t n = pid && !filter_pidns() ? read_arguments(pid, text) : 0;
	const char *title = text, *colon;
	size_t all;

	/* several arguments, or one without a blank, are a command */
	if (!n || strlen(text) < n || !strchr(text, ' '))
		return;
	colon = strstr(text, ": ");
	if (colon && !memchr(text, ' ', colon - text))
		title = colon + 2;
	all = n = strlen(title);
	/* not within a character of several bytes */
	for (n = n > TITLE ? TITLE : n; n < all && n && ((unsigned char)title[n] & 0xc0) == 0x80;)
		n--;
	str_addf(s, " (%.*s%s)", (int)n, title, n < all ? "..." : "");
}

/* --- while others wait --- */

#define LOOK_NS (100 * NS_PER_MS)
/* So many processes that are not watched yet are read between two looks. */
#define MOST_READS 64
/* After so many looks, processes that had no title are asked again: a number comes again, too. */
#define ASK_AGAIN 20

static void release(struct titles_watched *watched)
{
	for (size_t i = 0; i < TITLES_SAMPLES; i++)
		free(watched->samples[i].text);
	free(watched->held);
	*watched = (struct titles_watched){};
}

static struct titles_watched *find(const struct titles *titles, uint32_t pid)
{
	for (size_t i = 0; pid && i < TITLES_WATCHED; i++)
		if (titles->watched[i].pid == pid)
			return (struct titles_watched *)&titles->watched[i];
	return NULL;
}

void titles_waited(struct titles *titles, uint32_t pid, uint64_t from, uint64_t to)
{
	struct titles_watched *watched = find(titles, pid);
	uint32_t *without = &titles->without[pid % ARRAY_SIZE(titles->without)];
	struct str text __str = {};

	if (*without == pid)
		return;
	if (!watched) {
		if (titles->reads++ >= MOST_READS)
			return;
		titles_add(&text, pid);
		if (!text.len) {
			*without = pid;
			return;
		}
		watched = &titles->watched[titles->next++ % TITLES_WATCHED];
		release(watched);
		watched->pid = pid;
	}
	/* the latest one comes last */
	for (size_t i = 0; i < TITLES_SAMPLES; i++) {
		const struct titles_sample *sample = &watched->samples[(watched->n + i) % TITLES_SAMPLES];

		if (!sample->text || sample->time < from || sample->time > to)
			continue;
		free(watched->held);
		watched->held = base_printf("%s", sample->text);
	}
}

static void forget(struct titles *titles)
{
	for (size_t i = 0; i < ARRAY_SIZE(titles->known); i++) {
		free(titles->known[i].text);
		titles->known[i] = (struct titles_known){};
	}
}

const char *titles_now(struct titles *titles, uint32_t pid)
{
	struct titles_known *known = &titles->known[pid % ARRAY_SIZE(titles->known)];
	struct str text __str = {};

	if (known->text && known->pid == pid)
		return known->text;
	titles_add(&text, pid);
	free(known->text);
	*known = (struct titles_known){ pid, base_printf("%s", str_or_empty(text.data)) };
	return known->text;
}

void titles_look(struct titles *titles, uint64_t now)
{
	if (now < titles->looked_at + LOOK_NS)
		return;
	titles->looked_at = now;
	titles->reads = 0;
	if (titles->looks++ % ASK_AGAIN == 0)
		memset(titles->without, 0, sizeof(titles->without));
	forget(titles);
	for (size_t i = 0; i < TITLES_WATCHED; i++) {
		struct titles_watched *watched = &titles->watched[i];
		struct titles_sample *sample = &watched->samples[watched->n % TITLES_SAMPLES];
		struct str text __str = {};

		if (!watched->pid)
			continue;
		titles_add(&text, watched->pid);
		if (!text.len)
			continue;
		watched->n++;
		free(sample->text);
		*sample = (struct titles_sample){ now, base_printf("%s", text.data) };
	}
}

void titles_born(struct titles *titles, uint32_t pid)
{
	struct titles_watched *watched = find(titles, pid);

	if (watched)
		release(watched);
}

const char *titles_held(const struct titles *titles, uint32_t pid)
{
	const struct titles_watched *watched = find(titles, pid);

	return watched ? watched->held : NULL;
}

void titles_release(struct titles *titles)
{
	for (size_t i = 0; i < TITLES_WATCHED; i++)
		release(&titles->watched[i]);
	forget(titles);
}
