// SPDX-License-Identifier: BSD-2-Clause
/* What deeps calls through its PLT. */
long nothing(long n);

long nothing(long n)
{
	return n * 31 + 7;
}
