# SPDX-License-Identifier: BSD-2-Clause
# Probes on the ends of functions harm no program: neither the traced one, nor one that was running already and has the
# same file mapped. Each case of the workloads (tests/programs/returns.dyn.c, throws.dyn.cc, panics.rs) leaves functions
# in another way, or looks at return addresses.
# of file: kernels=all arch=yes

# same WHO STATUS FILE: it printed and ended as without probes.
same() {
	[ "$2" = "$expected" ] || {
		cat "$3"
		fail "$case: $1 ended with $2, not $expected"
	}
	cmp -s plain "$3" || {
		diff plain "$3" || :
		fail "$case: $1 printed something else (+) than without probes (-)"
	}
}

# Calls that return are measured, each once: by both processes.
expect_calls() {
	expect_json func count
	awk -F '\t' '
		FILENAME == "plain" {
			if (split($0, word, " ") == 3 && word[1] == "did")
				want[word[2]] = 2 * word[3]
			next
		}
		{ count[$1] += $2 }
		END {
			for (f in want)
				if (count[f] != want[f])
					printf "%s: %d calls, not %d\n", f, count[f], want[f]
		}' plain rows > wrong
	[ ! -s wrong ] || fail "$case: $(cat wrong)"
}

# ends WHO FILE CMD...: sets ended to how it ends. Its words ("killed") go to a file of their own.
ends() {
	ended=0
	who=$1 file=$2
	shift 2
	timeout -s KILL 60 "$@" > "$file" 2> "$who.words" < /dev/null || ended=$?
}

# harmless PROGRAM CASE [SPEC]...: with return probes on the program's functions r_* and on those of the specs.
harmless() {
	program=$1 case=$2
	shift 2
	command -v "$program" > /dev/null || skip "there is no $program here"
	ends plain plain "$program" "$case"
	expected=$ended
	[ "$expected" -lt 124 ] && [ -s plain ] || fail "$case does not run: $(cat plain plain.words)"
	rm -f gate
	mkfifo gate
	"$program" -w gate "$case" > bystander 2> bystander.words < /dev/null &
	gated=$!
	wait_until 20 at_gate || fail "$program does not come to its gate"
	start sonde funclatency -j -F "u:/bin/$program:r_*" "$@"
	echo > gate
	ended=0
	wait $gated || ended=$?
	other=$ended
	ends target target "$program" "$case"
	stop INT
	same "the program" "$ended" target
	same "a bystander" "$other" bystander
	expect_exit 0
	! grep -q '^did' plain || expect_calls
}

both() {
	harmless returns "$@"
	harmless returns-bare "$@"
}

test_longjmp() {
	both longjmp
}

test_setjmp() {
	both setjmp
}

test_setjmp_of_libc() {
	harmless returns setjmp c:__sigsetjmp c:_setjmp
	harmless returns longjmp c:__sigsetjmp c:_setjmp c:longjmp
}

test_swapcontext() {
	both swapcontext
}

test_getcontext() {
	both getcontext
	harmless returns getcontext c:getcontext
}

test_sigaltstack() {
	both sigaltstack
}

test_callers() {
	both callers
}

test_callers_of_libc() {
	harmless returns callers c:dlsym c:dlopen c:dladdr
}

test_backtrace() {
	both backtrace
}

test_threads() {
	both threads
}

test_fork() {
	both fork
}

test_jumps() {
	both jumps
}

test_exceptions() {
	harmless throws thrown
	harmless throws rethrown
	harmless throws nested
}

test_terminate() {
	harmless throws terminated
}

test_panics() {
	harmless panics caught
}

# A subshell of bash jumps back to where it was forked; bash was not made by us, and does not know of sonde.
test_subshells() {
	cat > script <<-'END'
		for i in 1 2 3; do (exit $i); echo "ended with $?"; done
		x=$( (echo inner; exit 4) ); echo "$x $?"
		f() { return 5; }
		f | cat; echo "${PIPESTATUS[0]}"
		trap 'echo trapped' USR1; kill -USR1 $$
		read -r -t 0.1 x; echo "timed out $?"
		exit 6
	END
	command -v bash > /dev/null || skip "there is no bash here"
	case=subshells
	ends plain plain bash script
	expected=$ended
	mkfifo gate
	bash -c 'read -r < gate; . ./script' > bystander 2> bystander.words < /dev/null &
	gated=$!
	wait_until 20 grep -q '^State:.S' /proc/$gated/status || fail "it does not wait"
	start sonde funclatency -j -F c:__sigsetjmp c:_setjmp 'u:/bin/bash:execute_*'
	echo > gate
	ended=0
	wait $gated || ended=$?
	other=$ended
	ends target target bash script
	stop INT
	same "the program" "$ended" target
	same "a bystander" "$other" bystander
}
