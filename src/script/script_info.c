// SPDX-License-Identifier: BSD-2-Clause
/* --info: what this kernel has of what programs may use. */
#include <linux/bpf.h>
#include <sys/utsname.h>

#include "attach/quirks.h"
#include "base/str.h"
#include "script_part.h"

static void add(struct str *to, const char *name, bool has)
{
	str_addf(to, "  %s: %s\n", name, has ? "yes" : "no");
}

static void add_system(struct str *to)
{
	struct utsname name;

	if (uname(&name))
		return;
	str_addf(to, "System\n  OS: %s %s %s\n  Arch: %s\n\n", name.sysname, name.release, name.version, name.machine);
}

static void add_helpers(struct str *to)
{
	static const struct {
		const char *name;
		int helper;
	} helpers[] = {
		{ "probe_read_user", BPF_FUNC_probe_read_user },
		{ "probe_read_kernel", BPF_FUNC_probe_read_kernel },
		{ "get_current_cgroup_id", BPF_FUNC_get_current_cgroup_id },
		{ "send_signal", BPF_FUNC_send_signal },
		{ "override_return", BPF_FUNC_override_return },
		{ "get_boot_ns", BPF_FUNC_ktime_get_boot_ns },
		{ "get_tai_ns", BPF_FUNC_ktime_get_tai_ns },
		{ "get_func_ip", BPF_FUNC_get_func_ip },
		{ "jiffies64", BPF_FUNC_jiffies64 },
		{ "for_each_map_elem", BPF_FUNC_for_each_map_elem },
		{ "loop", BPF_FUNC_loop },
		{ "get_ns_current_pid_tgid", BPF_FUNC_get_ns_current_pid_tgid },
		{ "lookup_percpu_elem", BPF_FUNC_map_lookup_percpu_elem },
	};

	str_add(to, "Kernel helpers\n");
	for (size_t i = 0; i < ARRAY_SIZE(helpers); i++)
		add(to, helpers[i].name, quirk_helper(helpers[i].helper));
	str_addc(to, '\n');
}

void script_info(struct script *script)
{
	struct str *to = &script->text;

	add_system(to);
	add_helpers(to);
	str_add(to, "Kernel features\n");
	add(to, "btf", !access("/sys/kernel/btf/vmlinux", R_OK));
	add(to, "fetching atomics", quirk_swaps());
	add(to, "attach cookies", quirk_cookies());
	str_add(to, "\nProbe types\n");
	add(to, "kprobe_multi", quirk_kprobe_multi());
	add(to, "kprobe_session", quirk_kprobe_session());
	add(to, "uprobe_multi", quirk_uprobe_multi());
	fwrite(to->data, 1, to->len, stdout);
	str_reset(to);
	script->instance->ctx->answered = true;
}
