// SPDX-License-Identifier: BSD-2-Clause
/*
 * opens [-w FILE] [-t THREADS] N PATH	opens and closes PATH N times in each thread, as fast as it can
 * opens [-w FILE] each-kind		one open of each kind, in a new directory below the current one
 * opens [-w FILE] relative-to DIR...	opens files relative to each DIR: by a descriptor, and from within
 * opens [-w FILE] removed DIR...	the same, but removes each DIR before it opens from within
 *
 * -w waits for somebody to write to the FIFO FILE. The first of the threads is the process's own.
 * The first form prints "did openat SUM"; the others print a fact for each open (workload.h) with the values
 * PID TID PPID UID FLAGS MODE FD ERRNO ERROR PATH FULL_PATH (both as JSON) PATH FULL_PATH (both as shown).
 */
#include <errno.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "workload.h"

#define NASTY "new\nline \033[1m\xff\xc3( \xc3\xa9 back\\slash \"quote\""

static long times;
static const char *path;

/* Opens the FIFO for reading and writing, which does not wait for a writer: so this open is before tracing begins. */
static void wait_for(const char *gate)
{
	int fd = open(gate, O_RDWR);
	char byte;

	if (read(fd, &byte, 1) < 0)
		err(1, "%s", gate);
	close(fd);
}

static void *storm(void *unused)
{
	for (long i = 0; i < times; i++) {
		long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);

		if (fd >= 0)
			syscall(SYS_close, fd);
	}
	return unused;
}

static void run_storm(long threads)
{
	pthread_t thread[64];

	for (long i = 1; i < threads; i++)
		if (pthread_create(&thread[i], NULL, storm, NULL))
			errx(1, "no thread");
	storm(NULL);
	for (long i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("did openat %ld\n", threads * times);
}

/* --- one of each kind --- */

/* What a path is relative to; NULL: nothing that has a path. */
static char *here;

static void tell_path(struct tell *tell, const char *text, void (*add)(struct tell *, const char *))
{
	if (text)
		add(tell, text);
	else
		tell_word(tell, add == tell_shown ? "?" : "null");
}

/* A call returned; text NULL: no path could be read. Returns the file descriptor. */
static long did(const char *call, const char *base, const char *text, long flags, long mode, long ret)
{
	struct tell *tell = tell_begin(call);
	char *full = NULL;

	if (ret < 0)
		ret = -errno;
	if (base && !strcmp(base, "/"))
		base = "";
	if (text && (text[0] == '/' || base) &&
	    asprintf(&full, "%s%s%s", text[0] == '/' ? "" : base, text[0] == '/' ? "" : "/", text) < 0)
		err(1, "memory");
	tell_number(tell, getpid());
	tell_number(tell, gettid());
	tell_number(tell, getppid());
	tell_number(tell, geteuid());
	tell_number(tell, flags);
	tell_number(tell, mode);
	tell_number(tell, ret < 0 ? -1 : ret);
	tell_number(tell, ret < 0 ? -ret : 0);
	tell_error(tell, ret);
	tell_path(tell, text, tell_json);
	tell_path(tell, full, tell_json);
	tell_path(tell, text, tell_shown);
	tell_path(tell, full ? full : text, tell_shown);
	tell_end(tell);
	free(full);
	return ret;
}

static long at(int dir, const char *base, const char *text, long flags, long mode)
{
	return did("openat", base, text, flags, mode, syscall(SYS_openat, dir, text, flags, mode));
}

static void old_calls(void)
{
#ifdef SYS_open
	close(did("open", here, "plain", O_RDONLY, 0, syscall(SYS_open, "plain", O_RDONLY, 0)));
	did("open", here, "none", O_RDWR, 0, syscall(SYS_open, "none", O_RDWR, 0));
	close(did("creat", here, "made", O_CREAT | O_WRONLY | O_TRUNC, 0640, syscall(SYS_creat, "made", 0640)));
#endif
}

static void openat2_call(void)
{
	struct open_how how = { .flags = O_CREAT | O_WRONLY | O_CLOEXEC, .mode = 0600 };

	close(did("openat2", here, "made2", how.flags, how.mode,
		  syscall(SYS_openat2, AT_FDCWD, "made2", &how, sizeof(how))));
	how = (struct open_how){ .flags = O_RDONLY, .resolve = RESOLVE_BENEATH };
	did("openat2", here, "../up", how.flags, 0, syscall(SYS_openat2, AT_FDCWD, "../up", &how, sizeof(how)));
}

static void by_directory(void)
{
	char *sub = NULL;
	int dir = at(AT_FDCWD, here, "sub", O_PATH | O_DIRECTORY, 0);

	if (asprintf(&sub, "%s/sub", here) < 0)
		err(1, "memory");
	close(at(dir, sub, "inner", O_WRONLY | O_TRUNC, 0));
	close(at(dir, sub, "../plain", O_RDONLY, 0));
	close(at(dir, NULL, "/dev/null", O_RDONLY, 0));
	at(999, NULL, "plain", O_RDONLY, 0);
	close(dir);
	close(at(AT_FDCWD, here, "sub", O_RDWR | O_TMPFILE, 0600));
	free(sub);
}

/* "./////plain" */
static void long_path(size_t len)
{
	char *text = calloc(1, len + 1);

	memset(text, '/', len);
	text[0] = '.';
	memcpy(text + len - 5, "plain", 5);
	close(at(AT_FDCWD, here, text, O_RDONLY, 0));
	free(text);
}

/* Only the kernel has read the page. */
static void untouched_path(void)
{
	char page[4096] = "plain";
	const char *text;
	int fd = memfd_create("page", 0);

	if (write(fd, page, sizeof(page)) != sizeof(page))
		err(1, "page");
	text = mmap(NULL, sizeof(page), PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		err(1, "mmap");
	close(did("openat", here, "plain", O_RDONLY, 0, syscall(SYS_openat, AT_FDCWD, text, O_RDONLY, 0)));
	munmap((void *)text, sizeof(page));
	close(fd);
}

/* In a child: it does not become root again. */
static void as_user(void)
{
	if (!fork()) {
		if (setuid(1000))
			err(1, "setuid");
		at(AT_FDCWD, here, "secret", O_RDONLY, 0);
		_exit(0);
	}
	wait(NULL);
}

/* Without opening it. */
static void make_file(const char *name, mode_t mode)
{
	if (mknod(name, S_IFREG | mode, 0))
		err(1, "%s", name);
}

static void each_kind(void)
{
	char dir[] = "opensXXXXXX";

	if (!mkdtemp(dir) || chdir(dir) || chmod(".", 0755))
		err(1, "%s", dir);
	here = getcwd(NULL, 0);
	make_file("plain", 0644);
	make_file("secret", 0600);
	mkdir("sub", 0755);
	make_file("sub/inner", 0644);
	close(at(AT_FDCWD, here, "plain", O_RDWR | O_APPEND, 0));
	old_calls();
	openat2_call();
	by_directory();
	close(at(AT_FDCWD, here, "new", O_CREAT | O_EXCL | O_RDWR, 0604));
	at(AT_FDCWD, here, "new", O_CREAT | O_EXCL | O_RDWR, 0604);
	at(AT_FDCWD, here, "none", O_RDONLY, 0);
	at(AT_FDCWD, here, "", O_RDONLY, 0);
	at(AT_FDCWD, here, NULL, O_RDONLY, 0);
	did("openat", NULL, NULL, O_RDONLY, 0, syscall(SYS_openat, AT_FDCWD, -4096L, O_RDONLY, 0));
	/* the register of the mode has no meaning */
	close(did("openat", here, "plain", O_RDONLY, 0, syscall(SYS_openat, AT_FDCWD, "plain", O_RDONLY, 0777)));
	close(at(AT_FDCWD, here, "plain", O_WRONLY | O_DSYNC, 0));
	close(at(AT_FDCWD, here, "plain", O_WRONLY | O_SYNC, 0));
	for (const size_t *len = (const size_t[]){ 63, 64, 255, 256, 4000, 4094, 4095, 0 }; *len; len++)
		long_path(*len);
	close(at(AT_FDCWD, here, NASTY, O_CREAT | O_WRONLY, 0600));
	untouched_path();
	as_user();
}

/* --- relative to directories --- */

static void relative_to(const char *dir, bool removed)
{
	char cwd[4096];
	int back = at(AT_FDCWD, here, ".", O_PATH, 0), fd = at(AT_FDCWD, here, dir, O_PATH, 0);

	if (fchdir(fd) || !getcwd(cwd, sizeof(cwd)))
		err(1, "%s", dir);
	make_file("file", 0600);
	close(at(fd, cwd, "file", O_RDONLY, 0));
	unlink("file");
	if (removed && (fchdir(back) || rmdir(dir) || fchdir(fd)))
		err(1, "rmdir");
	at(AT_FDCWD, cwd, "none", O_RDONLY, 0);
	if (fchdir(back))
		err(1, "fchdir");
	close(back);
	close(fd);
}

int main(int argc, char **argv)
{
	long threads = 1;
	bool removed;
	int c;

	here = getcwd(NULL, 0);
	while ((c = getopt(argc, argv, "w:t:")) != -1) {
		if (c == 'w')
			wait_for(optarg);
		else if (c == 't')
			threads = atol(optarg);
		else
			return 2;
	}
	argv += optind;
	argc -= optind;
	if (argc == 1 && !strcmp(argv[0], "each-kind")) {
		each_kind();
		return 0;
	}
	removed = argc > 1 && !strcmp(argv[0], "removed");
	if (removed || (argc > 1 && !strcmp(argv[0], "relative-to"))) {
		while (*++argv)
			relative_to(*argv, removed);
		return 0;
	}
	if (argc != 2 || threads < 1 || threads > 64)
		errx(2, "usage: opens [-w FILE] [-t THREADS] N PATH | each-kind | relative-to DIR... | removed DIR...");
	times = atol(argv[0]);
	path = argv[1];
	run_storm(threads);
	return 0;
}
