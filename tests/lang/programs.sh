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

# A kernel under emulation takes milliseconds to start a process. So one awk turns a file into a script that starts
# nothing but the programs, and another one compares all of them at the end.

# programs_script FILE BIN: a script that sets the words of each record as variables, and calls run_program.
programs_script() {
	awk -v bin="$2" -v sys="${SYS:-__x64_sys}" '
	function quoted(text, pieces, n, i, all) {
		n = split(text, pieces, "\047")
		for (i = 1; i <= n; i++)
			all = all (i > 1 ? "\047\\\047\047" : "") pieces[i]
		return "\047" all "\047"
	}
	function end_program() {
		if (n)
			print words " text=" quoted(text) "\nrun_program"
	}
	/^=== / {
		end_program()
		words = "n=" ++n " options= args= env= run= since= only="
		text = ""
		part = "words"
		next
	}
	part == "words" && /^:[a-z]+( |$)/ {
		key = substr($1, 2)
		if (key ~ /^(options|args|env|run|since|only)$/)
			words = words " " key "=" quoted(substr($0, length($1) + 2))
		next
	}
	/^---$/ { part = "" }
	part {
		gsub(/[$]BIN/, bin)
		gsub("__x64_sys", sys)
		text = text (part == "text" ? "\n" : "") $0
		part = "text"
	}
	END { end_program() }' "$1"
}

# programs_run COMMAND BIN: runs a record; a line "@@ NUMBER STATUS" ends its output in the files out and err.
programs_run() {
	status=0
	eval "TZ=UTC0 $env $1 $options ${run:+-c \"$2/$run\"} -e \"\$text\" $args" \
		>> out 2>> err < /dev/null || status=$?
	printf '\n@@ %s\n' "$n $status" >> out
	printf '\n@@ %s\n' "$n" >> err
}

# programs_out: the file out without what does not count.
programs_out() {
	sed -e '/^did /d' -e '/^Attached [0-9]* probes*$/d' -e "s/${SYS:-__x64_sys}/__x64_sys/g" out
}

# programs_compare FILE: prints each program whose output or status is not as in FILE. "N failed of M" is the last line.
programs_compare() {
	programs_out | awk '
	function trimmed(text) {
		sub(/\n+$/, "", text)
		return text
	}
	FNR == 1 { file++ }
	/^@@ / && file < 3 {
		if (file == 1) {
			got[$2] = trimmed(text)
			status[$2] = $3
		} else {
			err[$2] = trimmed(text)
		}
		text = ""
		next
	}
	file < 3 { text = text $0 "\n"; next }
	/^=== / { name[++n] = substr($0, 5); exits[n] = 0; part = "words"; next }
	part == "words" && /^:exit / { exits[n] = $2 }
	part == "words" && /^:[a-z]+( |$)/ { next }
	/^---$/ { part = "wanted"; next }
	part == "wanted" && /^--- sonde / { exits[n] = $3; wanted[n] = ""; next }
	part == "wanted" { wanted[n] = wanted[n] $0 "\n"; next }
	n { part = "program"; program[n] = program[n] $0 "\n" }
	END {
		for (i = 1; i <= n; i++) {
			if (!(i in got) || (status[i] == exits[i] && got[i] == trimmed(wanted[i])))
				continue
			failed++
			print "program: " name[i] "\n" program[i] "--- wanted, exit status " exits[i] "\n" \
				trimmed(wanted[i])
			print "--- got, exit status " status[i] "\n" got[i] "\n--- stderr\n" err[i]
		}
		for (i in got)
			ran++
		print failed + 0 " failed of " ran + 0
	}' - err "$1"
}
