# SPDX-License-Identifier: BSD-2-Clause
# What the scripts of this directory share; tests/bench/peers/run puts it in front of each, in a guest with the image of
# peers. A line for the report begins with "@@ ", and its fields are separated by tabs: tests/bench/peers/report says which there are.
cd /tmp || exit

fields() {
	printf '@@ %s' "$1"
	shift
	printf '\t%s' "$@"
	echo
}

# version TOOL TEXT
version() {
	fields version "$@"
}

# row TABLE ROW TOOL VALUE: one repetition of a measurement.
row() {
	fields row "$@"
}

# none TABLE ROW TOOL REASON: what could not be measured.
none() {
	fields none "$@"
}

# typed TABLE ROW TOOL ARG...: what was typed, the tool being in the image or not.
typed() {
	where="$1	$2	$3"
	shift 3
	[ "$1" != peer ] || shift
	fields command "$where" "$(for word; do
		case $word in
		*[!a-zA-Z0-9_./:=,%+@-]* | '') printf "'%s' " "$(echo "$word" | sed "s/'/'\\\\''/g")" ;;
		*) printf '%s ' "$word" ;;
		esac
	done | sed 's/ $//')"
}

# hold ARG...: bench-hold, what it prints in variables of these names; or fails with $why.
hold() {
	if out=$(bench-hold "$@" 2> why < /dev/null); then
		# what a workload prints comes before
		said=$(echo "$out" | sed '$d')
		read -r targets armed cpu detach memory total stopped tree maps << EOF
$(echo "$out" | tail -n 1)
EOF
	else
		why=$(grep -v '^$' why | tail -n 1 | sed 's/^bench-[a-z]*: //' | cut -c 1-200)
		return 1
	fi
}

# The last line of each script: all of it has run.
finish() {
	echo "@@ end"
}
