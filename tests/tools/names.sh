# SPDX-License-Identifier: BSD-2-Clause
# Functions of C++ and Rust: specs and tables have the names that people wrote.
# of file: kernels=one

# rows: prints the table of out, one row "COUNT NAME" a line, sorted.
rows() {
	awk '/^(did|FUNC) / { next } { n = $NF; sub(/ +[0-9]+$/, ""); print n " " $0 }' out | sort
}

# expect_rows SPEC PROGRAM: the counted rows must be those on stdin, and no others.
expect_rows() {
	sort > expected
	fc "u:/bin/$2:$1" -- "$2"
	expect_exit 0
	rows > rows
	cmp -s expected rows || { cat rows; fail "u:/bin/$2:$1 counts other functions"; }
}

test_cxx_glob() {
	expect_rows 'shop::*' shop <<-'END'
		1 shop::Big::Big()
		1 shop::Cart::Cart() [_ZN4shop4CartC1Ev]
		1 shop::Cart::Cart() [_ZN4shop4CartC2Ev]
		1 shop::Cart::operator[](unsigned long)
		2 shop::Cart::operator*(int)
		2 shop::Cart::total() const
		2 shop::Shelf::Shelf()
		3 shop::Cart::add(int, char const*)
	END
}

# A name without parameters stands for all its overloads.
test_cxx_literal() {
	printf '15 fib(int)\n25 fib(long)\n' | expect_rows fib shop
	printf '15 fib(int)\n' | expect_rows 'fib(int)' shop
	printf '3 shop::Cart::add(int, char const*)\n' | expect_rows 'shop::Cart::add' shop
	printf '3 shop::Cart::add(int, char const*)\n' | expect_rows 'shop::Cart::add(int, char const*)' shop
	printf '3 shop::Cart::add(int, char const*)\n' | expect_rows _ZN4shop4Cart3addEiPKc shop
	printf '2 shop::Cart::total() const\n' | expect_rows 'shop::Cart::total()' shop
	printf '2 twice<int>(int)\n' | expect_rows 'twice<int>' shop
	printf '2 twice<int>(int)\n' | expect_rows 'int twice<int>(int)' shop
	printf '1 plain\n' | expect_rows plain shop
}

# A name without wildcards may omit the namespace, a glob may not.
test_cxx_last_parts() {
	printf '2 shop::Cart::total() const\n' | expect_rows 'Cart::total()' shop
	printf '2 shop::Cart::total() const\n' | expect_rows total shop
	fc 'u:/bin/shop:Cart::*' -- shop
	expect_exit 1
	expect_one_err "no function of /bin/shop matches 'Cart::\*'"
}

test_cxx_operators() {
	printf '2 shop::Cart::operator*(int)\n' | expect_rows 'shop::Cart::operator\*' shop
	printf '1 shop::Cart::operator[](unsigned long)\n' | expect_rows 'shop::Cart::operator[]' shop
	printf '2 shop::Cart::operator*(int)\n1 shop::Cart::operator[](unsigned long)\n' |
		expect_rows 'shop::Cart::operator*' shop
}

test_cxx_regex() {
	fc -r 'u:/bin/shop:^shop::Cart::(add|total)\b' -- shop
	expect_exit 0
	[ "$(rows)" = "$(printf '2 shop::Cart::total() const\n3 shop::Cart::add(int, char const*)\n')" ] ||
		fail "other functions match"
}

test_rust() {
	expect_rows 'shop::cart::*' rusty <<-'END'
		2 shop::cart::twice [_ZN4shop4cart5twice17hdac550a2f9515f42E]
		3 shop::cart::Cart::add
		4 shop::cart::twice [_ZN4shop4cart5twice17h5f2b0a1c7d3e9846E]
		6 <shop::cart::Cart>::add
		7 shop::cart::twice::<u32>
		9 shop::cart::größe
	END
	printf '3 shop::cart::Cart::add\n6 <shop::cart::Cart>::add\n' | expect_rows Cart::add rusty
	name='<shop::cart::Cart as shop::cart::Price>::price'
	sed "s/NAME/$name/" <<-'END' | expect_rows "$name" rusty
		5 NAME [_ZN54_$LT$shop..cart..Cart$u20$as$u20$shop..cart..Price$GT$5price17h17658ac4dc98eb46E]
		8 NAME [_RNvXs_NtCsiFFU9vsPtRy_4shop4cartNtB4_4CartNtB4_5Price5price]
	END
}

# Mangled names with --mangled, and both in JSON.
test_mangled() {
	fc --mangled u:/bin/shop:fib 'u:/bin/shop:shop::Cart::add' 'u:/bin/shop:twice*' -- shop
	expect_exit 0
	for symbol in _ZL3fibi _ZL3fibl _ZN4shop4Cart3addEiPKc _Z5twiceIiET_S0_ _Z5twiceIdET_S0_; do
		expect_count "$symbol" "$(awk -v symbol="$symbol" '$2 == symbol { print $3 }' out)"
	done
	fc -j u:/bin/shop:fib 'u:/bin/shop:total' u:/bin/shop:plain -- shop
	expect_json func symbol count
	expect_line '"func":"fib\(int\)","symbol":"_ZL3fibi","count":15\}$'
	expect_line '"func":"shop::Cart::total\(\) const","symbol":"_ZNK4shop4Cart5totalEv","count":2\}$'
	expect_line '"func":"plain","symbol":"plain","count":1\}$'
}

test_refused() {
	fc u:/bin/shop:fbi -- shop
	expect_exit 1
	expect_one_err "no function of /bin/shop matches 'fbi' \(did you mean fib\?\)"
	fc 'u:/bin/shop:Cart::totl()' -- shop
	expect_exit 1
	expect_one_err "did you mean Cart::total\(\)\?"
	fc u:/bin/shop:fib+4 -- shop
	expect_exit 1
	expect_one_err "an offset needs one function, but 'fib' names 2: fib\(int\), fib\(long\)"
	fc shop::Cart::add -- shop
	expect_exit 2
	expect_err "u:BIN:shop::Cart::add"
}

test_funclatency() {
	run sonde funclatency -F -j 'u:/bin/shop:shop::Cart::add' u:/bin/shop:fib -- shop
	expect_exit 0
	expect_json func symbol count
	expect_line '"func":"shop::Cart::add\(int, char const\*\)","symbol":"_ZN4shop4Cart3addEiPKc".*"count":3,'
	expect_line '"func":"fib\(int\)","symbol":"_ZL3fibi".*"count":15,'
}

test_funcslower() {
	run sonde funcslower -j -u 1 --max-calls 4096 'u:/bin/shop:shop::Cart::*' -- shop 2000
	expect_exit 0
	! grep -v '"func":"shop::Cart::[^"]*","symbol":"_ZNK\{0,1\}4shop4Cart[^"]*"' out | grep '^{' ||
		fail "a row has another function"
	return 0
}
