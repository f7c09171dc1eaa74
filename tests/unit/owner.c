// SPDX-License-Identifier: BSD-2-Clause
/* Finds the owner of an event by its name, and whether a process lives. */
#include <sys/stat.h>

#include "kernel_fixture.h"
#include "traces/owner.h"

static void expect_owner(const char *group, const char *name, const char *tool, pid_t pid)
{
	struct trace_owner owner = owner_of_event(group, name);

	if (tool)
		cr_expect_str_eq(owner.tool ? owner.tool : "nobody", tool, "%s/%s", group, name);
	else
		cr_expect_null(owner.tool, "%s/%s is %s", group, name, owner.tool);
	cr_expect_eq(owner.pid, pid, "%s/%s: %d", group, name, owner.pid);
	cr_expect_eq(owner.state, OWNER_UNKNOWN);
}

Test(owner, names)
{
	expect_owner("kprobes", "p_vfs_read_bcc_123", "bcc", 123);
	expect_owner("kprobes", "r_vfs_read_bcc_4194303", "bcc", 4194303);
	expect_owner("uprobes", "p__bin_bash_0xa2540_bcc_27980", "bcc", 27980);
	expect_owner("uprobes", "p__x_bcc_1_0x10_bcc_22", "bcc", 22);
	expect_owner("kprobes", "libbpf_77_do_unlinkat_0x0_3", "libbpf", 77);
	expect_owner("uprobes", "libbpf_77_0__bin_bash_0x10", "libbpf", 77);
	expect_owner("dt_900_fbt_vmlinux", "vfs_read", "dtrace", 900);
	expect_owner("dt_900", "x", "dtrace", 900);
	expect_owner("dt_pid", "p_1_2_3", "dtrace", 0);
	expect_owner("uprobes", "stapprobe_8_0", "systemtap", 8);
	expect_owner("kprobes", "p8_12", "systemtap", 8);
	expect_owner("ply31", "p_0", "ply", 31);
	expect_owner("probe", "vfs_read", "perf", 0);
	expect_owner("probe_bash", "readline", "perf", 0);
	expect_owner("sdt_libc", "setjmp", "perf", 0);
	expect_owner("ebpf_3f9c0a1b", "vfs_read", "cilium", 0);
	expect_owner("perfetto_kprobes", "x", "perfetto", 0);
	/* what stands in the group is more than what stands in the name, wherever both do */
	expect_owner("dt_5_pid", "p_bcc_6", "bcc", 6);
}

Test(owner, nobody)
{
	expect_owner("kprobes", "myprobe", NULL, 0);
	expect_owner("uprobes", "p__bin_bash_0xa2540", NULL, 0);
	expect_owner("kprobes", "p_vfs_read_bcc_", NULL, 0);
	expect_owner("kprobes", "p_vfs_read_bcc_12x", NULL, 0);
	expect_owner("kprobes", "p_vfs_read_bcc_0", NULL, 0);
	expect_owner("kprobes", "p_vfs_read_bcc_12345678", NULL, 0);
	expect_owner("kprobes", "libbpf_x_y", NULL, 0);
	expect_owner("kprobes", "p8_x", NULL, 0);
	expect_owner("ply", "p", NULL, 0);
	expect_owner("plyx", "p", NULL, 0);
	expect_owner("probes", "x", NULL, 0);
	expect_owner("ebpf_xyz", "x", NULL, 0);
	expect_owner("", "", NULL, 0);
}

Test(owner, a_name_that_people_choose_too_is_a_guess)
{
	cr_expect(owner_of_event("kprobes", "p8_12").guess);
	cr_expect_not(owner_of_event("kprobes", "stapprobe_8_12").guess);
}

Test(owner, tools_are_those_of_the_table)
{
	static const char *const known[] = {
		"bcc", "perf", "systemtap", "ply", "cilium", "calico", "iproute2", "sonde"
	};
	struct nearest nearest;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		cr_expect(owner_is_known(known[i]), "%s", known[i]);
	cr_expect_not(owner_is_known("prf"));
	cr_expect_not(owner_is_known(""));
	nearest_init(&nearest, "sysemtap");
	owner_suggest(&nearest);
	cr_expect_str_eq(nearest_name(&nearest), "systemtap");
}

/* ---- processes ---- */

static void process(const char *pid, const char *status)
{
	__free char *path = base_printf("/proc/%s/status", pid);

	fixture_file(path, status);
}

static void initial_namespace(const char *name)
{
	__free char *path = base_printf("%s/proc/self/ns/pid", fixture_dir);

	fixture_file("/proc/self/ns/x", "");
	cr_assert_eq(symlink(name, path), 0);
}

static void setup(void)
{
	fixture_init();
	process("10", "Name:\tpython3 x\nState:\tS (sleeping)\nNSpid:\t10\nVmSize:\t1 kB\nThreads:\t1\n");
	process("20", "Name:\tkworker/0:1\nState:\tI (idle)\nNSpid:\t20\nThreads:\t1\n");
	process("30", "Name:\tdead\nState:\tZ (zombie)\nNSpid:\t30\nThreads:\t1\n");
	process("31", "Name:\thalf\nState:\tZ (zombie)\nNSpid:\t31\nThreads:\t2\n");
	process("40", "Name:\tinner\nState:\tS (sleeping)\nNSpid:\t40\t7\t1\nVmSize:\t1 kB\nThreads:\t1\n");
	process("7", "Name:\touter\nState:\tR (running)\nNSpid:\t7\nVmSize:\t1 kB\nThreads:\t1\n");
}

TestSuite(processes, .init = setup, .fini = fixture_fini);

Test(processes, those_that_can_own)
{
	struct processes processes __cleanup(processes_release) = {};

	initial_namespace("pid:[4026531836]");
	processes_read(&processes);
	cr_expect(processes.complete);
	cr_assert(processes_find(&processes, 10));
	cr_expect_str_eq(processes_find(&processes, 10)->comm, "python3 x");
	cr_expect_null(processes_find(&processes, 20), "a kernel thread");
	cr_expect_null(processes_find(&processes, 30), "a zombie");
	cr_expect(processes_find(&processes, 31), "its other threads live");
	cr_expect_null(processes_find(&processes, 5));
	cr_assert(processes_find(&processes, 1), "in a namespace");
	cr_expect_eq(processes_find(&processes, 1)->pid, 40);
	cr_expect_eq(processes_find(&processes, 7)->pid, 7, "ours before one of another namespace");
}

Test(processes, ourselves_own_nothing)
{
	struct processes processes __cleanup(processes_release) = {};
	__free char *own = base_printf("%d", getpid());

	process(own, "Name:\tsonde\nState:\tR (running)\nVmSize:\t1 kB\nThreads:\t1\n");
	processes_read(&processes);
	cr_expect_null(processes_find(&processes, getpid()));
}

static enum owner_state state_in(const char *group, const char *name, const struct processes *processes)
{
	struct trace_owner owner = owner_of_event(group, name);

	owner_look_up(&owner, processes);
	return owner.state;
}

static enum owner_state state_of(const char *name, const struct processes *processes)
{
	return state_in("kprobes", name, processes);
}

Test(processes, owners)
{
	struct processes processes __cleanup(processes_release) = {};

	initial_namespace("pid:[4026531836]");
	processes_read(&processes);
	cr_expect_eq(state_of("p_x_bcc_10", &processes), OWNER_ALIVE);
	cr_expect_eq(state_of("p_x_bcc_1", &processes), OWNER_ALIVE);
	cr_expect_eq(state_of("p_x_bcc_20", &processes), OWNER_DEAD);
	cr_expect_eq(state_of("p_x_bcc_99", &processes), OWNER_DEAD);
	cr_expect_eq(state_of("mine", &processes), OWNER_UNKNOWN);
}

/* Events of bcc may come from any program; for these tools the command is known. */
Test(processes, an_id_that_another_command_has)
{
	struct processes processes __cleanup(processes_release) = {};

	process("50", "Name:\tstapio\nState:\tS\nNSpid:\t50\nVmSize:\t1 kB\nThreads:\t1\n");
	initial_namespace("pid:[4026531836]");
	processes_read(&processes);
	cr_expect_eq(state_in("ply10", "x", &processes), OWNER_REUSED);
	cr_expect_eq(state_in("dt_10_x", "x", &processes), OWNER_REUSED);
	cr_expect_eq(state_of("stapprobe_10_1", &processes), OWNER_REUSED);
	cr_expect_eq(state_of("stapprobe_50_1", &processes), OWNER_ALIVE);
	cr_expect_eq(state_in("ply99", "x", &processes), OWNER_DEAD);
}

Test(processes, by_command)
{
	struct processes processes __cleanup(processes_release) = {};

	process("50", "Name:\tcilium-agent\nState:\tS\nNSpid:\t50\nVmSize:\t1 kB\nThreads:\t1\n");
	process("51", "Name:\ta-very-long-com\nState:\tS\nNSpid:\t51\nVmSize:\t1 kB\nThreads:\t1\n");
	processes_read(&processes);
	cr_expect_eq(processes_find_command(&processes, "cilium")->pid, 50);
	cr_expect_eq(processes_find_command(&processes, "a-very-long-command")->pid, 51);
	cr_expect_eq(processes_find_command(&processes, "inner")->pid, 40);
	cr_expect_null(processes_find_command(&processes, "ciliu"));
	cr_expect_null(processes_find_command(&processes, "agent"));
}

Test(processes, within_a_namespace_nobody_is_dead)
{
	struct processes processes __cleanup(processes_release) = {};

	initial_namespace("pid:[4026532000]");
	processes_read(&processes);
	cr_expect_not(processes.complete);
	cr_expect_eq(state_of("p_x_bcc_10", &processes), OWNER_ALIVE);
	cr_expect_eq(state_of("p_x_bcc_99", &processes), OWNER_UNSEEN);
}
