# SPDX-License-Identifier: BSD-2-Clause
# Lists the tests in files of shell functions, one line each: FILE FUNCTION AREA/NAME TIMEOUT CPUS
# IMAGE. "# timeout=SECONDS cpus=N image=NAME" on the line before a test_NAME() changes the
# defaults. - is no image.
function given(key, otherwise) {
	return key in set ? set[key] : otherwise
}
/^# (timeout|cpus|image)=/ {
	for (i = 2; i <= NF; i++)
		if (split($i, pair, "=") == 2)
			set[pair[1]] = pair[2]
	next
}
# Elsewhere in a comment it would be overlooked.
/^#.* (timeout|cpus|image)=/ {
	print FILENAME ":" FNR ": begin the line with it" > "/dev/stderr"
	exit bad = 1
}
/^test_[A-Za-z0-9_]*\(\)/ {
	sub(/\(\).*/, "")
	area = FILENAME
	gsub(/.*\/|\.sh$/, "", area)
	# The shell would keep the last of them, and run it twice.
	if (seen[area, $0]++) {
		print FILENAME ":" FNR ": " $0 "() is there already" > "/dev/stderr"
		exit bad = 1
	}
	print FILENAME, $0, area "/" substr($0, 6), given("timeout", 120), given("cpus", 1), given("image", "-")
}
{ split("", set) }
END { exit bad }
