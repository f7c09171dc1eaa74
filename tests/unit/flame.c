// SPDX-License-Identifier: BSD-2-Clause
/* Labels, boxes and comparisons of flame graphs, and the reader of folded stacks. tests/host/flame.sh has the pictures. */
#include <criterion/criterion.h>
#include <sys/mman.h>

#include "output/baseline.h"
#include "output/flame_label.h"
#include "output/flame_plan.h"

Test(flame, labels_are_cut)
{
	static const struct {
		const char *name;
		size_t columns;
		const char *label;
	} cases[] = {
		{ "vfs_read", 8, "vfs_read" },
		{ "vfs_read", 7, "vfs_re\u2026" },
		{ "shop::Cart::add(int, char const*)", 40, "shop::Cart::add(int, char const*)" },
		{ "shop::Cart::add(int, char const*)", 20, "shop::Cart::add" },
		{ "shop::Cart::add(int, char const*)", 12, "\u2026Cart::add" },
		{ "shop::Cart::add(int, char const*)", 6, "\u2026add" },
		{ "shop::Cart::remove_all()", 6, "remov\u2026" },
		{ "void std::sort<int*, less<std::a> >(int*) const", 12, "std::sort" },
		{ "a::f(int) [clone .cold]", 10, "a::f" },
		{ "(anonymous namespace)::helper(int)", 12, "helper" },
		/* not of that form: the end is cut off */
		{ "a::b::operator<(int)", 10, "a::b::ope\u2026" },
		{ "<a::B as c::D>::drop", 10, "&lt;a::B as \u2026" },
		{ "a::b<<c(d", 5, "a::b\u2026" },
		{ "a::b>c(d", 5, "a::b\u2026" },
		{ "a::<b>", 3, "a:\u2026" },
		{ "a::<impl b>::c", 8, "a::&lt;imp\u2026" },
		{ "main.(*T).Read", 8, "main.(*\u2026" },
		/* two columns each, never cut in two */
		{ "\u6f22\u5b57\u6f22\u5b57", 8, "\u6f22\u5b57\u6f22\u5b57" },
		{ "\u6f22\u5b57\u6f22\u5b57", 6, "\u6f22\u5b57\u2026" },
		{ "a\033\xff", 20, "a\\x1b\\xff" },
		{ "<b>&\"'", 20, "&lt;b&gt;&amp;&quot;&#39;" },
		{ "", 5, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		__str struct str s = {};

		flame_label_add(&s, cases[i].name, cases[i].columns);
		cr_expect_str_eq(str_or_empty(s.data), cases[i].label, "%s in %zu: %s", cases[i].name, cases[i].columns,
				 str_or_empty(s.data));
	}
}

static int file_of(const char *text, size_t n)
{
	int fd = memfd_create("folded", 0);

	cr_assert_eq(write(fd, text, n), (ssize_t)n);
	cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int read_text(struct tree *tree, const char *text, size_t n, struct err *err)
{
	int fd __close = file_of(text, n);

	return baseline_read(tree, fd, "OLD", err);
}

/* "name:total" of each node, parents first. The caller frees it. */
static char *list(const struct tree *tree)
{
	struct str s = {};

	for (uint32_t node = tree_next(tree, 0); node; node = tree_next(tree, node))
		str_addf(&s, "%s:%lu:%d ", tree->v[node].frame->name, tree->v[node].total.count, tree->v[node].frame->kind);
	return s.data;
}

Test(flame, reads_folded_stacks)
{
	static const char text[] = "# a comment\n\nsh;main;read;--;vfs_read_[k] 5\r\nsh;main 2.75\nnode;fn x_[j];-;[unknown] 4\n"
				   "sh;main;read;vfs_read_[k] 1";
	struct tree tree = {};
	struct err err = {};
	char *nodes __free = NULL;

	cr_expect_eq(read_text(&tree, text, strlen(text), &err), 0, "%s", err.text);
	nodes = list(&tree);
	cr_expect_str_eq(nodes, "node:4:4 fn x:4:2 [unknown]:4:4 sh:8:4 main:8:0 read:6:0 vfs_read:6:1 ", "%s", nodes);
	cr_expect_eq(tree.v[0].total.count, 12);
	tree_release(&tree);
}

Test(flame, an_empty_file_is_an_empty_profile)
{
	struct tree tree = {};
	struct err err = {};

	cr_expect_eq(read_text(&tree, "", 0, &err), 0);
	cr_expect_eq(tree.n, 1);
	tree_release(&tree);
}

Test(flame, refuses_what_is_not_folded)
{
	static const struct {
		const char *text;
		int ret;
		const char *reason;
	} cases[] = {
		{ "main", -EINVAL, "OLD, line 1: not a folded stack" },
		{ "a 1\nmain x", -EINVAL, "OLD, line 2:" },
		{ " 5", -EINVAL, "not a folded stack" },
		{ "main -5", -EINVAL, "not a folded stack" },
		{ "main .5", -EINVAL, "not a folded stack" },
		{ "main 5.x", -EINVAL, "not a folded stack" },
		{ "main 18446744073709551616", -EINVAL, "not a folded stack" },
		{ "main 18446744073709551615", -E2BIG, "too large" },
		{ "a 9223372036854775807\nb 1", -E2BIG, "OLD, line 2: the sum" },
		{ "\177ELF\2\1\1", -EINVAL, "line 1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tree tree = {};
		struct err err = {};

		cr_expect_eq(read_text(&tree, cases[i].text, strlen(cases[i].text), &err), cases[i].ret, "%s", cases[i].text);
		cr_expect(strstr(err.text, cases[i].reason), "%s", err.text);
		tree_release(&tree);
	}
}

Test(flame, lines_have_a_limit_and_stacks_are_cut)
{
	__str struct str text = {};
	struct tree tree = {};
	struct err err = {};

	for (int i = 0; i < 3000; i++)
		str_add(&text, "f;");
	str_add(&text, "f 1\n");
	cr_expect_eq(read_text(&tree, text.data, text.len, &err), 0, "%s", err.text);
	cr_expect_eq(tree.n, 1 + TREE_DEPTH, "%zu", tree.n);
	tree_release(&tree);

	str_add_fill(&text, 'x', 256 << 10);
	str_add(&text, " 1\n");
	cr_expect_eq(read_text(&tree, text.data, text.len, &err), -E2BIG);
	cr_expect(strstr(err.text, "OLD, line 2: longer than 256 KB"), "%s", err.text);
	tree_release(&tree);
}

Test(flame, a_file_that_cannot_be_read)
{
	struct files files = {};
	struct err err = {};

	cr_expect_eq(baseline_open(&files, "/nonexistent", &err), -ENOENT);
	cr_expect(strstr(err.text, "cannot read /nonexistent: No such file"), "%s", err.text);
	cr_expect_eq(baseline_open(&files, "/", &err), -EISDIR);
	files_release(&files);
}

static void read_files(struct files *files, const char *now, const char *old)
{
	struct err err = {};

	cr_assert_eq(read_text(&files->tree, now, strlen(now), &err), 0, "%s", err.text);
	if (!old)
		return;
	cr_assert_eq(read_text(&files->old, old, strlen(old), &err), 0, "%s", err.text);
	files->compared = "OLD";
}

/* "depth:name start+weight(old) " of each box. The caller frees it. */
static char *boxes(const struct flame_plan *plan)
{
	struct str s = {};

	vec_each(box, &plan->boxes) {
		const char *name = box->node ? plan->tree->v[box->node].frame->name : box->narrow ? "..."
												  : "all";

		str_addf(&s, "%u:%s %lu+%lu(%lu) ", box->depth, name, box->start, box->weight, box->old);
	}
	return s.data;
}

Test(flame, boxes_stand_side_by_side)
{
	struct files files = {};
	struct flame_plan plan;
	char *text __free = NULL;

	read_files(&files, "sh;b;d 3\nsh;a 2\nsh;b;c 4\nsh;b 1\nz;a 7\nsh;never 0\n", NULL);
	flame_plan_init(&plan, &files);
	text = boxes(&plan);
	cr_expect_str_eq(text, "0:all 0+17(0) 1:sh 0+10(0) 2:a 0+2(0) 2:b 2+8(0) 3:c 2+4(0) 3:d 6+3(0) 1:z 10+7(0) 2:a 10+7(0) ",
			 "%s", text);
	cr_expect_eq(plan.depth, 3);
	cr_expect_eq(plan.narrow, 0);
	flame_plan_release(&plan);
	files_release(&files);
}

Test(flame, the_widest_frames_are_drawn)
{
	__str struct str now = {};
	struct files files = {};
	struct flame_plan plan;
	uint64_t narrow = 0;

	/* 8 wide ones that each called 5000 with one sample and 1300 with two */
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 6300; j++)
			str_addf(&now, "sh;wide%d;f%d %d\n", i, j, j < 5000 ? 1 : 2);
	read_files(&files, now.data, NULL);
	flame_plan_init(&plan, &files);
	/* with those of two samples there would be too many */
	cr_expect_eq(plan.least, 3);
	cr_expect_eq(plan.narrow, 8 * 6300);
	cr_expect_eq(plan.boxes.n, 2 + 8 + 8);
	vec_each(box, &plan.boxes) {
		narrow += box->narrow;
		cr_expect(!box->narrow || box->weight == 7600);
	}
	cr_expect_eq(narrow, 8 * 6300);
	flame_plan_release(&plan);
	files_release(&files);
}

Test(flame, compares_by_names)
{
	struct files files = {};
	struct flame_plan plan;
	char *text __free = NULL;
	uint32_t *gone __free = NULL;

	/* "read" is a function of users and of the kernel */
	read_files(&files, "sh;a;x 2\nsh;b 1\nsh;new 4\nsh;read 1\nsh;read_[k] 3\n",
		   "sh;old;a 5\nsh;a;y 9\nsh;b 3\nsh;a;z 20\nsh;read_[k] 7\nsh;read 6\nother;a 1\n");
	flame_plan_init(&plan, &files);
	text = boxes(&plan);
	cr_expect_str_eq(text, "0:all 0+11(51) 1:sh 0+11(50) 2:a 0+2(29) 3:x 0+2(0) 2:b 2+1(3) 2:new 3+4(0) "
			       "2:read 7+1(6) 2:read 8+3(7) ",
			 "%s", text);
	cr_assert_eq(flame_plan_gone(&plan, &gone), 4);
	cr_expect_str_eq(files.old.v[gone[0]].frame->name, "z");
	cr_expect_str_eq(files.old.v[gone[1]].frame->name, "y");
	cr_expect_str_eq(files.old.v[gone[2]].frame->name, "old");
	cr_expect_str_eq(files.old.v[gone[3]].frame->name, "other");
	flame_plan_release(&plan);
	files_release(&files);
}

/* Our names are compared as a folded file of ours would have them. */
Test(flame, compares_names_that_are_escaped)
{
	static const struct frame frames[] = { { .name = "a;b\n" }, { .name = "a[" }, { .name = "" } };
	struct files files = {};
	struct flame_plan plan;
	char *text __free = NULL;

	for (uint32_t i = 0; i < ARRAY_SIZE(frames); i++) {
		uint32_t node = tree_add(&files.tree, 0, &frames[i]);

		files.tree.v[node].self.count = i + 1;
	}
	tree_finish(&files.tree);
	read_files(&files, "", "a\\x3bb\\n 10\na[ 20\n[unknown] 30\n");
	flame_plan_init(&plan, &files);
	text = boxes(&plan);
	cr_expect_str_eq(text, "0:all 0+6(60) 1: 0+3(30) 1:a;b\n 3+1(10) 1:a[ 4+2(20) ", "%s", text);
	flame_plan_release(&plan);
	files_release(&files);
}

Test(flame, times_are_ns_and_old_ones_microseconds)
{
	struct files files = { .about.by_time = true };
	struct flame_plan plan;

	read_files(&files, "sh;a 2\n", "sh;a 3\n");
	vec_each(node, &files.tree)
		node->self.ns = 5000 * node->self.count;
	tree_finish(&files.tree);
	flame_plan_init(&plan, &files);
	cr_expect_eq(plan.total, 10000);
	cr_expect_eq(plan.boxes.v[2].weight, 10000);
	cr_expect_eq(plan.boxes.v[2].old, 3000);
	flame_plan_release(&plan);
	files_release(&files);
}

/* A picture without samples is one box, and what it says is in it. */
Test(flame, draws_nothing)
{
	struct files files = { .about = { .title = "sonde <profile>", .counts = "samples", .note = "7 samples lost" } };
	__str struct str s = {};

	tree_finish(&files.tree);
	file_flame.add(&s, &files);
	cr_expect(strstr(s.data, "<title>sonde &lt;profile&gt;</title>"));
	cr_expect(strstr(s.data, ">7 samples lost</text>"));
	cr_expect(strstr(s.data, "<title>all\n0 samples, 0.00 %</title>"));
	cr_expect(!strstr(s.data, "nan") && !strstr(s.data, "inf\""));
	files_release(&files);
}
