// SPDX-License-Identifier: BSD-2-Clause
/* marker: leaves a mark, the directory /marks/ran. It takes the place of programs that nobody may run. */
#include <sys/stat.h>

int main(void)
{
	return mkdir("/marks/ran", 0700);
}
