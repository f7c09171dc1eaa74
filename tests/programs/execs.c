// SPDX-License-Identifier: BSD-2-Clause
/*
 * execs [-w FILE] [-v] N PROGRAM	a child executes PROGRAM, N times, as fast as it can
 * execs [-w FILE] KIND...		all execs of these kinds, one after the other:
 *	succeed		one of each way to execute a program
 *	fail		one of each way to fail
 *	long		with many or long arguments
 *	fail-long	that fail, with more arguments than sonde reads
 *
 * -w waits until FILE can be opened and read; -v forks by vfork.
 * The first form prints "did exec N". The second writes a fact (execs.h) for each exec, to files in the current
 * directory: where it succeeds /bin/execd is executed and writes it, where it fails the caller does.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "execs.h"

#define EXECD "/bin/execd"
#define NASTY "new\nline \033[1m\xff\xc3( \xc3\xa9 back\\slash \"quote\" it's $HOME `id` tab\t"

extern char **environ;

static void exec_once(bool virtual, char *const *argv)
{
	pid_t pid = virtual ? vfork() : fork();

	if (!pid) {
		execve(argv[0], argv, environ);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		err(1, "fork");
}

static void storm(long n, bool virtual, char *program)
{
	for (long i = 0; i < n; i++)
		exec_once(virtual, (char *[]){ program, NULL });
	printf("did exec %ld\n", n);
}

/* --- execs that succeed, each in a child of its own --- */

/* Copies the arguments first: a tool can read those of a failed exec only if their pages are present. */
static void exec_path(const char *path, char *const *argv)
{
	char *args[1024] = { NULL };

	for (int i = 0; argv[i]; i++)
		args[i] = strdup(argv[i]);
	execve(path, args, environ);
	tell_exec(-errno, path, args, args + !!args[0]);
}

#define EXEC(path, ...) exec_path(path, (char *[]){ __VA_ARGS__, NULL })

static void plain(void)
{
	EXEC(EXECD, "execd");
}

static void with_arguments(void)
{
	EXEC(EXECD, "execd", "-n", "one two", "", "three");
}

static void with_another_name(void)
{
	EXEC(EXECD, "-another", "x");
}

static void with_nasty_arguments(void)
{
	EXEC(EXECD, "execd", NASTY, "'", "\"", "\\", "~", "*", "a=b", "\033"
								      "41",
	     "\xff"
	     "f",
	     "#", "!", "\\n", "\n");
}

static void as_user(void)
{
	if (setuid(1000))
		err(1, "setuid");
	EXEC(EXECD, "execd", "user");
}

static void in_directory(void)
{
	syscall(SYS_execveat, open("/bin", O_PATH), "execd", ((char *[]){ "execd", "at", NULL }), environ, 0);
	err(1, "execveat");
}

static void by_descriptor(void)
{
	syscall(SYS_execveat, open(EXECD, O_PATH), "", ((char *[]){ "execd", "fd", NULL }), environ, AT_EMPTY_PATH);
	err(1, "execveat");
}

static void *in_thread(void *unused)
{
	EXEC(EXECD, "execd", "thread");
	return unused;
}

static void by_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, in_thread, NULL))
		errx(1, "no thread");
	pthread_join(thread, NULL);
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, mode);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "%s", name);
	close(fd);
}

/* untyped: how many words that nobody typed precede the arguments of the script. */
static void exec_script(char *path, const char *untyped)
{
	setenv("UNTYPED", untyped, 1);
	EXEC(path, "lost", "a", "b c");
}

static void script(void)
{
	write_file("script", "#!" EXECD " -e\n", 0755);
	exec_script("./script", "3");
}

static void script_without_option(void)
{
	write_file("bare", "#! " EXECD "\n", 0755);
	exec_script("./bare", "2");
}

/* Each script is the interpreter of the next. The kernel follows five at most. */
static void script_of_scripts(void)
{
	char *cwd = getcwd(NULL, 0), *line = NULL, name[16] = "script0";

	write_file(name, "#!" EXECD " -e\n", 0755);
	for (int i = 1; i < 5; i++) {
		if (asprintf(&line, "#!%s/%s x\n", cwd, name) < 0)
			err(1, "memory");
		snprintf(name, sizeof(name), "script%d", i);
		write_file(name, line, 0755);
		free(line);
	}
	free(cwd);
	exec_script(name, "11");
}

/* execs itself adopts it. */
static void orphan(void)
{
	pid_t parent = getpid();

	if (fork())
		return;
	while (getppid() == parent)
		sched_yield();
	EXEC(EXECD, "execd", "orphan");
}

static void in_new_pidns(void)
{
	pid_t pid = syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);

	if (pid < 0)
		err(1, "clone");
	if (!pid)
		EXEC(EXECD, "execd", "pidns");
	waitpid(pid, NULL, 0);
}

/* --- execs that fail --- */

static void no_such_file(void)
{
	EXEC("/no/such/program", "program", "a b", "", NASTY);
}

static void not_executable(void)
{
	write_file("data", "", 0644);
	EXEC("data", "data");
}

static void no_format(void)
{
	write_file("text", "echo\n", 0755);
	EXEC("./text", "text", "x");
}

static void no_interpreter(void)
{
	write_file("broken", "#!/no/such/interpreter -x\n", 0755);
	EXEC("./broken", "other", "x");
}

static void failing_at(void)
{
	static char *argv[] = { "execd", "x", NULL };

	syscall(SYS_execveat, open("/bin", O_PATH), "nothing", argv, environ, 0);
	tell_exec(-errno, "nothing", argv, argv + 1);
}

/* An argument whose page is not present: nobody has read it, not even the kernel. */
static void failing_unread(void)
{
	int fd = memfd_create("page", 0);
	char *argv[] = { "execd", "x", NULL, NULL };

	if (write(fd, "unread", 6) != 6)
		err(1, "page");
	argv[2] = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (argv[2] == MAP_FAILED)
		err(1, "mmap");
	execve("/none", argv, environ);
	tell_exec(-errno, "/none", argv, argv + 1);
}

/* Of n bytes. */
static char *filled(size_t n, char c)
{
	char *text = calloc(1, n + 1);

	if (!text)
		err(1, "memory");
	memset(text, c, n);
	return text;
}

/* n arguments of so many bytes, each of one letter. */
static void exec_many(const char *path, int n, size_t bytes)
{
	char **argv = calloc(n + 2, sizeof(*argv));

	argv[0] = "execd";
	for (int i = 1; i <= n; i++)
		argv[i] = filled(bytes, 'a' + i % 26);
	exec_path(path, argv);
}

static void failing_long_name(void)
{
	for (const int *n = (const int[]){ 254, 255, 256, 4000, 4095, 0 }; *n; n++) {
		char *path = filled(*n, '/');

		memcpy(path + *n - 5, "/none", 5);
		EXEC(path, "none", "x");
		free(path);
	}
}

/* More arguments than sonde reads at its first try. */
static void failing_more(void)
{
	exec_many("/none", 30, 3);
	exec_many("/none", 254, 3);
	exec_many("/none", 2, 256);
	exec_many("/none", 3, 4000);
}

static void failing_cut(void)
{
	exec_many("/none", 255, 3);
	exec_many("/none", 1, 4096);
	exec_many(EXECD, 1, 200000);
	exec_many("/none", 20, 4000);
}

/* --- long ones --- */

static void three_hundred(void)
{
	exec_many(EXECD, 300, 3);
}

static void long_argument(void)
{
	exec_many(EXECD, 1, 100000);
}

/* The kernel takes no more than 2 MB, with the environment and the pointers. */
static void long_line(void)
{
	exec_many(EXECD, 15, 100000);
}

enum kind {
	SUCCEED,
	FAIL,
	LONG,
	FAIL_LONG,
	N_KINDS,
};

static const char *const kind_names[] = {
	[SUCCEED] = "succeed",
	[FAIL] = "fail",
	[LONG] = "long",
	[FAIL_LONG] = "fail-long",
};

static const struct {
	enum kind kind;
	void (*exec)(void);
} execs[] = {
	{ SUCCEED, plain },
	{ SUCCEED, with_arguments },
	{ SUCCEED, with_another_name },
	{ SUCCEED, with_nasty_arguments },
	{ SUCCEED, as_user },
	{ SUCCEED, in_directory },
	{ SUCCEED, by_descriptor },
	{ SUCCEED, by_thread },
	{ SUCCEED, script },
	{ SUCCEED, script_without_option },
	{ SUCCEED, script_of_scripts },
	{ SUCCEED, orphan },
	{ SUCCEED, in_new_pidns },
	{ FAIL, no_such_file },
	{ FAIL, not_executable },
	{ FAIL, no_format },
	{ FAIL, no_interpreter },
	{ FAIL, failing_at },
	{ FAIL, failing_long_name },
	{ FAIL, failing_more },
	{ FAIL_LONG, failing_cut },
	{ FAIL_LONG, failing_unread },
	{ LONG, three_hundred },
	{ LONG, long_argument },
	{ LONG, long_line },
};

/* Tells this program's own exec. Not where a gate has held it: that exec was before anybody watched. */
static void tell_own(char **argv)
{
	tell_exec(0, (const char *)getauxval(AT_EXECFN), argv, argv + 1);
}

static _Noreturn void usage(void)
{
	errx(2, "usage: execs [-w FILE] [-v] N PROGRAM | succeed | fail | long | fail-long ...");
}

static enum kind kind_of(const char *name)
{
	for (int kind = 0; kind < N_KINDS; kind++)
		if (!strcmp(kind_names[kind], name))
			return kind;
	usage();
}

static void each_of(enum kind kind)
{
	for (size_t i = 0; i < sizeof(execs) / sizeof(*execs); i++) {
		if (execs[i].kind != kind)
			continue;
		if (!fork()) {
			execs[i].exec();
			_exit(0);
		}
		while (wait(NULL) > 0)
			;
	}
}

int main(int argc, char **argv)
{
	bool virtual = false, gated = false;
	char **args = argv;
	int c;

	while ((c = getopt(argc, argv, "w:v")) != -1) {
		if (c == 'v')
			virtual = true;
		else if (c == 'w')
			workload_wait(optarg);
		else
			return 2;
		gated |= c == 'w';
	}
	argv += optind;
	if (argc - optind == 2 && atol(argv[0])) {
		storm(atol(argv[0]), virtual, argv[1]);
		return 0;
	}
	if (!*argv)
		usage();
	for (char **name = argv; *name; name++)
		kind_of(*name);
	if (!gated)
		tell_own(args);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (char **name = argv; *name; name++)
		each_of(kind_of(*name));
	return 0;
}
