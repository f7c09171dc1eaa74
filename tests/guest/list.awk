# SPDX-License-Identifier: BSD-2-Clause
# Lists the tests in files of shell functions, one line each: FILE FUNCTION AREA/NAME TIMEOUT CPUS IMAGE KERNELS ARCH
# SLOW. "# timeout=SECONDS cpus=N image=NAME kernels=CLASS arch=yes slow=yes" on the line before a test_NAME() changes the
# defaults; "# of file: kernels=CLASS arch=yes" changes them for the tests below it. - is no image. tests/guest/pick.awk
# says what the classes of kernels are. slow=yes: `make check` leaves this test on the host to `make test`.
function given(key, otherwise) {
	return key in set ? set[key] : key in of_file ? of_file[key] : otherwise
}
function refuse(why) {
	print FILENAME ":" FNR ": " why > "/dev/stderr"
	exit bad = 1
}
function check(key, value) {
	if (key == "kernels" && value !~ /^(all|ends|one|turns)$/)
		refuse("kernels= is all, ends, one or turns")
	if ((key == "arch" || key == "slow") && value != "yes")
		refuse(key "= is yes, or is left out")
}
FNR == 1 { split("", of_file) }
/^# (of file: )?(timeout|cpus|image|kernels|arch|slow)=/ {
	for (i = 2; i <= NF; i++) {
		if (split($i, pair, "=") != 2)
			continue
		check(pair[1], pair[2])
		if ($2 == "of")
			of_file[pair[1]] = pair[2]
		else
			set[pair[1]] = pair[2]
	}
	next
}
# Elsewhere in a comment it would be overlooked.
/^#.* (timeout|cpus|image|kernels|arch|slow)=/ { refuse("begin the line with it") }
/^test_[A-Za-z0-9_]*\(\)/ {
	sub(/\(\).*/, "")
	area = FILENAME
	gsub(/.*\/|\.sh$/, "", area)
	# The shell would keep the last of them, and run it twice.
	if (seen[area, $0]++)
		refuse($0 "() is there already")
	print FILENAME, $0, area "/" substr($0, 6), given("timeout", 120), given("cpus", 1), given("image", "-"),
		given("kernels", "ends"), given("arch", "no"), given("slow", "no")
}
{ split("", set) }
END { exit bad }
