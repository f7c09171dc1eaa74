// SPDX-License-Identifier: BSD-2-Clause
/*
 * execs [-w FILE] [-v] N PROGRAM	a child executes PROGRAM, N times, as fast as it can
 * execs [-w FILE] MODES...		e: an exec of each kind; f: each that fails; l: with long arguments;
 *					c: failing ones with more arguments than anybody looks at
 *
 * -w waits until FILE can be opened and read; -v forks by vfork.
 * The first prints "did exec N". The others tell a fact (execs.h) for each exec, in files of the current directory: who
 * is executed is /bin/execd, which tells it itself; what fails is told by the caller.
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

/* --- each in a child of its own, which ends with it --- */

/* Arguments are copied first: of a failing exec a tool reads them only where they are in memory already. */
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

/* In front of the script's own arguments stand so many words that nobody typed. */
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

/* Each is the interpreter of the next; five are as many as the kernel follows. */
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

/* --- that fail --- */

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

/* An argument that nobody has looked at, the kernel neither. */
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

/* More than the first look takes. */
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

static const struct {
	char mode;
	void (*exec)(void);
} kinds[] = {
	{ 'e', plain },
	{ 'e', with_arguments },
	{ 'e', with_another_name },
	{ 'e', with_nasty_arguments },
	{ 'e', as_user },
	{ 'e', in_directory },
	{ 'e', by_descriptor },
	{ 'e', by_thread },
	{ 'e', script },
	{ 'e', script_without_option },
	{ 'e', script_of_scripts },
	{ 'e', orphan },
	{ 'e', in_new_pidns },
	{ 'f', no_such_file },
	{ 'f', not_executable },
	{ 'f', no_format },
	{ 'f', no_interpreter },
	{ 'f', failing_at },
	{ 'f', failing_long_name },
	{ 'f', failing_more },
	{ 'c', failing_cut },
	{ 'c', failing_unread },
	{ 'l', three_hundred },
	{ 'l', long_argument },
	{ 'l', long_line },
};

/* Unless a gate has held us: then that was before anybody watched. */
static void tell_own(char **argv)
{
	tell_exec(0, (const char *)getauxval(AT_EXECFN), argv, argv + 1);
}

static void each_of(char mode)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kinds[i].mode != mode)
			continue;
		if (!fork()) {
			kinds[i].exec();
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
	if (argc - optind == 2) {
		storm(atol(argv[0]), virtual, argv[1]);
		return 0;
	}
	if (argc - optind != 1)
		errx(2, "usage: execs [-w FILE] [-v] N PROGRAM | MODES");
	if (!gated)
		tell_own(args);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (const char *mode = argv[0]; *mode; mode++)
		each_of(*mode);
	return 0;
}
