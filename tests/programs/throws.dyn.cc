// SPDX-License-Identifier: BSD-2-Clause
/*
 * throws [-w FIFO] CASE
 *
 * Exceptions that pass functions r_*: as returns.dyn.c, in C++. The unwinder reads the return addresses on the stack.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

#define PROBED extern "C" __attribute__((noinline, noclone))

static int destroyed;
static volatile int sum;

struct Guard {
	~Guard()
	{
		destroyed++;
	}
};

PROBED int r_throws(int value)
{
	if (value % 2)
		throw std::runtime_error("odd " + std::to_string(value));
	return value;
}

PROBED int r_middle(int value)
{
	Guard guard;

	sum += value;
	return r_throws(value) + 1;
}

PROBED int r_rethrows(int value)
{
	try {
		return r_middle(value) + 1;
	} catch (const std::exception &) {
		destroyed += 100;
		throw;
	}
}

PROBED int r_catches(int value)
{
	try {
		return r_rethrows(value);
	} catch (const std::runtime_error &error) {
		return error.what()[4] - '0';
	}
}

/* A destructor that catches another exception meanwhile. */
struct Nested {
	~Nested()
	{
		destroyed += r_catches(3);
	}
};

PROBED int r_nested(int value)
{
	Nested nested;

	return r_throws(value);
}

/* Exceptions that main catches; those that a function within catches; those that pass while others are caught. */
static int thrown()
{
	int caught = 0, all = 0;

	for (int i = 0; i < 10; i++) {
		try {
			all += r_middle(i);
		} catch (const std::exception &error) {
			caught += !strncmp(error.what(), "odd ", 4);
		}
	}
	printf("caught %d, all %d, destroyed %d\n", caught, all, destroyed);
	puts("did r_middle 5\ndid r_throws 5\nleft r_middle 5\nleft r_throws 5");
	return 0;
}

static int rethrown()
{
	int all = 0;

	for (int i = 0; i < 10; i++)
		all += r_catches(i);
	printf("all %d, destroyed %d\n", all, destroyed);
	puts("did r_catches 10\ndid r_rethrows 5\ndid r_middle 5\ndid r_throws 5");
	puts("left r_rethrows 5\nleft r_middle 5\nleft r_throws 5");
	return 0;
}

static int nested()
{
	int caught = 0;

	for (int i = 1; i < 10; i += 2) {
		try {
			r_nested(i);
		} catch (...) {
			caught++;
		}
	}
	printf("caught %d, destroyed %d\n", caught, destroyed);
	puts("did r_catches 5\nleft r_nested 5");
	return 0;
}

/* Nobody catches it: the program decides how it ends. */
static int terminated()
{
	std::set_terminate([] {
		puts("terminated");
		fflush(stdout);
		_exit(3);
	});
	puts("left r_middle 1");
	return r_middle(1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)();
	} cases[] = {
		{ "thrown", thrown },
		{ "rethrown", rethrown },
		{ "nested", nested },
		{ "terminated", terminated },
	};

	if (argc > 2 && !strcmp(argv[1], "-w")) {
		char byte;
		int fd = open(argv[2], O_RDONLY);

		if (fd < 0 || read(fd, &byte, 1) < 0)
			return 1;
		close(fd);
		argv += 2;
		argc -= 2;
	}
	for (const auto &it : cases)
		if (argc == 2 && !strcmp(argv[1], it.name))
			return it.run();
	fputs("usage: throws [-w FIFO] CASE\n", stderr);
	return 2;
}
