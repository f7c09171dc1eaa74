# SPDX-License-Identifier: BSD-2-Clause
# Runs programs of tests/lang/programs/*.txt, each file one theme. Used by tests/tools/trace-programs.sh, which compares
# sonde with what is stored there, and by tests/lang/peer, which stores what bpftrace prints.
#
# A file has a first line with a comment, and records:
#
#	=== NAME
#	:options WORDS		before -e
#	:args WORDS		behind the program
#	:env NAME=VALUE...
#	:run COMMAND		-c; COMMAND is one of tests/programs
#	:since VERSION WHY	older kernels cannot run it
#	:only MACHINE		the program names its registers or numbers of system calls
#	:exit N			the exit status, if it is not 0
#	:differs WHY		sonde prints something else on purpose
#	PROGRAM			$BIN is the directory of tests/programs
#	---
#	what bpftrace prints on stdout, without the newlines at its end
#	--- sonde N		only with :differs: the exit status of sonde, and what it prints
#
# Lines "did ..." of the workload, and "Attached N probes", do not count.

# programs_split FILE: in this directory, for each record a directory NUMBER with the files program, expected, own and the
# words of each line of ":" in a file of that name. Prints the numbers.
programs_split() {
	awk '
	function put(file, text) { print text > (n "/" file) }
	/^=== / { close(n "/program"); close(n "/" part); system("mkdir " ++n); put("name", substr($0, 5)); part = "program"; begun = 0; print n; next }
	!n { next }
	part == "program" && !begun && /^:[a-z]+( |$)/ { key = substr($1, 2); put(key, substr($0, length($1) + 2)); close(n "/" key); next }
	part == "program" && /^---$/ { part = "expected"; next }
	part == "expected" && /^--- sonde / { put("own_exit", $3); close(n "/own_exit"); part = "own"; next }
	{ begun = 1; put(part, $0) }' "$1"
}

programs_word() {
	[ ! -e "$1" ] || cat "$1"
}

# programs_run COMMAND BIN: runs the record in this directory; its stdout without what does not count is in out, its stderr
# in err, its exit status is printed.
programs_run() {
	sys=${SYS:-__x64_sys}
	text=$(sed "s,\$BIN,$2,g; s/__x64_sys/$sys/g" program)
	command=$(programs_word run)
	eval "set -- $1 $(programs_word options) \${command:+-c \"$2/\$command\"} -e \"\$text\" $(programs_word args)"
	status=0
	env TZ=UTC0 $(programs_word env) timeout 60 "$@" > all 2> err < /dev/null || status=$?
	sed -e '/^did /d' -e '/^Attached [0-9]* probes*$/d' -e "s/$sys/__x64_sys/g" all > out
	echo $status
}

# Two texts are the same but for newlines at their ends.
programs_same() {
	[ "$(cat "$1" 2> /dev/null)" = "$(cat "$2" 2> /dev/null)" ]
}
