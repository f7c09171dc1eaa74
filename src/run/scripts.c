// SPDX-License-Identifier: BSD-2-Clause
/* Finds scripts, and makes tools of them. Does not know what they trace. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>

#include "binary/trusted.h"
#include "lang/check/getopt.h"
#include "lang/text/source.h"
#include "script/script.h"
#include "scripts.h"

#define SUFFIX ".bt"

static const struct opt_lack always_lacks[] = {
	{ "execute include include-dir test bench info", "'sonde trace' has it" },
	{ "max-events name msg-filter kernel-stack user-stack address aggregate print-cpu unix-timestamp string-size "
	  "include-self bin-cmp buffer-pages sym-file-list",
	  "it is for the probes of 'sonde trace'" },
	{ "csv", "scripts print text; -j and -f json print JSON" },
	{ "time timestamp", "the script says itself what its lines begin with" },
};

/* A tool, and what it points to. */
struct scripted {
	struct tool tool;
	struct script_source source;
	struct lang_sources sources;
	struct lang_about about;
	/* Options of the same tool elsewhere, which the script refuses. They follow its own in `options`. */
	vec(struct opt_lack) refused;
	struct str description, args;
	struct opt_lack lacks[ARRAY_SIZE(always_lacks) + 2]; /* the last ends it */
	vec(struct opt) options;
	vec(struct doc_example) examples;
	vec(struct script_argument) arguments;
};

/* --- the directory --- */

/* Whether nobody can change it but root, us and who could change this binary. */
static int check_owner(int fd, const char *path, struct err *err)
{
	struct err why = {};
	struct stat own;

	if (stat("/proc/self/exe", &own))
		return err_set(err, -errno, "cannot look at '%s': %s", path, strerror(errno));
	return trusted_check(fd, (const uid_t[]){ 0, geteuid(), own.st_uid }, 3, NULL, &why)
		       ? err_set(err, why.code, "scripts of '%s' are not used: %s", path, why.text)
		       : 0;
}

static int open_candidate(const char *path, struct str *found)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		str_add(found, path);
	return fd;
}

/* Returns a descriptor, or -errno with err. */
static int open_directory(struct str *path, struct err *err)
{
	static const char *const fixed[] = { "/usr/local/share/sonde", "/usr/share/sonde" };
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	int fd = -1;

	if (n > 0) {
		__free char *beside = NULL, *above = NULL;

		exe[n] = 0;
		beside = base_printf("%s/share/sonde", dirname(exe));
		above = base_printf("%s/../share/sonde", exe); /* dirname() has cut it */
		fd = open_candidate(beside, path);
		if (fd < 0)
			fd = open_candidate(above, path);
	}
	for (size_t i = 0; fd < 0 && i < ARRAY_SIZE(fixed); i++)
		fd = open_candidate(fixed[i], path);
	if (fd < 0)
		return err_set(err, -ENOENT, "there are no scripts");
	n = check_owner(fd, path->data, err);
	if (!n)
		return fd;
	close(fd);
	return n;
}

static bool is_name(const char *name, size_t len)
{
	size_t n = 0;

	while (n < len && (isalnum((unsigned char)name[n]) || (n && strchr("-_", name[n]))))
		n++;
	return n && n == len;
}

/* --- the first comment --- */

static void add_example(struct scripted *script, const char *line)
{
	const char *mark = strstr(line, " # "), *end = mark ? mark : line + strlen(line);
	struct doc_example *example = vec_push(&script->examples);

	while (end > line && end[-1] == ' ')
		end--;
	example->command = pool_addf(&script->about.pool, "%.*s", (int)(end - line), line);
	example->does = mark ? pool_add(&script->about.pool, mark + 3) : "";
}

/* "[INTERVAL=1 [COUNT=0]]": a name with '=' has a default, which the help does not show. */
static void add_arguments(struct scripted *script, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "=[] "), n = 0;
		struct script_argument *argument;

		if (!len) {
			str_addc(&script->args, *text++);
			continue;
		}
		argument = vec_push(&script->arguments);
		argument->name = pool_addf(&script->about.pool, "%.*s", (int)len, text);
		if (text[len] == '=') {
			n = 1 + strcspn(text + len + 1, "[] ");
			argument->otherwise = pool_addf(&script->about.pool, "%.*s", (int)n - 1, text + len + 1);
		}
		str_addn(&script->args, text, len);
		text += len + n;
	}
	str_addc(&script->args, ' ');
}

static const char *behind(const char *line, const char *begin)
{
	size_t len = strlen(begin);

	return strncmp(line, begin, len) ? NULL : line + len;
}

static bool is_within_paragraph(const struct str *text)
{
	return text->len && text->data[text->len - 1] != '\n';
}

/* What the script traces does not happen in the task that it is about. */
static void take_all_tasks(struct scripted *script, const char *why)
{
	script->tool.all_tasks = true;
	script->lacks[ARRAY_SIZE(script->lacks) - 2] =
		(struct opt_lack){ "pid tid cgroup comm uid", pool_add(&script->about.pool, why) };
}

/* "-Y --journal: WHY": the options that have this letter and this name are refused. */
static void add_refused(struct scripted *script, const char *text)
{
	const char *why = strstr(text, ": "), *name = strstr(text, "--");
	struct opt *opt;

	if (!why || !name || name > why)
		return;
	opt = vec_push(&script->options);
	*opt = (struct opt){ .type = OPT_BOOL, .letter = text[1] == '-' ? 0 : text[1] };
	opt->name = pool_addf(&script->about.pool, "%.*s", (int)(why - name) - 2, name + 2);
	opt->help = pool_add(&script->about.pool, why + 2);
	*vec_push(&script->refused) = (struct opt_lack){ opt->name, opt->help };
}

static enum group group_of(const char *title)
{
	for (enum group g = GROUP_SLOW; g < GROUPS; g++)
		if (!strcmp(group_titles[g], title))
			return g;
	return GROUP_OTHERS;
}

/* A line of the comment: of a paragraph, an example, the group, the arguments, about filters, or about options. */
static void read_line(struct scripted *script, const char *line)
{
	const char *rest;

	if ((rest = behind(line, "$ ")))
		add_example(script, rest);
	else if ((rest = behind(line, "group: ")))
		script->tool.group = group_of(rest);
	else if ((rest = behind(line, "args: ")))
		add_arguments(script, rest);
	else if ((rest = behind(line, "all tasks: ")))
		take_all_tasks(script, rest);
	else if ((rest = behind(line, "refused: ")))
		add_refused(script, rest);
	else if (!*line && script->description.len)
		str_add(&script->description, "\n\n");
	else if (*line)
		str_addf(&script->description, "%s%s", is_within_paragraph(&script->description) ? " " : "", line);
}

/* "NAME: what it does", and the rest. */
static void read_comment(struct scripted *script)
{
	__free char *text = base_strdup(script->about.comment);
	char *at = text, *line = strsep(&at, "\n");
	size_t len = strlen(script->tool.name);

	if (!strncmp(line, script->tool.name, len) && line[len] == ':')
		line += len + 1 + (line[len + 1] == ' ');
	script->tool.brief = pool_add(&script->about.pool, line);
	while ((line = strsep(&at, "\n")))
		read_line(script, line);
	while (script->description.len && script->description.data[script->description.len - 1] == '\n')
		script->description.data[--script->description.len] = 0;
	str_add(&script->args, "[-- COMMAND [ARG]...]");
	script->tool.args = script->args.data;
	script->tool.description = str_or_empty(script->description.data);
	script->tool.examples = script->examples.v;
	script->tool.n_examples = script->examples.n;
}

/* --- its options --- */

static int set_text(void *text, const char *arg, struct err *err)
{
	*(const char **)text = arg;
	return 0;
}

static int set_number(void *text, const char *arg, struct err *err)
{
	char *end;

	errno = 0;
	strtoll(arg, &end, 0);
	if (end == arg || *end || errno)
		return err_set(err, -EINVAL, "not a number");
	return set_text(text, arg, err);
}

static int set_bool(void *text, const char *arg, struct err *err)
{
	if (strcmp(arg, "true") && strcmp(arg, "false"))
		return err_set(err, -EINVAL, "not true or false");
	return set_text(text, arg, err);
}

static int set_numbers(void *text, const char *arg, struct err *err)
{
	const char *at = arg;
	char *end;

	do {
		errno = 0;
		strtoll(at, &end, 0);
		if (end == at || (*end && *end != ',') || errno)
			return err_set(err, -EINVAL, "not a list of numbers, such as 80,443");
		at = end + 1;
	} while (*end);
	return set_text(text, arg, err);
}

static void make_option(struct opt *opt, const struct lang_getopt *from, size_t index)
{
	static int (*const setters[])(void *, const char *, struct err *) = {
		[GETOPT_BOOL] = set_bool,
		[GETOPT_NUMBER] = set_number,
		[GETOPT_TEXT] = set_text,
		[GETOPT_NUMBERS] = set_numbers,
	};
	size_t offset = index * sizeof(struct script_given);

	*opt = (struct opt){
		.type = from->kind == GETOPT_FLAG ? OPT_BOOL : OPT_CALL,
		.letter = from->letter,
		.name = strlen(from->name) > 1 ? from->name : NULL,
		.arg = from->argument,
		.help = from->help,
		.offset = offset + offsetof(struct script_given, is_set),
	};
	if (!opt->letter && !opt->name)
		opt->letter = from->name[0];
	if (from->kind == GETOPT_FLAG)
		return;
	opt->offset = offset + offsetof(struct script_given, text);
	opt->call = setters[from->kind];
}

/* --- the tool --- */

static void make_tool(struct scripted *script, const char *name)
{
	const struct lang_source *text = &script->sources.v[0];

	script->tool = (struct tool){
		.name = pool_add(&script->about.pool, name),
		.group = GROUP_OTHERS,
		SCRIPT_ENGINE,
		.source = &script->source,
		.letters = "u:uid",
		.lacks = script->lacks,
	};
	memcpy(script->lacks, always_lacks, sizeof(always_lacks));
	for (size_t i = 0; i < script->about.n; i++)
		make_option(vec_push(&script->options), &script->about.v[i], i);
	read_comment(script);
	vec_push(&script->refused); /* ends it */
	script->source = (struct script_source){
		.path = text->name,
		.text = text->text,
		.len = text->len,
		.options = script->about.v,
		.n_options = script->about.n,
		.arguments = script->arguments.v,
		.n_arguments = script->arguments.n,
	};
	script->tool.settings_size = script->about.n * sizeof(struct script_given);
	script->tool.options = script->options.v;
	script->tool.refuses = script->refused.v;
	script->tool.n_options = script->options.n;
}

/* All that were asked for. They live as long as the process, as other tools do. */
static struct {
	vec(const struct tool *);
} known;

static const struct tool *open_script(int dir, const char *dir_path, const char *name, struct err *err)
{
	__free char *file = base_printf("%s" SUFFIX, name), *path = base_printf("%s/%s", dir_path, file);
	int fd __close = openat(dir, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct scripted *script;
	uint32_t index;
	int ret;

	if (fd < 0) {
		err_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
		return NULL;
	}
	if (check_owner(fd, path, err))
		return NULL;
	script = base_alloc(sizeof(*script));
	ret = lang_sources_read_open(&script->sources, fd, path, &index, err);
	if (!ret)
		ret = lang_about_read(&script->about, path, script->sources.v[0].text, script->sources.v[0].len, err);
	if (ret) {
		lang_about_release(&script->about);
		lang_sources_release(&script->sources);
		free(script);
		return NULL;
	}
	make_tool(script, name);
	*vec_push(&known) = &script->tool;
	return &script->tool;
}

const struct tool *scripts_find(const char *name, struct err *err)
{
	__str struct str path = {};
	int dir __close = -1;

	vec_each(tool, &known)
		if (!strcmp((*tool)->name, name))
			return *tool;
	if (!is_name(name, strlen(name))) {
		err_set(err, -ENOENT, "there is no such script");
		return NULL;
	}
	dir = open_directory(&path, err);
	return dir < 0 ? NULL : open_script(dir, path.data, name, err);
}

const struct tool *const *scripts_list(size_t *n)
{
	__str struct str path = {};
	struct err err = {};
	int fd = open_directory(&path, &err);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *suffix = strstr(entry->d_name, SUFFIX);
		size_t len = suffix && !suffix[strlen(SUFFIX)] ? (size_t)(suffix - entry->d_name) : 0;
		__free char *name = base_strndup(entry->d_name, len);

		if (is_name(name, len))
			scripts_find(name, &err);
	}
	if (dir)
		closedir(dir);
	*n = known.n;
	return known.v;
}
