// SPDX-License-Identifier: BSD-2-Clause
/*
 * talks TEXT...
 *
 * Sends each TEXT through SSL_write() of libssl.so.c, the last through SSL_write_ex(), then reads them all at once by
 * SSL_read(), then fails to read more. Prints "did PID".
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int SSL_write(void *ssl, const void *data, int size);
int SSL_read(void *ssl, void *data, int size);
int SSL_write_ex(void *ssl, const void *data, size_t size, size_t *done);
int SSL_read_ex(void *ssl, void *data, size_t size, size_t *done);

int main(int argc, char **argv)
{
	char back[4096];
	size_t done;

	for (int i = 1; i < argc - 1; i++)
		SSL_write(NULL, argv[i], strlen(argv[i]));
	SSL_write_ex(NULL, argv[argc - 1], strlen(argv[argc - 1]), &done);
	SSL_read(NULL, back, sizeof(back));
	SSL_read(NULL, back, sizeof(back));
	SSL_read_ex(NULL, back, sizeof(back), &done);
	printf("did %d\n", getpid());
	return 0;
}
