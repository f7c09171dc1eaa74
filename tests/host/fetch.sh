# SPDX-License-Identifier: BSD-2-Clause
# tests/guest/fetch: what it downloads again. There is no network here: apt is a script that fails.

# A tree with one kernel, which the cache has, with the modules that are asked for.
# shellcheck disable=SC2154 # $0 is the tree, as tests/run says
tree() {
	command -v dpkg > /dev/null || skip "there is no dpkg"
	mkdir -p tree/tests/guest tree/scripts cache/sonde/kernels/one
	cp "$0/tests/guest/fetch" tree/tests/guest
	printf '#!/bin/sh\necho "$*" >> "$0.calls"\nexit 1\n' > tree/scripts/debian-apt
	chmod +x tree/scripts/debian-apt
	printf 'one\tsuite\tpackage\t-\t-\n' > tree/tests/guest/kernels
	printf '# a list\n\ndummy\tdummy\n' > tree/tests/guest/modules
	cp tree/tests/guest/modules cache/sonde/kernels/one/asked
	echo 1.2 > cache/sonde/kernels/one/version
}

# The calls of apt are in tree/scripts/debian-apt.calls.
fetch() {
	run env XDG_CACHE_HOME="$PWD/cache" tree/tests/guest/fetch one
	expect_exit 0
	expect_out "ok one 1.2 $PWD/cache/sonde/kernels/one"
}

test_comment_downloads_nothing() {
	tree
	sed -i 's/^# a list/# the same list, in other words/' tree/tests/guest/modules
	fetch
	[ ! -e tree/scripts/debian-apt.calls ] || fail "it downloads"
}

# Another module needs a download. If that fails, the kernel is used without the module.
test_another_module_is_downloaded() {
	tree
	printf 'other\tother\n' >> tree/tests/guest/modules
	fetch
	grep -q package tree/scripts/debian-apt.calls || fail "it does not download"
}

# lock_waits: a process waits for the lock of the cache.
lock_waits() {
	grep -qE -- "-> FLOCK .*:$(stat -c %i cache/sonde/kernels/lock) " /proc/locks
}

# Two processes do not download the same kernel at a time: the second one finds what the first one has brought.
test_waits_for_another_process() {
	command -v flock > /dev/null || skip "there is no flock"
	tree
	printf 'other\tother\n' >> tree/tests/guest/modules
	mkfifo gate
	flock cache/sonde/kernels/lock cat gate &
	exec 3> gate
	env XDG_CACHE_HOME="$PWD/cache" tree/tests/guest/fetch one > out 3>&- &
	second=$!
	wait_until 20 lock_waits || fail "it does not wait"
	cp tree/tests/guest/modules cache/sonde/kernels/one/asked
	exec 3>&-
	wait $second || fail "it fails"
	: > err
	expect_out "ok one 1.2 $PWD/cache/sonde/kernels/one"
	[ ! -e tree/scripts/debian-apt.calls ] || fail "it downloads what is there already"
}
