// SPDX-License-Identifier: BSD-2-Clause
/* What the programs have counted, for the table of -c and -C. */
#include <bpf/bpf.h>

#include "base/cpus.h"
#include "base/report.h"
#include "kernel/syscalls.h"
#include "strace_part.h"

/* Adds the counts of all processors. */
static void read_count(int fd, uint32_t index, struct strace_count *each, struct strace_count *sum)
{
	*sum = (struct strace_count){};
	if (bpf_map_lookup_elem(fd, &index, each))
		return;
	for (int i = 0; i < cpus_ids(); i++) {
		sum->calls += each[i].calls;
		sum->errors += each[i].errors;
		sum->untimed += each[i].untimed;
		sum->ns += each[i].ns;
		if (each[i].calls > each[i].untimed && (!sum->most || each[i].least < sum->least))
			sum->least = each[i].least;
		if (each[i].most > sum->most)
			sum->most = each[i].most;
	}
}

static const char *name_of(uint32_t index, char text[32])
{
	const char *name = index < STRACE_CALLS		 ? syscall_name(index)
			   : index == STRACE_COUNT_OTHER ? "(unknown)"
							 : syscall_name_32(index - STRACE_COUNT_COMPAT);

	if (!name)
		snprintf(text, 32, "syscall_%#x", index < STRACE_CALLS ? index : index - STRACE_COUNT_COMPAT);
	return name ? name : text;
}

/* Whether the set has the calls of this index: execve is counted in any case, if it begins the command. */
static bool is_wanted(const struct strace_set *set, uint32_t index)
{
	if (index == STRACE_COUNT_OTHER)
		return true;
	if (index < STRACE_CALLS)
		return strace_set_has(set, index, false);
	return strace_set_has(set, index - STRACE_COUNT_COMPAT, true);
}

/* The calls of indices begin to end, as a table with this heading. */
static uint64_t add_table(struct str *out, int fd, const struct strace_table *table, const struct strace_set *set,
			  uint32_t begin, uint32_t end, const char *heading)
{
	struct strace_count *each = base_alloc(cpus_ids() * sizeof(*each));
	struct strace_total *totals = base_alloc((end - begin) * sizeof(*totals));
	char(*texts)[32] = base_alloc((end - begin) * sizeof(*texts));
	uint64_t untimed = 0;
	size_t n = 0;

	for (uint32_t i = begin; i < end; i++) {
		struct strace_count sum;

		if (!is_wanted(set, i))
			continue;
		read_count(fd, i, each, &sum);
		if (!sum.calls)
			continue;
		untimed += sum.untimed;
		totals[n] = (struct strace_total){
			.name = name_of(i, texts[n]),
			.number = i,
			.calls = sum.calls,
			.errors = sum.errors,
			.ns = sum.ns,
			.least = sum.least,
			.most = sum.most,
		};
		n++;
	}
	if (n && heading)
		str_add(out, heading);
	strace_summary(out, table, totals, n);
	free(texts);
	free(totals);
	free(each);
	return untimed;
}

void strace_counts_print(struct output *out, int fd, const struct strace_table *table, const struct strace_set *set)
{
	struct str text __str = {};
	uint64_t untimed = add_table(&text, fd, table, set, 0, STRACE_COUNT_COMPAT, NULL);

	untimed += add_table(&text, fd, table, set, STRACE_COUNT_COMPAT, STRACE_COUNTS,
			     "System call usage summary for 32 bit mode:\n");
	if (text.len)
		output_bytes(out, text.data, text.len);
	output_flush(out);
	if (untimed)
		report_note("%llu call%s counted without a time: the begin was not seen", (unsigned long long)untimed,
			    str_plural(untimed));
}
