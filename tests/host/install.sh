# SPDX-License-Identifier: BSD-2-Clause
# Checks where `make install` puts files, what `make uninstall` removes, and what the completion
# offers.

# shellcheck disable=SC2154 # $0 is the tree, as tests/run says
into_dest() {
	make -s -C "$0" DESTDIR="$PWD/dest" PREFIX=/usr "$1" > log 2>&1 || fail "$(tail -n 3 log)"
}

test_links() {
	mkdir -p dest/usr/bin
	echo mine > dest/usr/bin/status
	into_dest install
	ls dest/usr/bin > names
	[ "$(cat dest/usr/bin/status)" = mine ] || fail "somebody's status is another"
	grep -qx funccount names && grep -qx reset-trace names || fail "no links: $(cat names)"
	rm dest/usr/bin/status
	for dir in bin share/bash-completion/completions; do
		[ ! -e dest/usr/$dir/status ] || fail "there is a $dir/status"
	done
	[ -e dest/usr/share/man/man8/sonde-status.8 ] && [ ! -e dest/usr/share/man/man8/status.8 ] ||
		fail "man pages: $(ls dest/usr/share/man/man8)"
	[ "$(dest/usr/bin/funccount --help | head -n 1)" = "$(sonde funccount --help | head -n 1)" ] ||
		fail "a link does not run"
	[ "$(dest/usr/bin/pidpersec --help | head -n 1)" = "$(sonde pidpersec --help | head -n 1)" ] ||
		fail "a script's link does not run"
	[ -e dest/usr/share/man/man8/sonde-pidpersec.8 ] || fail "a script has no page"
	into_dest uninstall
	[ -z "$(find dest ! -type d)" ] || fail "left: $(find dest ! -type d)"
}

# The service finds the program and the configuration where they were put. Nobody's configuration is overwritten or
# removed.
test_service() {
	into_dest install
	units=dest/usr/lib/systemd/system
	grep -qx 'ExecStart=/usr/bin/sonde export $OPTIONS /etc/sonde/metrics.conf' $units/sonde-export.service ||
		fail "the unit starts $(grep ExecStart $units/sonde-export.service)"
	! grep '@' $units/* | grep -v '=[~@]*@system-service\|~@privileged' || fail "a place is missing in a unit"
	[ "$(stat -c %a dest/etc/sonde/metrics.conf $units/*.socket | sort -u)" = 644 ] || fail "not readable"
	echo runqlat > dest/etc/sonde/metrics.conf
	into_dest install
	[ "$(cat dest/etc/sonde/metrics.conf)" = runqlat ] || fail "the configuration was overwritten"
	into_dest uninstall
	[ "$(find dest ! -type d)" = dest/etc/sonde/metrics.conf ] || fail "left: $(find dest ! -type d)"
}

# Debian's checker finds nothing. What it does at upgrades is tests/tools/export-systemd.sh's.
test_package() {
	command -v lintian > /dev/null || skip "there is no lintian"
	deb=$(ls "$0/$(dirname "$(readlink "$(command -v sonde)")" | sed "s:$0/::")"/deb/sonde_*.deb)
	run lintian --allow-root --fail-on error,warning "$deb"
	expect_exit 0
	dpkg-deb -f "$deb" Version | grep -qE '^[0-9.]+(\+([0-9]+\.)?g[0-9a-f]+)?(\.dirty)?$' || fail "the version"
	# conffiles, and nothing in /usr/local
	dpkg-deb --ctrl-tarfile "$deb" | tar -xO ./conffiles > out
	printf '/etc/sonde/export.env\n/etc/sonde/metrics.conf\n' | diff - out
	# all documents for users; dpkg compresses large ones
	for page in "$0"/docs/*.md; do
		name=${page##*/}
		[ "$name" = BENCHMARKS.md ] || dpkg-deb -c "$deb" | grep -qE " \./usr/share/doc/sonde/$name(\.gz)?$" ||
			fail "the package lacks docs/$name"
	done
	! dpkg-deb -c "$deb" | grep -E ' \./(usr/local|lib|bin)/' || fail "a file in a wrong place"
}

# answers LINE: prints what bash would offer for its last word, sorted, on one line.
answers() {
	bash -c '. ./completion
		COMP_LINE=$1 COMP_POINT=${#1}
		read -ra COMP_WORDS <<< "$(sed "s/[=:]/ & /g" <<< "$1")"
		case $1 in *[=:]) ;; *" ") COMP_WORDS+=("") ;; esac
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_sonde
		printf "%s\n" "${COMPREPLY[@]}"' - "$1" | sort | tr '\n' ' '
}

# offered LINE ANSWER...: these must be among the answers.
offered() {
	line=$1
	shift
	all=$(answers "$line")
	echo "$line: $(echo "$all" | cut -c 1-300)"
	for answer; do
		case " $all" in
		*" $answer "*) ;;
		*) fail "'$line' is not completed to '$answer'" ;;
		esac
	done
}

test_completion() {
	sonde help --completion > completion
	offered 'sonde he' help
	offered 'sonde help func' funccount funclatency funcslower
	offered 'sonde st' status
	offered 'sonde pidp' pidpersec
	offered 'pidpersec --dry' --dry-run
	offered 'killsnoop -s T' TERM TRAP
	offered 'killsnoop --signal=RTM' RTMIN RTMAX-1
	offered 'syscount -e ENO' ENOENT ENOSYS
	offered 'syscount --syscall getp' getpid getppid
	offered 'opensnoop -f O_W' O_WRONLY
	offered 'reset-trace --owner b' bcc
	offered 'sonde funccount vfs_re' vfs_read vfs_readlink
	offered 'funcslower r:vfs_re' vfs_read
	offered 'funclatency c:mallo' malloc
	offered "funccount u:$(command -v ufuncs):f_" f_one f_three
	offered "funccount usdt:$(command -v usdt):house:ga" gated
	offered 'funccount u:/bin/l' /bin/ls
	offered 'funccount --mech' --mechanism
	for disk in /sys/class/block/*; do
		[ ! -e "$disk" ] || [ -e "$disk/partition" ] || offered 'biolatency -d ' "${disk##*/}"
	done
	# a long list is offered only after something was typed
	[ "$(answers 'funccount v' | wc -w)" -lt 100 ] || fail "all of the kernel"
}

test_completion_of_tracepoints() {
	sonde help --completion > completion
	[ "$(sonde help --complete funccount t:sche)" ] || skip "the kernel does not list its tracepoints here"
	offered 'funccount t:sche' sched:
	offered 'funccount t:sched:sched_sw' sched_switch
}
