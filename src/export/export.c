// SPDX-License-Identifier: BSD-2-Clause
/* The loop of the exporter: signals, requests, events of sources, what is due; and the reload. */
#include <malloc.h>
#include <poll.h>
#include <signal.h>

#include "base/clock.h"
#include "base/report.h"
#include "export_part.h"
#include "listen.h"
#include "run/caps.h"
#include "run/signals.h"

/* --- signals --- */

/* SIGHUP asks for a reload, unless the terminal was closed. */
static void take_signals(struct exporter *exporter)
{
	struct signalfd_siginfo info;

	while (read(exporter->run->signals, &info, sizeof(info)) == sizeof(info)) {
		bool hangup = info.ssi_signo == SIGHUP && !signals_from_terminal(&info);

		if (info.ssi_signo == SIGCHLD || !signals_meant_for_us(&info))
			continue;
		exporter->reload |= hangup;
		exporter->stopping |= !hangup;
	}
}

static bool should_stop(void *ctx)
{
	struct exporter *exporter = ctx;

	take_signals(exporter);
	/* to attach thousands of probes takes longer than the service manager waits */
	systemd_watchdog(&exporter->systemd, clock_monotonic_ns());
	/* what is stored is for the next start, also if we end before all lines are attached */
	if (exporter->stopping && exporter->store)
		store_seal(exporter->store);
	return exporter->stopping;
}

/* --- the configuration --- */

/* An argument is a line if it has more than one word or names a tool; else it is a file. */
static bool is_line(const char *argument)
{
	size_t n = strcspn(argument, " \t\n"), first = strspn(argument, " \t");

	if (memchr(argument, '/', n))
		return false;
	return first || argument[n] || tool_find(argument);
}

static int add_argument(struct config *config, const char *argument, unsigned int number, bool waits, struct err *err)
{
	int ret;

	if (is_line(argument))
		return config_add_argument(config, argument, number, err);
	ret = config_add_file(config, argument, waits, err);
	if (ret == -ENOENT && !strchr(argument, '/'))
		return err_set(err, -EINVAL, "'%s' is neither a tool nor a file", argument);
	return ret;
}

/* waits: for whoever writes the configuration into a pipe. */
static int read_config(const struct opt_list *args, bool waits, struct config *config, struct err *err)
{
	__str struct str files = {};
	int ret = 0;

	for (size_t i = 0; !ret && i < args->n; i++) {
		ret = add_argument(config, args->v[i], i + 1, waits, err);
		str_addf(&files, "%s%s", i ? ", " : "", args->v[i]);
	}
	if (!ret && !config->n)
		return err_set(err, -EINVAL, "%s: there is nothing to export: no line names a tool", files.data);
	return ret;
}

/* No line may have a family of the exporter itself. */
static int check_families_differ(struct exporter *exporter, struct sources *sources, struct err *err)
{
	struct metrics own = {};
	int ret;

	self_reserve(&own);
	self_collect(&exporter->self, sources, &own);
	ret = sources_check_families(sources, &own, err);
	metrics_release(&own);
	return ret;
}

/*
 * Frees the sources that were made for nothing. At the start no others run, and the exporter ends: what they have
 * adopted stays stored for the next start.
 */
static void give_up(struct exporter *exporter, struct sources *sources, struct config *config)
{
	if (!exporter->sources.n && exporter->store) {
		for (size_t i = 0; i < sources->n; i++)
			if (!source_is_adopted(sources->v[i]))
				source_close(sources->v[i], "the start has failed");
		store_seal(exporter->store);
	}
	sources_give_up(sources, config, &exporter->sources);
}

/* Reads the configuration and attaches what does not run yet. On an error all stays as it is. */
static int load(struct exporter *exporter, struct err *err)
{
	struct config config = {};
	struct sources sources = {};
	int ret = read_config(&exporter->run->args, !exporter->sources.n, &config, err);

	if (!ret)
		ret = sources_make(&sources, &config, &exporter->sources, err);
	if (!ret)
		ret = sources_open(&sources, &exporter->host, err);
	if (!ret)
		ret = check_families_differ(exporter, &sources, err);
	if (ret)
		give_up(exporter, &sources, &config);
	config_release(&config);
	if (ret)
		return ret;
	sources_release(&exporter->sources, &sources);
	exporter->sources = sources;
	if (exporter->store)
		store_drop_unclaimed(exporter->store);
	budget_follow(exporter->budget, &exporter->sources);
	/* a name may stand for another type now */
	metrics_release(&exporter->page);
	exporter->self.reloaded = true;
	exporter->self.reloaded_at = clock_wall_ns();
	/* what symbols and types took while probes were resolved */
	malloc_trim(0);
	return 0;
}

static void say_status(struct exporter *exporter)
{
	__free char *text = base_printf("%zu of %zu lines are up", sources_up(&exporter->sources), exporter->sources.n);

	systemd_status(&exporter->systemd, text);
}

static void reload(struct exporter *exporter)
{
	struct err err = {};
	int ret;

	exporter->reload = false;
	systemd_reloading(&exporter->systemd);
	ret = load(exporter, &err);
	exporter->self.reloaded = !ret;
	if (ret == -EINTR)
		return;
	if (ret)
		report_error("the configuration stays as it is: %s", err.text);
	else
		report_line("read the configuration again: %zu of %zu lines are up", sources_up(&exporter->sources),
			    exporter->sources.n);
	systemd_notify(&exporter->systemd, "READY=1");
	say_status(exporter);
}

/* --- the loop --- */

static uint64_t earliest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t next_deadline(const struct exporter *exporter)
{
	uint64_t next = earliest(server_deadline(exporter->server), exporter->systemd.watchdog_next);

	next = earliest(next, exporter->file_next);
	next = earliest(next, budget_deadline(exporter->budget));
	for (size_t i = 0; i < exporter->sources.n; i++)
		next = earliest(next, source_deadline(exporter->sources.v[i]));
	return next;
}

/* fds: of each source, in their order. */
static void take_events(struct exporter *exporter, const struct pollfd *fds, uint64_t now)
{
	bool ended = false;

	for (size_t i = 0; i < exporter->sources.n; i++) {
		struct source *source = exporter->sources.v[i];

		if (!source_is_up(source) || (!fds[i].revents && source_deadline(source) > now))
			continue;
		source_take(source);
		ended |= !source_is_up(source);
	}
	if (ended)
		say_status(exporter);
}

/* Waits for whatever comes first, and does what there is to do. */
static void turn(struct exporter *exporter)
{
	size_t n_sources = exporter->sources.n, n;
	__free struct pollfd *fds = base_alloc((1 + n_sources + SERVER_FDS) * sizeof(*fds));
	uint64_t now;

	fds[0] = (struct pollfd){ .fd = exporter->run->signals, .events = POLLIN };
	for (size_t i = 0; i < n_sources; i++)
		fds[1 + i] = (struct pollfd){ .fd = source_fd(exporter->sources.v[i]), .events = POLLIN };
	n = server_fds(exporter->server, fds + 1 + n_sources);
	if (poll(fds, 1 + n_sources + n, run_ms_until(next_deadline(exporter))) < 0)
		return;
	now = clock_monotonic_ns();
	take_signals(exporter);
	take_events(exporter, fds + 1, now);
	server_handle(exporter->server, fds + 1 + n_sources, n, now);
	page_file_turn(exporter, now);
	budget_tick(exporter->budget, &exporter->sources, now);
	systemd_watchdog(&exporter->systemd, now);
}

static void loop(struct exporter *exporter)
{
	while (!exporter->stopping) {
		if (exporter->reload)
			reload(exporter);
		else
			turn(exporter);
	}
	systemd_notify(&exporter->systemd, "STOPPING=1");
}

/* --- begin and end --- */

static void say_begin(struct exporter *exporter)
{
	size_t n = exporter->sources.n, up = sources_up(&exporter->sources);
	__free char *lines = NULL;
	__str struct str where = {};

	lines = up == n ? base_printf("%zu line%s", n, str_plural(n)) : base_printf("%zu of %zu lines", up, n);
	server_add_names(exporter->server, &where);
	if (exporter->options->textfile)
		str_addf(&where, "%s%s", where.len ? ", " : "", exporter->options->textfile);
	report_line("Exporting %s at %s. Hit Ctrl-C to end.", lines, where.data);
	systemd_notify(&exporter->systemd, "READY=1");
	say_status(exporter);
}

/*
 * Without --listen: at the sockets that the service manager passed. If it passed none, where only this machine comes,
 * or nowhere if the page goes to a file.
 */
static int listen_somewhere(struct exporter *exporter, struct err *err)
{
	const char *where = exporter->options->listen;
	int ret;

	if (where)
		return server_listen(exporter->server, where, &exporter->systemd, err);
	ret = server_listen(exporter->server, "fd:", &exporter->systemd, err);
	if (ret == -ENOENT && exporter->options->textfile)
		return 0;
	return ret == -ENOENT ? server_listen(exporter->server, LISTEN_DEFAULT, &exporter->systemd, err) : ret;
}

static int serve(struct exporter *exporter, struct err *err)
{
	struct server_pages pages = { .make = page_make, .ctx = exporter };
	int ret;

	exporter->store = exporter->host.store =
		store_new(&exporter->systemd, exporter->options->pin ? EXPORT_PINS : NULL, err);
	if (!exporter->store)
		return err->code;
	pages.types = page_types(&pages.n_types);
	exporter->server = server_new(&pages);
	/* first: a port that is taken is found before anything is attached */
	ret = listen_somewhere(exporter, err);
	if (!ret)
		ret = page_file_begin(exporter, err);
	if (!ret)
		ret = load(exporter, err);
	if (!ret && exporter->options->strict && sources_up(&exporter->sources) < exporter->sources.n)
		ret = err_set(err, -EIO, "a line could not be attached");
	if (!ret) {
		page_file_turn(exporter, clock_monotonic_ns());
		say_begin(exporter);
		loop(exporter);
	}
	textfile_release(&exporter->file);
	server_free(exporter->server);
	return ret;
}

static int check(struct exporter *exporter, struct err *err)
{
	const char *where = exporter->options->listen;
	int ret = where ? listen_check(where, err) : 0;

	if (!ret)
		ret = load(exporter, err);
	if (ret)
		return ret;
	return exporter->options->families ? check_families(exporter) : check_run(exporter);
}

static int start(struct exporter *exporter, struct err *err)
{
	const struct export_options *options = exporter->options;
	int ret;

	ret = caps_check(err);
	if (ret)
		return ret;
	ret = signals_watch();
	if (ret < 0)
		return err_set(err, ret, "cannot watch for signals: %s", strerror(-ret));
	exporter->run->signals = ret;
	exporter->self.started = clock_wall_ns();
	return options->check || options->families ? check(exporter, err) : serve(exporter, err);
}

/* An error of the configuration is one line that says where; of us, one that says what to do. */
static int say_why(struct exporter *exporter, int ret, struct err *err)
{
	if (ret == -EINTR && exporter->stopping)
		return 0;
	report_err(err, NULL);
	return ret == -EINVAL ? 2 : 1;
}

int export_run(struct run *run, const struct export_options *options, struct err *err)
{
	struct exporter exporter = { .run = run, .options = options };
	int ret;

	if (options->families && !run->args.n)
		return check_all_families();
	run->ctx.usage = !run->args.n;
	if (!run->args.n)
		return err_set(err, -EINVAL,
			       "nothing to export: name a configuration, or give lines such as 'runqlat'");
	ret = options->budget ? budget_new(&exporter.budget, options->budget, err) : 0;
	run->ctx.usage = ret;
	if (ret)
		return ret;
	exporter.host = (struct source_host){
		.sampling = options->budget,
		.should_stop = should_stop,
		.ctx = &exporter,
	};
	ret = systemd_begin(&exporter.systemd);
	if (ret)
		report_error("the service manager's variables are wrong: %s", strerror(-ret));
	ret = start(&exporter, err);
	if (ret < 0)
		ret = say_why(&exporter, ret, err);
	if (exporter.store)
		store_seal(exporter.store);
	budget_free(exporter.budget);
	sources_release(&exporter.sources, NULL);
	store_free(exporter.store);
	metrics_release(&exporter.page);
	str_release(&exporter.text);
	systemd_release(&exporter.systemd);
	return ret;
}
