// SPDX-License-Identifier: BSD-2-Clause
/*
 * talks TEXT...
 * talks LETTER TEXT
 *
 * Shakes hands, then sends each TEXT through SSL_write() of libssl.so.c, the last through SSL_write_ex(), then reads
 * them all at once by SSL_read(), then fails to read more. With a letter sends one TEXT as programs of GnuTLS (g) or
 * NSS (n) do, and reads it. Prints "did PID".
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int SSL_write(void *ssl, const void *data, int size);
int SSL_read(void *ssl, void *data, int size);
int SSL_do_handshake(void *ssl);
int SSL_write_ex(void *ssl, const void *data, size_t size, size_t *done);
int SSL_read_ex(void *ssl, void *data, size_t size, size_t *done);

ptrdiff_t gnutls_record_send(void *session, const void *data, size_t size);
ptrdiff_t gnutls_record_recv(void *session, void *data, size_t size);
int PR_Write(void *file, const void *data, int size);
int PR_Read(void *file, void *data, int size);

static void talk_elsewhere(char letter, const char *text)
{
	char back[4096];

	if (letter == 'g') {
		gnutls_record_send(NULL, text, strlen(text));
		gnutls_record_recv(NULL, back, sizeof(back));
	} else {
		PR_Write(NULL, text, strlen(text));
		PR_Read(NULL, back, sizeof(back));
	}
}

int main(int argc, char **argv)
{
	char back[4096];
	size_t done;

	if (argc == 3 && strlen(argv[1]) == 1) {
		talk_elsewhere(*argv[1], argv[2]);
		printf("did %d\n", getpid());
		return 0;
	}
	SSL_do_handshake(NULL);
	for (int i = 1; i < argc - 1; i++)
		SSL_write(NULL, argv[i], strlen(argv[i]));
	SSL_write_ex(NULL, argv[argc - 1], strlen(argv[argc - 1]), &done);
	SSL_read(NULL, back, sizeof(back));
	SSL_read(NULL, back, sizeof(back));
	SSL_read_ex(NULL, back, sizeof(back), &done);
	printf("did %d\n", getpid());
	return 0;
}
