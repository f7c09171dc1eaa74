// SPDX-License-Identifier: BSD-2-Clause
/* The script engine as tools see it: its options and its rows. */
#include "engine/probes.h"
#include "script_part.h"

#define BUFFER_MAX (1024 * 1024 * 1024)

static const char *const bufferings[] = { "line", "full", "none", NULL };

/* bpftrace's -d names a stage of its compiler. */
static int set_duration(void *duration, const char *arg, struct err *err)
{
	int ret = opt_seconds(arg, duration);

	if (!ret)
		return 0;
	if (ret != -EINVAL)
		return err_set(err, ret, "the time is too long or too short");
	return err_set(err, -EINVAL,
		       "-d takes a duration (10, 500ms, 2m); bpftrace's -d (compiler stages) is not supported: "
		       "-v reports each step, --dry-run only tries the program");
}

static const struct opt options[] = {
	OPT(OPT_STRING, struct script_settings, program, 'e', "execute", "PROGRAM",
	    "the program itself, in place of a file"),
	OPT(OPT_STRING, struct script_settings, format, 'f', "format", "FORMAT", "bpftrace's text or json"),
	OPT(OPT_STRING, struct script_settings, file, 'o', "output", "FILE", "write to FILE in place of stdout"),
	OPT(OPT_CHOICE, struct script_settings, buffering, 'B', "buffering", "MODE",
	    "write each line, when the buffer is full, or at once", .choices = bufferings),
	OPT(OPT_LIST, struct script_settings, include_dirs, 'I', "include-dir", "DIR",
	    "where to look for files that the program includes; may be repeated"),
	OPT(OPT_LIST, struct script_settings, includes, 0, "include", "FILE",
	    "include FILE before the program; may be repeated"),
	OPT(OPT_CALL, struct script_settings, duration, 'd', "duration", "SECONDS", "stop after SECONDS",
	    .call = set_duration),
	OPT(OPT_BOOL, struct script_settings, list, 'l', "list", NULL,
	    "list what can be probed, all that matches FILE as a pattern, or what the program attaches to; -v: with "
	    "arguments and types"),
	OPT(OPT_BOOL, struct script_settings, faults, 'k', "report-faults", NULL,
	    "warn at each read of memory that failed"),
	OPT(OPT_BOOL, struct script_settings, faults, 0, "warnings", NULL, "the same, as bpftrace calls it"),
	OPT(OPT_BOOL, struct script_settings, is_unsafe, 0, "unsafe", NULL,
	    "allow what changes the system: system(), signal(), override(), write_user()"),
	OPT(OPT_BOOL, struct script_settings, compat, 0, "compat", NULL,
	    "variables outlive the block that they are first assigned in, as before bpftrace 0.22"),
	PROBES_FORCE(struct script_settings, force),
	OPT(OPT_BOOL, struct script_settings, dry_run, 0, "dry-run", NULL, "attach all probes, then end"),
	OPT(OPT_BOOL, struct script_settings, info, 0, "info", NULL, "print what this kernel has for programs"),
	OPT(OPT_BOOL, struct script_settings, all_semaphores, 0, "usdt-file-activation", NULL,
	    "accepted for compatibility; USDT semaphores are always activated by file"),
	OPT(OPT_BOOL, struct script_settings, test, 0, "test", NULL, "run the test probes, one after the other"),
	OPT(OPT_BOOL, struct script_settings, bench, 0, "bench", NULL, "measure the bench probes"),
	OPT(OPT_CALL, struct script_settings, probe_filter, 0, "probe-filter", "REGEX",
	    "only the probes whose name REGEX matches, as -l prints it, and begin and end", .call = regex_set,
	    .release = regex_release),
	OPT(OPT_BOOL, struct script_settings, no_warnings, 0, "no-warnings", NULL, "print no warnings"),
	OPT(OPT_U64, struct script_settings, buffer_size, 0, "buffer-size", "BYTES",
	    "size of the event buffer, with k, M or G: 2M", .min = 4096, .max = BUFFER_MAX),
	OPT(OPT_CHOICE, struct script_settings, mech, 0, "mechanism", "NAME", "attach by this mechanism only",
	    .choices = mech_names),
	OPT(OPT_BOOL, struct script_settings, fail_on_loss, 0, "fail-on-loss", NULL,
	    "exit with 1 if an event was lost"),
	OPT(OPT_U32, struct script_settings, bcc.max_events, 'M', "max-events", "N",
	    "PROBE: end after N lines", .min = 1),
	OPT(OPT_STRING, struct script_settings, bcc.name, 'n', "name", "NAME",
	    "PROBE: only tasks whose name contains NAME"),
	OPT(OPT_STRING, struct script_settings, bcc.contains, 0, "msg-filter", "TEXT",
	    "PROBE: only messages that contain TEXT; -f too"),
	OPT(OPT_BOOL, struct script_settings, bcc.kernel, 'K', "kernel-stack", NULL, "PROBE: print kernel stacks"),
	OPT(OPT_BOOL, struct script_settings, bcc.user, 'U', "user-stack", NULL, "PROBE: print user stacks"),
	OPT(OPT_BOOL, struct script_settings, bcc.addresses, 'a', "address", NULL, "PROBE: addresses in stacks"),
	OPT(OPT_BOOL, struct script_settings, bcc.totals, 'A', "aggregate", NULL,
	    "PROBE: print equal lines once, at the end, with their number"),
	OPT(OPT_BOOL, struct script_settings, bcc.cpu, 'C', "print-cpu", NULL, "PROBE: print the processor"),
	OPT(OPT_BOOL, struct script_settings, bcc.unix_time, 'u', "unix-timestamp", NULL,
	    "PROBE: -t prints the seconds since 1970"),
	OPT(OPT_U32, struct script_settings, bcc.string_size, 'Z', "string-size", "N",
	    "PROBE: at most N bytes of a string",
	    .min = 1, .max = 4096),
	OPT(OPT_BOOL, struct script_settings, bcc.with_self, 'S', "include-self", NULL,
	    "PROBE: also events of sonde itself"),
	OPT(OPT_BOOL, struct script_settings, bcc.binary, 0, "bin-cmp", NULL,
	    "PROBE: STRCMP(\"{0x6c, 0}\", p) compares bytes (bcc's -B)"),
	OPT(OPT_U32, struct script_settings, bcc.pages, 'b', "buffer-pages", "N",
	    "PROBE: N pages for each processor's events",
	    .min = 1, .max = 65536),
	OPT(OPT_STRING, struct script_settings, bcc.symbols, 's', "sym-file-list", "FILES",
	    "PROBE: accepted; processes that have ended have names without it"),
};

/* The columns are the program's: see engine.tables(). */
const struct schema script_schema = {};

/* Programs have no options of bcc's trace. */
static int check_settings(const struct engine_instance *instance, struct err *err)
{
	static const struct script_bcc_settings none;
	const struct script_settings *settings = instance->settings;

	if (settings->format && strcmp(settings->format, "text") && strcmp(settings->format, "json"))
		return err_set(err, -EINVAL, "--format '%s' is neither text nor json", settings->format);
	if (instance->ctx->time || instance->ctx->timestamp)
		return err_set(err, -EINVAL, "-T and -t are for bcc's probes: programs print times "
					     "themselves, by time() and strftime()");
	if (memcmp(&settings->bcc, &none, sizeof(none)))
		return err_set(err, -EINVAL, "-M -n -K -U -a -A -C -u -Z -S -b -s are for bcc's probes: "
					     "programs have filters, exit(), kstack ...");
	return 0;
}

static int open_engine(struct engine_instance *instance, struct err *err)
{
	const struct script_settings *settings = instance->settings;
	int ret;

	if (settings->duration)
		instance->ctx->duration = settings->duration;
	if (script_is_bcc(instance))
		return script_open(instance, &script_bcc, err);
	ret = check_settings(instance, err);
	instance->ctx->usage = ret;
	return ret ? ret : script_open(instance, &script_language, err);
}

const struct engine script_engine = {
	.options_title = "program",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.settings_size = sizeof(struct script_settings),
	.open = open_engine,
	.armed = script_armed,
	.snapshot = script_snapshot,
	.tables = script_tables,
	.emit = script_emit,
	.take = script_take,
	.losses = script_losses,
	.stats = script_stats,
	.attachment = script_attachment,
	.close = script_close,
};
