// SPDX-License-Identifier: BSD-2-Clause
/* Prints the tools by their groups. Knows no tool by name: what stands for a group is data of a tool (tool.h). */
#include "base/str.h"
#include "front.h"
#include "tool.h"

#define WIDTH 80

static const char usage[] = "usage: sonde TOOL [options] [arguments]\n";

/* The rest of a group, on one line. What does not fit is counted, so that the page never gets longer. */
static void print_names(FILE *out, const struct tool *const *tools, size_t n, enum group group)
{
	size_t left = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		left += tools[i]->group == group && !tools[i]->front.command;
	for (size_t i = 0; i < n && left; i++) {
		size_t len = strlen(tools[i]->name), more = left > 1 ? strlen(", 99 more") : 0;

		if (tools[i]->group != group || tools[i]->front.command)
			continue;
		if (at + 2 + len + more > WIDTH)
			break;
		at += fprintf(out, "%s%s", at ? ", " : "    ", tools[i]->name);
		left--;
	}
	if (left)
		fprintf(out, ", %zu more", left);
	if (at)
		fputc('\n', out);
}

/* Scripts that name no group have no command that stands for them. */
static void print_group(FILE *out, const struct tool *const *tools, size_t n, enum group group)
{
	const struct doc_example *front = NULL;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (tools[i]->group != group)
			continue;
		any = true;
		if (tools[i]->front.command)
			front = &tools[i]->front;
	}
	if (front)
		fprintf(out, "%-15s %-37s %s\n", group_titles[group], front->command, front->does);
	else if (any)
		fprintf(out, "%s\n", group_titles[group]);
	print_names(out, tools, n, group);
}

void front_page(FILE *out)
{
	size_t n;
	const struct tool *const *tools = tool_list(&n);

	fprintf(out, "%s\n", usage);
	for (enum group g = GROUP_SLOW; g < GROUPS; g++)
		print_group(out, tools, n, g);
	fputs("\nsonde help         all tools, a line for each\n"
	      "sonde help TOOL    its options and examples (also: man sonde-TOOL)\n"
	      "sonde help NAME    the sonde equivalent of a strace, perf, ftrace or bcc command\n",
	      out);
}

void front_list(FILE *out)
{
	size_t n;
	const struct tool *const *tools = tool_list(&n);

	fprintf(out, "%s\nTraces a running Linux system with eBPF.\n", usage);
	for (enum group g = GROUP_SLOW; g < GROUPS; g++) {
		const char *title = group_titles[g];

		for (size_t i = 0; i < n; i++) {
			if (tools[i]->group != g)
				continue;
			if (title)
				fprintf(out, "\n%s\n", title);
			title = NULL;
			fprintf(out, "  %-16s %s\n", tools[i]->name, tools[i]->brief);
		}
	}
	fputs("\nhelp and version\n"
	      "  help [TOOL]      this list, or a tool's options (sonde TOOL --help)\n"
	      "  help NAME        the sonde equivalent of a strace, perf, ftrace or bcc command\n"
	      "  version          the version\n"
	      "\nExit status: 0 done, 1 failed (stderr says why), 2 wrong usage.\n",
	      out);
}
