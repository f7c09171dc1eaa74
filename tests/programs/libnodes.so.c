// SPDX-License-Identifier: BSD-2-Clause
/* Says that it has V8 12.9, whose frames nobody has looked at. No process must harm who looks at it. */
extern const int _ZN2v88internal7Version6major_E, _ZN2v88internal7Version6minor_E;
int _ZN2v82V810GetVersionEv(void);

const int _ZN2v88internal7Version6major_E = 12;
const int _ZN2v88internal7Version6minor_E = 9;

int _ZN2v82V810GetVersionEv(void)
{
	return 0;
}
