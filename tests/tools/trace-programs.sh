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
	bin=$(dirname "$(command -v calls)") machine=$(uname -m)
	programs_script "/programs/$1.txt" "$bin" > script
	. ./script
	programs_compare "/programs/$1.txt" > compared
	case $(tail -n 1 compared) in
	"0 failed of "[1-9]*) ;;
	*) cat compared && fail "$(tail -n 1 compared)" ;;
	esac
}

run_program() {
	if { [ -z "$since" ] || is_since "${since%% *}"; } && [ "${only:-$machine}" = "$machine" ]; then
		programs_run "timeout 60 link/bpftrace" "$bin"
	fi
}

# timeout=300 kernels=turns arch=yes
test_control() {
	theme control
}

# timeout=300 kernels=one
test_errors() {
	theme errors
}

# timeout=300 kernels=all
test_functions() {
	theme functions
}

# timeout=300 arch=yes kernels=turns
test_integers() {
	theme integers
}

# timeout=300 kernels=one
test_json() {
	theme json
}

# timeout=300 kernels=turns
test_kernel() {
	theme kernel
}

# timeout=300 kernels=one
test_macros() {
	theme macros
}

# timeout=300 kernels=turns
test_maps() {
	theme maps
}

# timeout=300 kernels=one
test_output() {
	theme output
}

# timeout=300 kernels=one
test_printf() {
	theme printf
}

# timeout=300 kernels=turns arch=yes
test_probes() {
	theme probes
}

# timeout=300 kernels=turns
test_strings() {
	theme strings
}

# timeout=300
test_values() {
	theme values
}
