// SPDX-License-Identifier: BSD-2-Clause
/*
 * rusty
 *
 * Functions by the names that rustc 1.97 gave to those of a crate "shop": with the legacy mangling, and with v0
 * (-C symbol-mangling-version=v0). Prints "did SYMBOL COUNT" for each.
 */
#include <stdio.h>

#define FUNCTIONS(f) \
	f(legacy_add, "_ZN4shop4cart4Cart3add17h20292be173911a63E", 3) \
		f(legacy_twice_u32, "_ZN4shop4cart5twice17hdac550a2f9515f42E", 2) \
			f(legacy_twice_u64, "_ZN4shop4cart5twice17h5f2b0a1c7d3e9846E", 4) \
				f(legacy_price, "_ZN54_$LT$shop..cart..Cart$u20$as$u20$shop..cart..Price$GT$5price17h17658ac4dc98eb46E", 5) \
					f(v0_add, "_RNvMNtCsiFFU9vsPtRy_4shop4cartNtB2_4Cart3add", 6) \
						f(v0_twice, "_RINvNtCsiFFU9vsPtRy_4shop4cart5twicemEB4_", 7) \
							f(v0_price, "_RNvXs_NtCsiFFU9vsPtRy_4shop4cartNtB4_4CartNtB4_5Price5price", 8) \
								f(v0_size, "_RNvNtCsiFFU9vsPtRy_4shop4cartu9gre_6ka8i", 9)

#define DEFINE(name, symbol, n) \
	__attribute__((noinline, noclone)) void name(void) __asm__(symbol); \
	void name(void) \
	{ \
		__asm__ volatile("" :: \
					 : "memory"); \
	}
#define CALL(name, symbol, n) \
	for (int i = 0; i < n; i++) \
		name(); \
	printf("did %s %d\n", symbol, n);

FUNCTIONS(DEFINE)

int main(void)
{
	FUNCTIONS(CALL)
	return 0;
}
