// SPDX-License-Identifier: BSD-2-Clause
/* marker: creates the directory /marks/ran. Replaces programs that sonde must not run. */
#include <sys/stat.h>

int main(void)
{
	return mkdir("/marks/ran", 0700);
}
