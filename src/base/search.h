/* SPDX-License-Identifier: BSD-2-Clause */
/* Binary search, for every sorted array. */
#ifndef SONDE_BASE_SEARCH_H
#define SONDE_BASE_SEARCH_H

#include <stddef.h>

/*
 * Returns the lowest index below n for which the condition is true, or n. The condition is an expression in the
 * index, whose name is the first argument. If it is true for one index, it must be true for all higher ones. To
 * find the first element that is not less than a key:
 *	at = search_first(i, array->n, array->v[i].addr >= addr);
 * The last element that is not greater is the one before the first that is greater, unless `at` is 0:
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
