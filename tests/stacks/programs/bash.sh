# SPDX-License-Identifier: BSD-2-Clause
# Functions that call functions, words, patterns, substitutions, and short-lived subshells.
fib() {
	local n=$1 a b
	if ((n < 2)); then
		REPLY=$n
		return
	fi
	fib $((n - 1))
	a=$REPLY
	fib $((n - 2))
	b=$REPLY
	REPLY=$((a + b))
}
end=$((SECONDS + ${1:-5}))
while ((SECONDS < end)); do
	fib 6
	for word in {1..200}; do
		text=${word//1/one}
		[[ $text =~ ^o(n)e$ ]] && list[word]=${BASH_REMATCH[1]}
		case $text in *[3-5]*) unset "list[word]" ;; esac
	done
	: "$(printf '%s\n' "${list[@]}" | wc -l)"
done
