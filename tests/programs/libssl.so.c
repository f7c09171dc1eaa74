// SPDX-License-Identifier: BSD-2-Clause
/*
 * Replaces the real library for talks.dyn.c: a "connection" is memory, in which bytes are changed as if they were
 * encrypted. What is written can be read again. A read of nothing fails. Has what is called in GnuTLS and NSS, too.
 */
#include <stddef.h>

static unsigned char sent[65536];
static size_t begin, end;

int SSL_write(void *ssl, const void *data, int size)
{
	const unsigned char *from = data;

	for (int i = 0; i < size; i++)
		sent[end++] = from[i] ^ 0x55;
	return size;
}

int SSL_read(void *ssl, void *data, int size)
{
	unsigned char *to = data;
	int n = 0;

	while (n < size && begin < end)
		to[n++] = sent[begin++] ^ 0x55;
	return n ? n : -1;
}

int SSL_do_handshake(void *ssl)
{
	return 1;
}

int SSL_write_ex(void *ssl, const void *data, size_t size, size_t *done)
{
	*done = SSL_write(ssl, data, size);
	return 1;
}

int SSL_read_ex(void *ssl, void *data, size_t size, size_t *done)
{
	int n = SSL_read(ssl, data, size);

	*done = n > 0 ? n : 0;
	return n > 0;
}

ptrdiff_t gnutls_record_send(void *session, const void *data, size_t size)
{
	return SSL_write(session, data, size);
}

ptrdiff_t gnutls_record_recv(void *session, void *data, size_t size)
{
	return SSL_read(session, data, size);
}

int PR_Write(void *file, const void *data, int size)
{
	return SSL_write(file, data, size);
}

int PR_Read(void *file, void *data, int size)
{
	return SSL_read(file, data, size);
}
