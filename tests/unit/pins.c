// SPDX-License-Identifier: BSD-2-Clause
/* Where pins are searched, and their owner by the path. Tests in guests check what they are. */
#include <sys/stat.h>

#include "kernel_fixture.h"
#include "traces/pins.h"

static void expect_owner(const char *path, const char *owner)
{
	struct pool strings __cleanup(pool_release) = {};
	const char *found = owner_of_pin(path, &strings);

	cr_expect_str_eq(found ? found : "nobody", owner ? owner : "nobody", "%s: %s", path, found);
}

Test(pins, owners)
{
	expect_owner("/sonde/counts", "sonde");
	expect_owner("/mine/a/b", "mine");
	expect_owner("/counts", NULL);
	expect_owner("/cilium/devices/x", "cilium");
	expect_owner("/tetragon/execve_map", "tetragon");
	expect_owner("/tc/globals/cilium_lxc", "cilium");
	expect_owner("/tc/globals/cali_v4_ct", "calico");
	expect_owner("/tc/globals/calico_ct_map_v4", "calico");
	expect_owner("/tc/globals/mine", "iproute2");
	expect_owner("/tc/0123abcd/mine", "iproute2");
	expect_owner("/xdp/globals/mine", "iproute2");
	expect_owner("/xdp/dispatch-2-17/prog0-prog", "libxdp");
	expect_owner("/xdp/mine", "xdp");
	expect_owner("/tcp/mine", "tcp");
}

static struct trace_pins pins;

static void teardown(void)
{
	pins_release(&pins);
	fixture_fini();
}

TestSuite(pin_walk, .init = fixture_init, .fini = teardown);

/* Expects exactly one pin with this path and owner. */
static void expect_pins(size_t n, const char *const (*expected)[2])
{
	pins_read(&pins);
	cr_assert_eq(pins.n, n, "%zu", pins.n);
	for (size_t i = 0; i < n; i++) {
		cr_expect_str_eq(pins.v[i].path, expected[i][0]);
		cr_expect_str_eq(pins.v[i].owner ? pins.v[i].owner : "nobody", expected[i][1]);
		cr_expect_lt(pins.v[i].error, 0, "%s is a file and no pin", pins.v[i].path);
	}
}

#define EXPECT_PINS(...) \
	({ \
		static const char *const expected[][2] = { __VA_ARGS__ }; \
		expect_pins(ARRAY_SIZE(expected), expected); \
	})

static void link_to(const char *path, const char *target)
{
	__free char *full = base_printf("%s%s", fixture_dir, path);

	cr_assert_eq(symlink(target, full), 0);
}

Test(pin_walk, no_bpffs)
{
	pins_read(&pins);
	cr_expect_eq(pins.n, 0);
	pins_release(&pins);
	fixture_file("/proc/self/mountinfo",
		     "22 1 0:20 / /sys rw - sysfs sysfs rw\n23 22 0:21 / /a rw - bpfx bpf rw\n");
	pins_read(&pins);
	cr_expect_eq(pins.n, 0);
}

Test(pin_walk, all_mounts)
{
	fixture_file("/proc/self/mountinfo", "22 1 0:20 / /sys rw shared:7 - sysfs sysfs rw\n"
					     "30 22 0:30 / /sys/fs/bpf rw,nosuid shared:9 master:1 - bpf bpf rw\n"
					     "31 22 0:31 / /run/a\\040b\\134c\\011d rw - bpf none rw\n"
					     "32 22 0:32 / /gone rw - bpf none rw\n");
	fixture_file("/sys/fs/bpf/sonde/always/counts", "");
	fixture_file("/sys/fs/bpf/alone", "");
	fixture_file("/sys/fs/bpf/maps.debug", "");
	fixture_file("/sys/fs/bpf/progs.debug", "");
	fixture_file("/sys/fs/bpf/mine/maps.debug", "");
	fixture_file("/run/a b\\c\td/tool/x", "");
	fixture_file("/elsewhere/x", "");
	link_to("/sys/fs/bpf/sonde/link", "../alone");
	link_to("/sys/fs/bpf/sonde/directory", "../../../../elsewhere");
	EXPECT_PINS({ "/run/a b\\c\td/tool/x", "tool" }, { "/sys/fs/bpf/alone", "nobody" },
		    { "/sys/fs/bpf/mine/maps.debug", "mine" }, { "/sys/fs/bpf/sonde/always/counts", "sonde" });
}

Test(pin_walk, one_file_system_in_several_places)
{
	fixture_file("/proc/self/mountinfo", "30 22 0:30 /tool /part rw - bpf bpf rw\n"
					     "31 22 0:30 / /sys/fs/bpf rw - bpf bpf rw\n"
					     "32 22 0:30 / /again rw - bpf bpf rw\n"
					     "33 22 0:31 /tool /alone rw - bpf bpf rw\n"
					     "34 22 0:31 /toolbox /box rw - bpf bpf rw\n"
					     "35 22 0:31 /tool/a /below rw - bpf bpf rw\n");
	fixture_file("/part/x", "");
	fixture_file("/sys/fs/bpf/tool/x", "");
	fixture_file("/again/tool/x", "");
	fixture_file("/alone/a/x", "");
	fixture_file("/below/x", "");
	fixture_file("/box/x", "");
	EXPECT_PINS({ "/alone/a/x", "tool" }, { "/box/x", "toolbox" }, { "/sys/fs/bpf/tool/x", "tool" });
}

/* A directory that cannot be read is reported in the list. */
Test(pin_walk, a_directory_that_cannot_be_read)
{
	__free char *path = base_printf("%s/sys/fs/bpf/sonde/closed", fixture_dir);

	fixture_file("/proc/self/mountinfo", "30 22 0:30 / /sys/fs/bpf rw - bpf bpf rw\n");
	fixture_file("/sys/fs/bpf/sonde/closed/x", "");
	cr_assert_eq(chmod(fixture_dir, 0755) | chmod(path, 0), 0);
	/* root may read it nevertheless */
	cr_assert_eq(geteuid() ? 0 : seteuid(65534), 0);
	pins_read(&pins);
	cr_assert_eq(seteuid(getuid()), 0);
	chmod(path, 0700);
	cr_assert_eq(pins.n, 1);
	cr_expect_str_eq(pins.v[0].path, "/sys/fs/bpf/sonde/closed");
	cr_expect_str_eq(pins.v[0].owner, "sonde");
	cr_expect_eq(pins.v[0].error, -EACCES);
}
