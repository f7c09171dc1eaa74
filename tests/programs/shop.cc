// SPDX-License-Identifier: BSD-2-Clause
/*
 * shop ITEMS
 *
 * C++ functions whose names are mangled, each in its own way: overloads, a class in a namespace, operators, a
 * template, two constructors. Adds ITEMS items, and prints "did SYMBOL COUNT" for each function.
 */
#include <cstdio>
#include <cstdlib>

#define KEPT __attribute__((noinline, noclone, used))
#define HERE asm volatile("" ::: "memory")

namespace shop
{
struct Shelf {
	Shelf() { HERE; }
	long sum = 0;
};

/* A virtual base: the constructor of the whole object is another function than that of the part. */
struct Cart : virtual Shelf {
	Cart() { HERE; }
	KEPT void add(int n, const char *name) { HERE; sum += n + !name; }
	KEPT long total() const { HERE; return sum; }
	KEPT Cart &operator*(int n) { HERE; sum *= n; return *this; }
	KEPT long &operator[](unsigned long) { HERE; return sum; }
};

struct Big : Cart {
	Big() { HERE; }
};
}

KEPT static int fib(int n)
{
	HERE;
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

KEPT static long fib(long n)
{
	HERE;
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

template <class T> KEPT T twice(T x)
{
	HERE;
	return x + x;
}

extern "C" KEPT int plain(int x)
{
	HERE;
	return x;
}

int main(int argc, char **argv)
{
	int items = argc > 1 ? atoi(argv[1]) : 3;
	shop::Cart cart;
	shop::Big big;
	long sum = 0;

	for (int i = 0; i < items; i++)
		cart.add(i, argv[0]);
	for (int i = 0; i < 2; i++)
		cart * 2;
	sum = cart.total() + cart[0] + big.total() + fib(5) + fib(6L) + twice(1) + twice(2) + (long)twice(1.5) +
	      plain(1);
	printf("did _ZN4shop4Cart3addEiPKc %d\n", items);
	printf("did _ZNK4shop4Cart5totalEv 2\ndid _ZN4shop4CartmlEi 2\ndid _ZN4shop4CartixEm 1\n");
	printf("did _ZL3fibi 15\ndid _ZL3fibl 25\ndid _Z5twiceIiET_S0_ 2\ndid _Z5twiceIdET_S0_ 1\ndid plain 1\n");
	printf("did _ZN4shop4CartC1Ev 1\ndid _ZN4shop4CartC2Ev 1\n");
	return sum == 0;
}
