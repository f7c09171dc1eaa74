# SPDX-License-Identifier: BSD-2-Clause
# What `readelf --debug-dump=frames-interp` prints, in the form of unwind-rows (tests/unwind/rows.c says which).
# A function that has no instructions of its own has no row there: it has that of its CIE. Rows at or behind a
# function's end say nothing, and functions without an address or without a length are those that the linker has
# removed.

function hex(s) {
	sub(/^0+/, "", s)
	return s == "" ? "0" : s
}

function saved(v) {
	return v ~ /^c[+-]/ ? v : v == "u" || v == "s" ? "s" : "?"
}

# The CFA, or a register's place, with n bytes more.
function moved(v, n) {
	return match(v, /[+-][0-9]+$/) ? sprintf("%s%+d", substr(v, 1, RSTART - 1), substr(v, RSTART) + n) : v
}

# The row that is being read; columns are named in the line above it.
function text(    fp, ra, above) {
	fp = ("rbp" in column) ? $(column["rbp"]) : ("x29" in column) ? $(column["x29"]) : "u"
	ra = ("ra" in column) ? $(column["ra"]) : "u"
	if (ra == "u" && !arm)
		return "root"
	if ($2 !~ /^(rsp|rbp|sp|x29)[+-]/ || saved(ra) == "?")
		return "?"
	# above the CFA: sonde corrects it on arm64 (src/unwind/cfi.c)
	above = arm && ra ~ /^c\+/ ? int((substr(ra, 3) + 8 + 15) / 16) * 16 : 0
	return moved($2, above) " " moved(saved(fp), -above) " " moved(saved(ra), -above)
}

function print_pending() {
	if (pending != "" && pending != printed) {
		print range, hex(place), pending
		printed = pending
	}
	pending = ""
}

function end_function() {
	print_pending()
	if (in_fde && !rows)
		print range, hex(start), cie[of]
	in_fde = in_cie = 0
}

/^Contents of the / {
	end_function()
	other = !/ \.eh_frame /
}

# .debug_frame, say
other { next }

{ gsub(/ \([a-z0-9]+\)/, "") } # "r10 (r10)" is one word

/ FDE / {
	end_function()
	of = $5
	sub(/cie=/, "", of)
	match($0, /pc=[0-9a-f.]*/)
	split(substr($0, RSTART + 3, RLENGTH - 3), ends, /\.\./)
	start = ends[1]
	end = ends[2]
	range = hex(start) ".." hex(end)
	printed = place = ""
	rows = 0
	in_fde = start !~ /^0*$/ && (start "") != (end "")
	next
}

/ CIE/ {
	end_function()
	id = $1
	in_cie = 1
	next
}

/ZERO terminator/ { end_function() }

/^ *LOC/ {
	split("", column)
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

in_cie && /^[0-9a-f]+ / { cie[id] = text() }

# as words: some of these would be numbers with an exponent
in_fde && /^[0-9a-f]+ / && ($1 "") < (end "") {
	rows++
	if ($1 "" != place "")
		print_pending()
	place = $1
	pending = text()
}

END { end_function() }
