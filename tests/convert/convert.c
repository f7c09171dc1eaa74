// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes a recording of a made-up machine, the same in each run, and converts it, for those who read such files:
 *
 *	build/convert-files [-n STEPS] [-c CPUS] [-l] [-f] FILE		the recording, and on stdout what is true of it
 *	build/convert-files FILE [perfetto|trace.dat FILE]...		converts it
 *
 * -l: records are lost now and then. -f: only some threads are recorded, as with a filter.
 *
 * Each processor has threads of its own. They run, make calls, wait in calls, are woken by threads of any processor,
 * are preempted, call a probed function, and one forks others, which end. Truths are lines of words:
 *
 *	run TID NS		how long it was on a processor, as far as both switches were recorded
 *	kind NAME N		records in the file
 *	lost CPU N
 *	time last NS		of the last record
 */
#include <err.h>

#include "convert/convert.h"
#include "record/writer.h"

#define CPUS_MAX 64
#define PER_CPU	 4
#define THREADS	 4096 /* those that are forked included */
#define RING	 (64 << 10)
#define READ	 0
#define FUTEX	 202
#define PROBE	 7

enum kind {
	SWITCH = 1,
	WAKING,
	FORK,
	EXIT,
	ENTER,
	LEAVE,
	CALLED,
	MARKED,
	ISSUED,
	COMPLETED,
	ODD,
	KINDS
};

static const char *const names[KINDS] = {
	"",
	"switch",
	"waking",
	"fork",
	"exit",
	"sys_enter",
	"sys_exit",
	"probe",
	"mark",
	"block_issue",
	"block_complete",
	"odd",
};

#define U32(name, is, word, bit) \
	{ \
		name, is, word, bit, 32 \
	}
#define U16(name, is, word, bit) \
	{ \
		name, is, word, bit, 16 \
	}
#define U64(name, is, word) \
	{ \
		name, is, word, 0, 0 \
	}
static const struct layout_field fields[KINDS][12] = {
	[SWITCH] = { U32("prev", LAYOUT_TASK, 1, 0), U32("next", LAYOUT_TASK, 1, 32), U16("prev_state", LAYOUT_STATE, 2, 0),
		     U16("prev_prio", LAYOUT_PRIO, 2, 32), U16("next_prio", LAYOUT_PRIO, 2, 48),
		     U32("syscall", LAYOUT_SYSCALL, 3, 0), U32("iowait", LAYOUT_NUMBER, 3, 32), U64("arg", LAYOUT_HEX, 4) },
	[WAKING] = { U32("task", LAYOUT_TASK, 1, 0), U32("waker", LAYOUT_TASK, 1, 32), U16("target_cpu", LAYOUT_CPU, 2, 0),
		     U16("prio", LAYOUT_PRIO, 2, 16) },
	[FORK] = { U32("task", LAYOUT_TASK, 1, 0), U32("child", LAYOUT_TASK, 2, 0), U32("child_process", LAYOUT_PROCESS, 2, 32), { "comm", LAYOUT_CHARS, 3, 0, 16 } },
	[EXIT] = { U32("task", LAYOUT_TASK, 1, 0), U32("code", LAYOUT_NUMBER, 2, 0) },
	[ENTER] = { U32("task", LAYOUT_TASK, 1, 0), U32("syscall", LAYOUT_SYSCALL, 1, 32), U64("args", LAYOUT_WORDS, 2) },
	[LEAVE] = { U32("task", LAYOUT_TASK, 1, 0), U32("syscall", LAYOUT_SYSCALL, 1, 32), U64("ret", LAYOUT_RETURN, 2) },
	[CALLED] = { U32("task", LAYOUT_TASK, 1, 0), { "probe", LAYOUT_PROBE, 1, 32, 31 }, { "site", LAYOUT_PROBE_SITE, 1, 63, 1 }, U64("args", LAYOUT_WORDS, 2) },
	[MARKED] = { U32("task", LAYOUT_TASK, 1, 0), { "text", LAYOUT_CHARS, 2, 0, 0 } },
	[ISSUED] = { U32("device", LAYOUT_DEVICE, 1, 0), U32("bytes", LAYOUT_BYTES, 1, 32), U64("sector", LAYOUT_SECTOR, 2),
		     U32("op", LAYOUT_OP, 3, 0), U32("task", LAYOUT_TASK, 3, 32) },
	[COMPLETED] = { U32("device", LAYOUT_DEVICE, 1, 0), U32("bytes", LAYOUT_BYTES, 1, 32), U64("sector", LAYOUT_SECTOR, 2),
			U32("op", LAYOUT_OP, 3, 0), U32("status", LAYOUT_ERROR, 3, 32) },
	[ODD] = { U64("height", LAYOUT_NUMBER, 1) },
};

struct thread {
	int tid, tgid;
	unsigned int cpu;
	enum {
		IDLE,
		READY,
		RUNS,
		WAITS,
		ENDED
	} state;
	bool in_call;
	uint64_t ran; /* both ends recorded */
};

static struct cpu {
	struct thread *current, idle;
	uint64_t since; /* when current got it; 0: that is not in the recording */
	uint64_t number, first, lost, total_lost;
	uint64_t ring[RING / 8];
	size_t words;
} cpus[CPUS_MAX];

static struct thread threads[THREADS];
static unsigned int n_threads, n_cpus = 2;
static uint64_t now = 5000000000, last, counts[KINDS], sectors;
static struct writer *file;
static bool loses, filters;
static unsigned int losing; /* records of the processor that are still to be lost */
static struct cpu *losing_cpu;

static uint32_t next_random(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static void flush(struct cpu *cpu)
{
	if (!cpu->words && !cpu->lost)
		return;
	writer_chunk(file, cpu - cpus, 0, cpu->first, cpu->lost, cpu->ring, cpu->words * 8);
	cpu->words = cpu->lost = 0;
	cpu->first = cpu->number;
}

/* Returns false if the record is lost. */
static bool add(struct cpu *cpu, enum kind kind, const uint64_t *words, size_t n)
{
	now += 1 + next_random() % 50;
	if (losing && cpu == losing_cpu) {
		losing--;
		if (cpu->words)
			flush(cpu);
		cpu->first = ++cpu->number;
		cpu->lost++;
		cpu->total_lost++;
		/* nothing that goes on now is known from its begin */
		cpu->since = 0;
		return false;
	}
	if (cpu->words + n + 2 > RING / 8)
		flush(cpu);
	cpu->ring[cpu->words++] = kind | (n + 2) << 8 | (cpu->number++ & 0xff) << 56;
	cpu->ring[cpu->words++] = now;
	memcpy(cpu->ring + cpu->words, words, n * 8);
	cpu->words += n;
	counts[kind]++;
	last = now;
	return true;
}

static bool passes(const struct thread *thread)
{
	return !filters || thread->tid % 2;
}

static uint64_t pair(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

/* The task's record, if the task passes. */
static void add_task(struct cpu *cpu, enum kind kind, uint64_t first, uint64_t second, size_t n)
{
	const uint64_t words[] = { first, second };

	if (passes(cpu->current))
		add(cpu, kind, words, n);
}

static void switch_to(struct cpu *cpu, struct thread *next, unsigned int state, int call)
{
	struct thread *prev = cpu->current;
	const uint64_t words[] = { pair(prev->tid, next->tid), state | 120ULL << 32 | 120ULL << 48, pair(call, state == 2),
				   call == READ ? 3 : 0x7f0000001000 };
	bool is_recorded = passes(prev) || passes(next);

	if (is_recorded && add(cpu, SWITCH, words, state & 3 ? 4 : 2)) {
		if (cpu->since)
			prev->ran += now - cpu->since;
		cpu->since = now;
	} else if (!is_recorded) {
		cpu->since = 0;
	}
	cpu->current = next;
	if (prev->state == RUNS)
		prev->state = READY;
	next->state = next->tid ? RUNS : IDLE;
}

static struct thread *find_ready(const struct cpu *cpu)
{
	unsigned int from = next_random();

	for (unsigned int i = 0; i < n_threads; i++) {
		struct thread *thread = &threads[(from + i) % n_threads];

		if (thread->state == READY && &cpus[thread->cpu] == cpu)
			return thread;
	}
	return NULL;
}

/* In a call it finishes first what it waited for. */
static void run_next(struct cpu *cpu, unsigned int state, int call)
{
	struct thread *next = find_ready(cpu);

	if (!next && state == 0 && cpu->current->tid)
		return;
	switch_to(cpu, next ? next : &cpu->idle, state, call);
	if (next && next->in_call) {
		add_task(cpu, LEAVE, pair(next->tid, READ), next_random() % 4 ? 17 : (uint64_t)-11, 2);
		next->in_call = false;
	}
}

static void wait_in_call(struct cpu *cpu)
{
	struct thread *thread = cpu->current;

	add_task(cpu, ENTER, pair(thread->tid, READ), 3, 2);
	thread->in_call = true;
	thread->state = WAITS;
	run_next(cpu, next_random() % 3 ? 1 : 2, READ);
}

static void wake(struct cpu *cpu)
{
	unsigned int from = next_random();

	for (unsigned int i = 0; i < n_threads; i++) {
		struct thread *thread = &threads[(from + i) % n_threads];
		const uint64_t words[] = { pair(thread->tid, cpu->current->tid), thread->cpu | 120 << 16 };

		if (thread->state != WAITS)
			continue;
		if (passes(thread))
			add(cpu, WAKING, words, 2);
		thread->state = READY;
		return;
	}
}

static struct thread *new_thread(int tgid, unsigned int cpu)
{
	struct thread *thread = &threads[n_threads++];

	*thread = (struct thread){ .tid = 1000 + n_threads, .tgid = tgid ? tgid : 1000 + (int)n_threads, .cpu = cpu, .state = READY };
	return thread;
}

static void fork_thread(struct cpu *cpu)
{
	struct thread *parent = cpu->current, *child;
	uint64_t words[4] = { parent->tid };

	if (n_threads == THREADS)
		return;
	child = new_thread(next_random() % 2 ? parent->tgid : 0, next_random() % n_cpus);
	words[1] = pair(child->tid, child->tgid);
	memcpy(words + 2, "child", 6);
	if (passes(parent))
		add(cpu, FORK, words, 4);
}

static void end_thread(struct cpu *cpu)
{
	struct thread *thread = cpu->current;

	/* those that existed live on */
	if (thread - threads < (ptrdiff_t)(n_cpus * PER_CPU))
		return;
	add_task(cpu, EXIT, thread->tid, 0, 2);
	thread->state = ENDED;
	run_next(cpu, 0x10, -1);
}

static void call_function(struct cpu *cpu)
{
	uint32_t depth = 1 + next_random() % 3;

	for (uint32_t i = 0; i < depth; i++)
		add_task(cpu, CALLED, pair(cpu->current->tid, PROBE), 0xffff888000001000 + i, 2);
	for (uint32_t i = 0; i < depth; i++)
		add_task(cpu, CALLED, pair(cpu->current->tid, PROBE | 0x80000000), i, 2);
	/* one without a return */
	add_task(cpu, CALLED, pair(cpu->current->tid, PROBE + 1), 1, 2);
}

static void use_disk(struct cpu *cpu)
{
	uint64_t words[] = { pair(254 << 20, 4096), sectors, pair(1, cpu->current->tid) };

	add(cpu, ISSUED, words, 3);
	words[1] = sectors + 8;
	add(cpu, ISSUED, words, 3);
	words[1] = sectors;
	words[2] = 1;
	add(cpu, COMPLETED, words, 3);
	words[1] = sectors + 8;
	add(cpu, COMPLETED, words, 3);
	sectors += 16;
}

static void mark(struct cpu *cpu)
{
	uint64_t words[4] = { cpu->current->tid };

	memcpy(words + 1, "here \xff\n\"it\" is", 14);
	add(cpu, MARKED, words, 3);
	words[0] = 180;
	/* longer than the time between two events of a page of ftrace can be */
	now += 1 << 28;
	add(cpu, ODD, words, 1);
}

static void step(struct cpu *cpu)
{
	uint32_t what = next_random() % 1000;

	now += next_random() % 3000;
	if (loses && !losing && what == 7 && cpu->number > 500) {
		losing = 1 + next_random() % 40;
		losing_cpu = cpu;
	}
	if (!cpu->current->tid)
		run_next(cpu, 0, -1);
	else if (what < 300)
		wait_in_call(cpu);
	else if (what < 600)
		wake(cpu);
	else if (what < 700)
		run_next(cpu, 0x100, -1);
	else if (what < 900) {
		add_task(cpu, ENTER, pair(cpu->current->tid, FUTEX), 0x7f0000001000, 2);
		add_task(cpu, LEAVE, pair(cpu->current->tid, FUTEX), 0, 2);
	} else if (what < 950)
		call_function(cpu);
	else if (what < 960)
		fork_thread(cpu);
	else if (what < 975)
		end_thread(cpu);
	else if (what < 990)
		use_disk(cpu);
	else if (what == 999)
		mark(cpu);
	/* an interrupt wakes as well, or all would wait */
	if (what % 16 == 0)
		wake(cpu);
}

static void describe(void)
{
	const struct layout_ring ring = { .number_at = 56, .number_bits = 8, .kind_at = 0, .kind_bits = 8, .words_at = 8, .words_bits = 8 };
	const struct layout_host host = { "6.12.0-test", "x86_64", "node", "boot", "0.0", "sonde record", n_cpus, -1 };

	writer_host(file, &host);
	writer_clocks(file);
	writer_ring(file, &ring);
	for (uint32_t i = 1; i < KINDS; i++) {
		struct layout_kind kind = { .id = i, .name = names[i], .fields = fields[i] };

		while (fields[i][kind.n].name)
			kind.n++;
		writer_kind(file, &kind);
	}
	writer_text(file, LAYOUT_SPACE_SYSCALLS, READ, "read");
	writer_text(file, LAYOUT_SPACE_SYSCALLS, FUTEX, "futex");
	writer_text(file, LAYOUT_SPACE_PROBES, PROBE, "p:vfs_\"read\"");
	writer_text(file, LAYOUT_SPACE_PROBES, PROBE + 1, "t:x:y");
	writer_text(file, LAYOUT_SPACE_DEVICES, 254 << 20, "vda");
}

static void make_threads(void)
{
	for (unsigned int i = 0; i < n_cpus; i++) {
		cpus[i].current = &cpus[i].idle;
		cpus[i].idle.cpu = i;
		for (int j = 0; j < PER_CPU; j++) {
			const struct thread *thread = new_thread(j % 2 ? 1000 + n_threads : 0, i);
			const struct layout_task task = { thread->tid, thread->tgid, 1, LAYOUT_TASK_EXISTED, 0, 'S',
							  j ? "worker" : "b\xffss", j % 2 ? "" : "/bin/boss -x \"a b\"" };

			writer_task(file, &task);
		}
	}
}

static void make(const char *name, unsigned int steps)
{
	struct err err;
	struct layout_end end = { .exit_status = -1 };

	file = writer_open(name, true, &err);
	if (!file)
		errx(1, "%s", err.text);
	describe();
	make_threads();
	for (unsigned int i = 0; i < steps; i++)
		step(&cpus[next_random() % n_cpus]);
	for (unsigned int i = 0; i < n_cpus; i++) {
		flush(&cpus[i]);
		end.lost += cpus[i].total_lost;
	}
	for (int i = 1; i < KINDS; i++)
		end.recorded += counts[i];
	writer_clocks(file);
	if (writer_close(file, &end, &err))
		errx(1, "%s", err.text);
	for (unsigned int i = 0; i < n_threads; i++)
		if (passes(&threads[i]))
			printf("run %d %llu\n", threads[i].tid, (unsigned long long)threads[i].ran);
	for (int i = 1; i < KINDS; i++)
		printf("kind %s %llu\n", names[i], (unsigned long long)counts[i]);
	printf("time last %llu\n", (unsigned long long)last);
	for (unsigned int i = 0; i < n_cpus; i++)
		printf("lost %u %llu\n", i, (unsigned long long)cpus[i].total_lost);
}

static void convert(const char *from, const char *format_name, const char *to)
{
	const struct convert_format *format = strcmp(format_name, "perfetto") ? &convert_trace_dat : &convert_perfetto;
	struct files files = {};
	struct recording *r;
	struct err err;

	r = recording_open(from, &err);
	if (!r || files_add(&files, &format->file, to, true, &err) || convert_write(format, r, &files.v[0], &err))
		errx(1, "%s", err.text);
	recording_close(r);
	files_release(&files);
}

int main(int argc, char **argv)
{
	unsigned int steps = 10000;
	int option;

	while ((option = getopt(argc, argv, "n:c:lf")) >= 0) {
		if (option == 'n')
			steps = atoi(optarg);
		else if (option == 'c')
			n_cpus = atoi(optarg) < CPUS_MAX ? atoi(optarg) : CPUS_MAX;
		else if (option == 'l')
			loses = true;
		else if (option == 'f')
			filters = true;
		else
			return 2;
	}
	if (optind == argc)
		return 2;
	if (optind + 1 == argc)
		make(argv[optind], steps);
	for (int i = optind + 1; i + 1 < argc; i += 2)
		convert(argv[optind], argv[i], argv[i + 1]);
	return 0;
}
