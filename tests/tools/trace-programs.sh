# SPDX-License-Identifier: BSD-2-Clause
# Programs of bpftrace's language, by theme: sonde prints what bpftrace printed, as tests/lang/programs/*.txt stores it.

# True if this kernel is as new as VERSION.
is_since() {
	printf '%s\n%s\n' "$1" "$(uname -r)" | sort -V -c 2> /dev/null
}

# theme NAME: runs the programs of a file, and reports all that differ.
theme() {
	. /programs/programs.sh
	mkdir link && ln -s "$(command -v sonde)" link/bpftrace
	failed=0
	for n in $(programs_split "/programs/$1.txt"); do
		cd "$n"
		since=$(programs_word since) only=$(programs_word only)
		if { [ -z "$since" ] || is_since "${since%% *}"; } && [ "${only:-$(uname -m)}" = "$(uname -m)" ]; then
			one_program
		fi
		cd ..
	done
	[ "$n" -gt 5 ] || fail "only $n programs"
	[ "$failed" = 0 ] || fail "$failed of $n programs"
}

one_program() {
	wanted=expected exit=$(programs_word exit)
	[ ! -e differs ] || wanted=own exit=$(cat own_exit)
	got=$(programs_run ../link/bpftrace "$(dirname "$(command -v calls)")")
	[ "$got" != "${exit:-0}" ] || ! programs_same $wanted out || return 0
	failed=$((failed + 1))
	echo "program: $(cat name): exit status $got, not ${exit:-0}"
	cat program
	diff "$wanted" out || :
	cat err
}

# timeout=300
test_control() {
	theme control
}

# timeout=300
test_errors() {
	theme errors
}

# timeout=300
test_integers() {
	theme integers
}

# timeout=300
test_json() {
	theme json
}

# timeout=300
test_kernel() {
	theme kernel
}

# timeout=300
test_macros() {
	theme macros
}

# timeout=300
test_maps() {
	theme maps
}

# timeout=300
test_output() {
	theme output
}

# timeout=300
test_printf() {
	theme printf
}

# timeout=300
test_probes() {
	theme probes
}

# timeout=300
test_strings() {
	theme strings
}

# timeout=300
test_values() {
	theme values
}
