# SPDX-License-Identifier: BSD-2-Clause
# Names of frames in real programs.

# Node makes code while it runs, and lists it in /tmp/perf-PID.map. The process has ended when its frames are named.
# slow=yes
test_names_of_jit_code() {
	command -v node > /dev/null || skip "there is no node"
	cat > busy.js << 'END'
function hotInner(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) * i; return s; }
function hotOuter() { let t = 0; for (let i = 0; i < 100; i++) t += hotInner(10000); return t; }
for (let i = 0; i < 400; i++) hotOuter();
END
	run sonde profile -F 999 -f -c "sh -c 'echo \$\$ > pid; exec node --perf-basic-prof busy.js'"
	rm -f "/tmp/perf-$(cat pid).map"
	expect_exit 0
	# the map does not exist yet when sh starts; of a version of V8 that sonde knows it needs none
	expect_line '^node;.*;node::Start;.*;(JS:[*~^]?hotOuter [^;]*busy.js:2:[0-9]+|hotOuter \(busy[.]js:2\+?\))(;.*)? [0-9]+$'
	run sonde profile -F 999 -f -c "node busy.js"
	expect_exit 0
	grep -q ';hotOuter (busy[.]js:2' out && return 0
	# without a map others have no names
	expect_line '^node;.*;node::Start;.*;\[unknown\] [0-9]+$'
	expect_no_line hotOuter
}
