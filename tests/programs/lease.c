// SPDX-License-Identifier: BSD-2-Clause
/*
 * lease FILE: takes a write lease on a file, so that whoever opens or executes it has to wait, and keeps it until it is
 * killed. Prints "did lease 1" when it has the lease. Nobody else may have the file open.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;

	/* by default the request to give up the lease would end us */
	signal(SIGIO, SIG_IGN);
	if (fd < 0 || fcntl(fd, F_SETLEASE, F_WRLCK))
		err(1, "lease");
	puts("did lease 1");
	fflush(stdout);
	for (;;)
		pause();
}
