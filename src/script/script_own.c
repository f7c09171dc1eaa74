// SPDX-License-Identifier: BSD-2-Clause
/* Runs probes that hang on nothing in the kernel: begin, end, interval, self:signal, test, bench, iter. */
#include <linux/bpf.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/report.h"
#include "engine/intake.h"
#include "script_part.h"

/* A reader that was away for long does not run a short interval forever. */
#define CATCH_UP 100

static bool is_own(const struct lang_probe *probe)
{
	return probe->kind <= PROBE_BENCH;
}

static int open_timer(const struct lang_probe *probe)
{
	uint64_t period = probe->attach->period;
	const struct timespec every = { period / NS_PER_SEC, period % NS_PER_SEC };
	const struct itimerspec timer = { every, every };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd >= 0)
		timerfd_settime(fd, 0, &timer, NULL);
	return fd;
}

static int open_signal(const struct lang_probe *probe)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, probe->attach->signal);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int load(struct script *script, size_t i, struct err *err)
{
	int fd = attach_load(&script->probes[i].image, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, err);

	script->probes[i].own.program = fd;
	return fd < 0 ? fd : 0;
}

/* Timers start when the probes are armed: script_own_start(). */
int script_own_open(struct script *script, struct err *err)
{
	int ret;

	for (size_t i = 0; i < script->program->probes.n; i++) {
		const struct lang_probe *probe = &script->program->probes.v[i];
		struct script_own *own = &script->probes[i].own;

		own->probe = probe;
		if (probe->kind == PROBE_ITER)
			ret = script_iter_open(script, i, err);
		else if (is_own(probe))
			ret = load(script, i, err);
		else
			continue;
		if (ret)
			return ret;
		script->attached.n++;
	}
	return 0;
}

int script_own_start(struct script *script, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < script->program->probes.n; i++) {
		struct script_own *own = &script->probes[i].own;

		if (own->probe->kind != PROBE_INTERVAL && own->probe->kind != PROBE_SIGNAL)
			continue;
		own->timer = own->probe->kind == PROBE_INTERVAL ? open_timer(own->probe) : open_signal(own->probe);
		if (own->timer < 0)
			return err_set(err, -errno, "cannot wait for '%s': %s", own->probe->attach->text,
				       strerror(errno));
		ret = intake_watch(script->instance->intake, own->timer, err);
	}
	return ret;
}

int script_own_call(const struct script_own *own)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int ret = bpf_prog_test_run_opts(own->program, &opts);

	return ret ? ret : (int)opts.retval;
}

static void run_once(const struct script_own *own)
{
	int ret = script_own_call(own);

	if (ret < 0)
		report_error("cannot run '%s': %s", own->probe->attach->text, strerror(-ret));
}

void script_own_run(struct script *script, enum lang_probe_kind kind)
{
	for (size_t i = 0; i < script->program->probes.n; i++)
		if (script->program->probes.v[i].kind == kind)
			run_once(&script->probes[i].own);
}

void script_own_iterate(struct script *script)
{
	struct engine_context *ctx = script->instance->ctx;
	/* sonde's own -c runs to the end of the command; bpftrace's does not. */
	bool waits = ctx->command.pid && !ctx->as_peer;

	for (size_t i = 0; i < script->program->probes.n; i++) {
		struct script_own *own = &script->probes[i].own;
		struct err err = {};
		int ret;

		waits |= script->program->probes.v[i].kind > PROBE_END;
		if (script->program->probes.v[i].kind != PROBE_ITER)
			continue;
		ret = script_iter_run(own, script->instance->ctx->pid, &err);
		if (ret)
			report_err(&err, NULL);
		ctx->failed |= ret != 0;
		ctx->done |= ret || !own->probe->attach->pin;
	}
	ctx->done |= !waits;
}

/* Runs a program as often as its timer has expired. */
static void take_timer(struct script *script, const struct script_own *own)
{
	uint64_t n;

	if (read(own->timer, &n, sizeof(n)) != sizeof(n))
		return;
	if (n > CATCH_UP) {
		script->attached.skipped += n - CATCH_UP;
		n = CATCH_UP;
	}
	while (n-- && !script->loaded.state->exited)
		run_once(own);
}

static void take_signal(const struct script_own *own)
{
	struct signalfd_siginfo info;

	while (read(own->timer, &info, sizeof(info)) == sizeof(info))
		run_once(own);
}

void script_own_take(struct script *script)
{
	for (size_t i = 0; i < script->program->probes.n; i++) {
		const struct script_own *own = &script->probes[i].own;

		if (own->timer < 0)
			continue;
		if (own->probe->kind == PROBE_INTERVAL)
			take_timer(script, own);
		else
			take_signal(own);
	}
}

void script_own_release(struct script *script)
{
	for (size_t i = 0; i < script->program->probes.n; i++) {
		struct script_own *own = &script->probes[i].own;

		if (own->program >= 0)
			close(own->program);
		if (own->timer >= 0)
			close(own->timer);
		script_iter_release(own);
	}
}
