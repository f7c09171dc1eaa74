// SPDX-License-Identifier: BSD-2-Clause
/* Reads /proc/interrupts, whose lines are "NUMBER: COUNT... CHIP NUMBER-KIND  NAME, NAME". */
#include <ctype.h>

#include "interrupts.h"

const char *const interrupts_soft[INTERRUPTS_SOFT] = {
	"hi",
	"timer",
	"net_tx",
	"net_rx",
	"block",
	"irq_poll",
	"tasklet",
	"sched",
	"hrtimer",
	"rcu",
};

const char *interrupts_name(const struct interrupts *interrupts, uint32_t number)
{
	vec_each(it, interrupts)
		if (it->number == number)
			return it->name;
	return NULL;
}

/* The names are behind the last two spaces. They end the line, which may have none. */
void interrupts_add_line(struct interrupts *interrupts, const char *line)
{
	const char *name = NULL, *end = line + strcspn(line, "\n");
	struct interrupts_name *added;
	char *rest;
	unsigned long number;

	while (*line == ' ')
		line++;
	if (!isdigit((unsigned char)*line))
		return;
	number = strtoul(line, &rest, 10);
	if (*rest != ':' || number > UINT32_MAX || interrupts_name(interrupts, number))
		return;
	for (const char *at = rest; at + 2 < end; at++)
		if (at[0] == ' ' && at[1] == ' ')
			name = at + 2;
	/* without a name, what is behind two spaces is a count, or nothing */
	if (!name || isdigit((unsigned char)*name))
		return;
	added = vec_push(interrupts);
	added->number = number;
	added->name = base_strndup(name, end - name);
}

void interrupts_read(struct interrupts *interrupts)
{
	__fclose FILE *f = fopen("/proc/interrupts", "re");
	__free char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0)
		interrupts_add_line(interrupts, line);
}

void interrupts_release(struct interrupts *interrupts)
{
	vec_each(it, interrupts)
		free(it->name);
	free(interrupts->v);
	*interrupts = (struct interrupts){};
}

/* x86: arch/x86/include/asm/irq_vectors.h, the same since Linux 4.15. */
const char *interrupts_vector(uint32_t vector)
{
	switch (vector) {
	case 0xec:
		return "local timer";
	case 0xf6:
		return "irq work";
	case 0xf7:
		return "platform";
	case 0xfa:
		return "thermal";
	case 0xfb:
		return "function call (single)";
	case 0xfc:
		return "function call";
	case 0xfd:
		return "reschedule";
	default:
		return NULL;
	}
}
