# SPDX-License-Identifier: BSD-2-Clause
# sonde tcpdrop: its rows must be the packets that the sockets of tests/programs/drops.c drop.
# of file: kernels=one

# expect_drops FLAGS: the connection of the workload has rows of its packets with these flags, as many as it sent. Of a
# connection that failed, it does not know how many.
expect_drops() {
	awk -F '\t' '/^did/ { print $3, $4, $5, $6, $8 + 1 }' did > ends
	read -r laddr lport raddr rport sent < ends
	ends="$laddr:$lport +> +$raddr:$rport"
	seen=$(grep -cE "^[0-9:]{8} [0-9]+ +[46]  +$ends +[A-Z0-9_-]+ \($1\)$reason\$" out) || :
	[ "$seen" = "$sent" ] || { [ "$1" = S ] && [ "$seen" -ge 1 ]; } || fail "$seen rows with $1, not $sent"
}

# drops_seen WHAT FAMILY [OPTION]...
drops_seen() {
	what=$1 family=$2
	shift 2
	start sonde tcpdrop "$@"
	drops "$what" "$family" > did
	stop INT
	expect_exit 0
	# of a connection that is known, the kernel says why it drops
	reason= heading=
	grep -q '^	field:enum skb_drop_reason' /sys/kernel/tracing/events/skb/kfree_skb/format && {
		reason=' [A-Z0-9_]+' heading=' REASON'
	}
	expect_heading "TIME     PID     IP           SADDR:SPORT >           DADDR:DPORT STATE (FLAGS)$heading"
	expect_line "^ +tcp_v[46]_rcv\\+[0-9]+"
}

# kernels=turns
test_tcpdrop() {
	drops_seen data 4
	expect_drops PA
	drops_seen data 6 -6
	expect_drops PA
	drops_seen syn 4 -4
	expect_drops S
	start sonde tcpdrop -6
	drops syn 4 > did
	stop INT
	expect_no_line '127\.0\.0\.1'
}

# Connections of this network namespace, and of another one.
test_tcpdrop_netns() {
	namespace=$(readlink /proc/self/ns/net | tr -cd 0-9)
	for what in data syn; do
		drops_seen $what 4 --netns-id "$namespace"
		[ $what = data ] && expect_drops PA || expect_drops S
		start sonde tcpdrop --netns-id $((namespace + 1))
		drops $what 4 > did
		drops $what 6 > did
		stop INT
		expect_exit 0
		[ "$(wc -l < out)" = 1 ] || fail "rows of another namespace"
	done
}
