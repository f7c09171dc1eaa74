// SPDX-License-Identifier: BSD-2-Clause
/*
 * A recording as a trace.dat of version 6, for trace-cmd and KernelShark. Each record becomes the kernel's event of
 * that name with the kernel's fields; our own kinds are events of the system "sonde". Events of a processor lie together in
 * the file. So we read the recording twice: to learn how many pages each processor needs, and to write them.
 */
#include "base/base.h"
#include "trace_dat_part.h"

#define PAGE_TEXT \
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n" \
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n" \
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n" \
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n"
#define EVENT_TEXT \
	"# compressed entry header\n" \
	"\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n" \
	"\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n" \
	"\tdata max type_len  == 28\n"
#define MOST_CPUS 4096

enum dat_option {
	OPTION_END,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_VERSION = 9,
};

static void add_event(struct dat *dat, const struct recording_event *event)
{
	dat->event = event;
	dat_calls_end(dat, event->time);
	dat_events_add(dat);
	if (event->cpu < dat->losses.n)
		dat->losses.v[event->cpu].lost = 0;
}

static void add_loss(struct dat *dat, const struct recording_event *loss)
{
	dat_pages_lose(&dat->pages, loss->cpu, loss->lost);
	while (loss->cpu >= dat->losses.n)
		vec_push(&dat->losses);
	dat->losses.v[loss->cpu].lost += loss->lost;
	dat->losses.v[loss->cpu].time = loss->time;
}

/* A loss stands before an event. Behind the last one of a processor there is none, so we add one. */
static void add_last_losses(struct dat *dat)
{
	for (uint32_t cpu = 0; cpu < dat->losses.n; cpu++) {
		if (dat->losses.v[cpu].lost)
			dat_events_add_lost(dat, cpu, dat->losses.v[cpu].time, dat->losses.v[cpu].lost);
		dat->losses.v[cpu].lost = 0;
	}
}

/* --- the file --- */

static void add_number(struct str *s, uint64_t number, size_t bytes)
{
	str_addn(s, (const char *)&number, bytes);
}

/* A text with its length in 8 bytes in front. */
static void add_sized(struct str *s, const char *text)
{
	add_number(s, strlen(text), 8);
	str_add(s, text);
}

static void add_option(struct str *s, enum dat_option option, const char *text)
{
	add_number(s, option, 2);
	add_number(s, strlen(text) + 1, 4);
	str_addn(s, text, strlen(text) + 1);
}

static void add_comms(struct str *s, const struct recording *r)
{
	__str struct str lines = {};

	for (size_t i = 0; i < recording_tasks(r); i++) {
		const struct recording_task *task = recording_task_at(r, i);

		if (task->tid <= 0 || !*task->comm)
			continue;
		str_addf(&lines, "%d ", task->tid);
		str_add_shown(&lines, task->comm, strlen(task->comm));
		str_addc(&lines, '\n');
	}
	add_sized(s, str_or_empty(lines.data));
}

static void add_functions(const struct dat *dat, struct str *s)
{
	__str struct str lines = {};

	dat_calls_names(dat, &lines);
	add_number(s, lines.len, 4);
	str_addn(s, str_or_empty(lines.data), lines.len);
}

static void add_options(struct str *s, const struct recording *r)
{
	const struct layout_host *host = &recording_info(r)->host;
	__str struct str name = {}, version = {};

	str_addf(&name, "Linux %s %s %s", str_or_empty(host->node), str_or_empty(host->release), str_or_empty(host->machine));
	str_addf(&version, "sonde %s", str_or_empty(host->version));
	str_addn(s, "options  ", 10);
	add_option(s, OPTION_TRACECLOCK, "local global [mono]");
	add_option(s, OPTION_UNAME, name.data);
	add_option(s, OPTION_VERSION, version.data);
	add_number(s, OPTION_END, 2);
}

static void add_head(struct dat *dat, struct str *s, uint32_t cpus)
{
	str_addn(s, "\x17\x08\x44tracing6", 12);
	str_addn(s, "\0\x08", 2); /* little-endian; longs have 8 bytes */
	add_number(s, DAT_PAGE, 4);
	str_addn(s, "header_page", 12);
	add_sized(s, PAGE_TEXT);
	str_addn(s, "header_event", 13);
	add_sized(s, EVENT_TEXT);
	add_number(s, 0, 4); /* events of ftrace's own tracers */
	dat_formats_add(s, dat->r, &dat->calls);
	add_functions(dat, s);
	add_number(s, 0, 4); /* printk */
	add_comms(s, dat->r);
	add_number(s, cpus, 4);
	add_options(s, dat->r);
	str_addn(s, "flyrecord", 10);
}

/* Where the pages of each processor will be. */
static void add_places(struct dat *dat, struct str *s)
{
	uint64_t first = s->len + dat->pages.cpus.n * 16, at;

	first = at = (first + DAT_PAGE - 1) / DAT_PAGE * DAT_PAGE;
	vec_each(cpu, &dat->pages.cpus) {
		cpu->at = at;
		add_number(s, at, 8);
		add_number(s, cpu->planned * DAT_PAGE, 8);
		at += cpu->planned * DAT_PAGE;
	}
	str_add_fill(s, 0, first - s->len);
}

static int add_events(struct dat *dat, struct err *err)
{
	struct recording_event event;
	int ret;

	while ((ret = recording_next(dat->r, &event)) > 0 && !dat->pages.error) {
		if (event.kind)
			add_event(dat, &event);
		else
			add_loss(dat, &event);
	}
	if (ret < 0 && err)
		*err = *recording_error(dat->r);
	dat_calls_end(dat, UINT64_MAX);
	add_last_losses(dat);
	return ret < 0 ? ret : 0;
}

static int write_file(struct dat *dat, struct sink *sink, struct err *err)
{
	uint32_t cpus = recording_info(dat->r)->cpus;
	int ret = add_events(dat, err);

	if (ret)
		return ret;
	dat_pages_count(&dat->pages, cpus ? cpus : 1);
	add_head(dat, &sink->data, dat->pages.cpus.n);
	add_places(dat, &sink->data);
	dat_pages_begin(&dat->pages, sink->is_file ? sink->fd : -1);
	recording_rewind(dat->r);
	ret = add_events(dat, err);
	if (ret)
		return ret;
	ret = dat_pages_finish(&dat->pages, sink);
	return ret ? err_set(err, ret, "cannot write a trace.dat: %s", strerror(-ret)) : 0;
}

static int write_trace_dat(struct recording *r, struct sink *sink, struct err *err)
{
	struct dat dat = { .r = r };
	int ret;

	if (recording_info(r)->cpus > MOST_CPUS)
		return err_set(err, -E2BIG, "the recording has %u processors, trace.dat takes %u", recording_info(r)->cpus,
			       MOST_CPUS);
	ret = write_file(&dat, sink, err);
	dat_pages_release(&dat.pages);
	set_release(&dat.calls);
	set_release(&dat.functions);
	free(dat.open.v);
	str_release(&dat.text);
	free(dat.losses.v);
	return ret;
}

const struct convert_format convert_trace_dat = {
	.file = { .name = "trace.dat", .binary = true },
	.write = write_trace_dat,
};
