// SPDX-License-Identifier: BSD-2-Clause
/* Says that it is HotSpot, with a table that says nothing. No process must harm who looks at it. */
extern const void *const gHotSpotVMStructs;
int AsyncGetCallTrace(void);

static const unsigned long long nothing[6];
const void *const gHotSpotVMStructs = nothing;

int AsyncGetCallTrace(void)
{
	return 0;
}
