// SPDX-License-Identifier: BSD-2-Clause
/* Quotas of file systems: what the arguments are depends on the command. */
#include <linux/dqblk_xfs.h>
#include <linux/quota.h>

#include "strace_part.h"
#include "types.h"

#define U(X) ((unsigned long long)(X))

static const struct strace_words commands = {
	"Q_", "=0x100 V1_QUOTAON =0x200 V1_QUOTAOFF =0x300 V1_GETQUOTA =0x400 V1_SETQUOTA =0x500 V1_SETUSE =0x600 V1_SYNC "
	      "=0x700 SETQLIM =0x800 V1_GETSTATS =0x1000 V1_RSQUASH =0x800001 SYNC QUOTAON QUOTAOFF GETFMT GETINFO SETINFO "
	      "GETQUOTA SETQUOTA GETNEXTQUOTA =0x5801 XQUOTAON XQUOTAOFF XGETQUOTA XSETQLIM XGETQSTAT XQUOTARM XQUOTASYNC "
	      "XGETQSTATV XGETNEXTQUOTA"
};

/* The command is the first argument of quotactl, the second of quotactl_fd. */
static unsigned int command_of(const struct strace_line *line)
{
	return (unsigned int)strace_arg(line, line->call->args[0] == &t_quota_command ? 0 : 1) >> 8;
}

static void print_command(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words kinds = { "", "USRQUOTA GRPQUOTA PRJQUOTA", "???QUOTA" };
	unsigned int command = strace_arg(line, arg);

	const enum strace_style style = strace_style();
	struct str name __str = {}, kind __str = {};
	char number[16];

	strace_set_style(STRACE_NAMES);
	strace_word(&name, &commands, command >> 8);
	strace_word(&kind, &kinds, command & 0xff);
	strace_set_style(style);
	snprintf(number, sizeof(number), "%u", command);
	strace_named(line->out, number, "QCMD(%s, %s)", name.data, kind.data);
}
const struct strace_type t_quota_command = { print_command };

static void add_id(struct strace_line *line, unsigned int arg)
{
	unsigned int id = strace_arg(line, arg);

	str_addf(line->out, id == UINT32_MAX ? "-1" : "%u", id);
}

/* A user's or group's number, the format to turn on, or nothing. */
static void print_id(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words formats = { "QFMT_", "- VFS_OLD VFS_V0 OCFS2 VFS_V1 SHMEM" };

	switch (command_of(line)) {
	case Q_QUOTAON:
		strace_word(line->out, &formats, (unsigned int)strace_arg(line, arg));
		break;
	case Q_SYNC:
	case Q_QUOTAOFF:
	case Q_GETFMT:
	case Q_GETINFO:
	case Q_SETINFO:
	case Q_XQUOTAON:
	case Q_XQUOTAOFF:
	case Q_XGETQSTAT:
	case Q_XGETQSTATV:
	case Q_XQUOTARM:
	case Q_XQUOTASYNC:
		break;
	default:
		add_id(line, arg);
	}
}
const struct strace_type t_quota_id = { print_id };

/* --- what the last argument points to --- */

static void add_limits(struct strace_line *line, const struct if_dqblk *v, bool next)
{
	static const struct strace_words valid = { "QIF_", "BLIMITS SPACE ILIMITS INODES BTIME ITIME" };
	struct str *out = line->out;

	str_addf(out,
		 "{dqb_bhardlimit=%llu, dqb_bsoftlimit=%llu, dqb_curspace=%llu, dqb_ihardlimit=%llu, dqb_isoftlimit=%llu, "
		 "dqb_curinodes=%llu, ",
		 U(v->dqb_bhardlimit), U(v->dqb_bsoftlimit), U(v->dqb_curspace), U(v->dqb_ihardlimit), U(v->dqb_isoftlimit),
		 U(v->dqb_curinodes));
	if (!line->settings->whole) {
		str_add(out, "...}");
		return;
	}
	str_addf(out, "dqb_btime=%llu, dqb_itime=%llu, dqb_valid=", U(v->dqb_btime), U(v->dqb_itime));
	strace_bits(out, &valid, v->dqb_valid);
	if (next)
		str_addf(out, ", dqb_id=%u", ((const struct if_nextdqblk *)v)->dqb_id);
	str_addc(out, '}');
}

static void add_info(struct strace_line *line, const struct if_dqinfo *v)
{
	static const struct strace_words flags = { "DQF_", "ROOT_SQUASH =0x10000 SYS_FILE" };
	static const struct strace_words valid = { "IIF_", "BGRACE IGRACE FLAGS" };

	str_addf(line->out, "{dqi_bgrace=%llu, dqi_igrace=%llu, dqi_flags=", U(v->dqi_bgrace), U(v->dqi_igrace));
	strace_bits(line->out, &flags, v->dqi_flags);
	str_add(line->out, ", dqi_valid=");
	strace_bits(line->out, &valid, v->dqi_valid);
	str_addc(line->out, '}');
}

static const struct strace_words xfs_flags = { "FS_QUOTA_", "UDQ_ACCT UDQ_ENFD GDQ_ACCT GDQ_ENFD PDQ_ACCT PDQ_ENFD" };
static const struct strace_words xfs_kinds = { "FS_", "USER_QUOTA PROJ_QUOTA GROUP_QUOTA", "FS_???_QUOTA" };

static void add_xfs_quota(struct strace_line *line, const struct fs_disk_quota *v)
{
	struct str *out = line->out;

	str_addf(out, "{d_version=%d, d_flags=", v->d_version);
	strace_bits(out, &xfs_kinds, (unsigned char)v->d_flags);
	str_addf(out,
		 ", d_fieldmask=%#x, d_id=%u, d_blk_hardlimit=%llu, d_blk_softlimit=%llu, d_ino_hardlimit=%llu, "
		 "d_ino_softlimit=%llu, d_bcount=%llu, d_icount=%llu, ",
		 v->d_fieldmask, v->d_id, U(v->d_blk_hardlimit), U(v->d_blk_softlimit), U(v->d_ino_hardlimit),
		 U(v->d_ino_softlimit), U(v->d_bcount), U(v->d_icount));
	if (line->settings->whole)
		str_addf(out,
			 "d_itimer=%d, d_btimer=%d, d_iwarns=%u, d_bwarns=%u, d_rtb_hardlimit=%llu, d_rtb_softlimit=%llu, "
			 "d_rtbcount=%llu, d_rtbtimer=%d, d_rtbwarns=%u}",
			 v->d_itimer, v->d_btimer, v->d_iwarns, v->d_bwarns, U(v->d_rtb_hardlimit), U(v->d_rtb_softlimit),
			 U(v->d_rtbcount), v->d_rtbtimer, v->d_rtbwarns);
	else
		str_add(out, "...}");
}

/* A number behind the pointer. */
static void add_number(struct strace_line *line, unsigned int arg, const struct strace_words *names, bool bits)
{
	const uint32_t *v = strace_struct(line, arg, 2, sizeof(*v));

	if (!v)
		return;
	str_addc(line->out, '[');
	if (bits)
		strace_bits(line->out, names, *v);
	else
		strace_word(line->out, names, *v);
	str_addc(line->out, ']');
}

/* The steps: a text, a struct, a number. */
static void print_quota(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words formats = { "QFMT_", "- VFS_OLD VFS_V0 OCFS2 VFS_V1 SHMEM" };
	unsigned int command = command_of(line);
	bool ok = strace_ok(line);
	const void *bytes;

	if (command == Q_SYNC || command == Q_QUOTAOFF || command == Q_XQUOTASYNC) {
		return;
	} else if (command == Q_QUOTAON) {
		strace_string(line, strace_blob(line, arg, 0, 0), strace_arg(line, arg), true);
	} else if (command == Q_XQUOTAON || command == Q_XQUOTAOFF) {
		add_number(line, arg, &xfs_flags, true);
	} else if (command == Q_XQUOTARM) {
		add_number(line, arg, &xfs_kinds, true);
	} else if (command == Q_GETFMT && ok) {
		add_number(line, arg, &formats, false);
	} else if (command == Q_SETINFO || (command == Q_GETINFO && ok)) {
		if ((bytes = strace_struct(line, arg, 3, sizeof(struct if_dqinfo))))
			add_info(line, bytes);
	} else if (command == Q_SETQUOTA || ((command == Q_GETQUOTA || command == Q_GETNEXTQUOTA) && ok)) {
		if ((bytes = strace_struct(line, arg, 1, sizeof(struct if_dqblk))))
			add_limits(line, bytes, command == Q_GETNEXTQUOTA);
	} else if (command == Q_XSETQLIM || ((command == Q_XGETQUOTA || command == Q_XGETNEXTQUOTA) && ok)) {
		if ((bytes = strace_struct(line, arg, 4, sizeof(struct fs_disk_quota))))
			add_xfs_quota(line, bytes);
	} else {
		strace_address(line->out, strace_arg(line, arg));
	}
}
const struct strace_type t_quota = {
	print_quota,
	.steps = {
		{ STRACE_STRING, .from = SELF, .most = 4097 },
		STEP_READS(sizeof(struct if_dqblk)),
		STEP_READS(4),
		STEP_READS(sizeof(struct if_dqinfo)),
		STEP_READS(sizeof(struct fs_disk_quota)),
	},
};
