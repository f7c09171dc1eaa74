/* SPDX-License-Identifier: BSD-2-Clause */
/* Binary search, for every sorted array. */
#ifndef SONDE_SEARCH_H
#define SONDE_SEARCH_H

#include <stddef.h>

/*
 * The lowest index below n at which a condition holds, or n. The condition is an expression in the index, for which a name is
 * given; where it holds once, it must hold for all indices above. The first element that is not less than a key:
 *	at = search_first(i, array->n, array->v[i].addr >= addr);
 * The last one that is not greater, if at is not 0, is before the first that is greater:
 *	at = search_first(i, array->n, array->v[i].addr > addr);
 *	found = at ? &array->v[at - 1] : NULL;
 */
#define search_first(i, n, condition) \
	({ \
		size_t _low = 0, _high = (n); \
		while (_low < _high) { \
			size_t i = _low + (_high - _low) / 2; \
			if (condition) \
				_high = i; \
			else \
				_low = i + 1; \
		} \
		_low; \
	})

#endif
