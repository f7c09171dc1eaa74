// SPDX-License-Identifier: BSD-2-Clause
/*
 * Flame graphs: one SVG file that a browser shows with tooltips, zoom and search, and that is a still picture in a page
 * or an image viewer. It needs no network, fonts or other files. The root is at the bottom. When it compares, widths
 * are those of the new profile, and a color says by how many percentage points a share of the total has changed.
 *
 * The places and the cut labels written here are those of the still picture; flame.js computes them anew for the window
 * that there is, and flame.css has the colors.
 */
#include "clock.h"
#include "flame.css.inc"
#include "flame.js.inc"
#include "flame_label.h"
#include "flame_plan.h"

#define WIDTH	       1200
#define SIDE	       16 /* left and right of the frames */
#define INSIDE	       (WIDTH - 2 * SIDE)
#define HEAD	       84  /* above the frames: title, subtitle, a line for the frame below the mouse */
#define ROW	       18  /* from one frame to the next above */
#define LINE	       17  /* from one line of notes to the next */
#define LETTER	       7.0 /* the width of a letter in a frame, at most */
#define PAD	       4   /* in front of a label and behind it */
#define LEAST	       4   /* a label has at least so many letters */
#define TINTS	       6   /* of each kind of frames, in flame.css */
#define SWATCH	       16  /* from a swatch to its text */
#define MAX_GONE       8 /* of the functions that only the old profile has, so many are listed */
#define DOT	       " \xc2\xb7 "

struct drawing {
	struct str *s;
	const struct files *files;
	struct flame_plan plan;
	bool kinds[FRAME_MARK + 1]; /* that occur */
	struct flame_cause *causes; /* that have a color of their own */
	size_t n_causes;
	size_t cause_width, causes_in_line; /* of their list below the frames */
};

/* --- numbers --- */

static double share(uint64_t count, uint64_t total)
{
	return total ? (double)count / total : 0;
}

static void add_grouped(struct str *s, uint64_t value)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			str_addc(s, ',');
		str_addc(s, digits[i]);
	}
}

/* "1,234 samples", or for times "1.23 s". */
static void add_amount(struct str *s, uint64_t weight, const struct files *files)
{
	static const char *const times[] = { "ns", "\xc2\xb5s", "ms", "s" };
	double value = weight;
	size_t step = 0;

	if (!files->about.by_time) {
		const char *unit = files_unit(files);

		/* "1 sample" */
		add_grouped(s, weight);
		str_addc(s, ' ');
		str_addn(s, unit, strlen(unit) - (weight == 1));
		return;
	}
	for (; step + 1 < ARRAY_SIZE(times) && value >= 1000; step++)
		value /= 1000;
	str_addf(s, "%.*f %s", !step ? 0 : value < 10 ? 2
				   : value < 100      ? 1
						      : 0,
		 value, times[step]);
}

static void add_percent(struct str *s, uint64_t count, uint64_t total)
{
	double percent = 100 * share(count, total);

	if (count && percent < .01)
		str_add(s, "&lt;0.01 %");
	else
		str_addf(s, "%.2f %%", percent);
}

/* --- frames --- */

/* By how much the share of the total grew, in percentage points, as a color: 0 to 5 grew, 0 to -5 shrank. */
static int change_color(double points)
{
	static const double steps[] = { .1, .5, 2, 5, 10 };
	double size = points < 0 ? -points : points;
	int color = 0;

	while (color < (int)ARRAY_SIZE(steps) && size >= steps[color])
		color++;
	return points < 0 ? -color : color;
}

static double points_of(const struct drawing *d, uint64_t count, uint64_t old)
{
	return 100 * (share(count, d->plan.total) - share(old, d->plan.old_total));
}

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/: a name has the same tint in each picture. */
static int choose_tint(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	/* else names that differ in the last letter have few tints */
	return (hash ^ hash >> 15) * 0x85ebca6bu / (UINT32_MAX / TINTS + 1);
}

/* "[unknown]" has an address, but is no name. */
static enum frame_kind kind_of(const struct frame *frame)
{
	bool is_mark = !frame || (*frame->name == '[' && frame->name[strlen(frame->name) - 1] == ']');

	return is_mark ? FRAME_MARK : frame->kind;
}

/* The number of a cause in the key: there are not many. */
static size_t cause_number(const struct drawing *d, const struct frame *frame)
{
	size_t n = 0;

	while (n < d->n_causes && d->causes[n].frame != frame)
		n++;
	return n + 1;
}

/* The classes of the causes. */
static void draw_colors(const struct drawing *d)
{
	for (size_t i = 0; i < d->n_causes; i++)
		str_addf(d->s, ".c%zu{fill:%s}\n", i + 1, d->causes[i].frame->color->light);
	str_add(d->s, d->n_causes ? "@media (prefers-color-scheme:dark){\n" : "");
	for (size_t i = 0; i < d->n_causes; i++)
		str_addf(d->s, ".c%zu{fill:%s}\n", i + 1, d->causes[i].frame->color->dark);
	str_add(d->s, d->n_causes ? "}\n" : "");
}

static void add_class(struct drawing *d, const struct flame_box *box)
{
	static const char letters[] = {
		[FRAME_USER] = 'u',
		[FRAME_KERNEL] = 'k',
		[FRAME_JIT] = 'j',
		[FRAME_MARK] = 'm',
		[FRAME_INTERPRETED] = 'p',
	};
	const struct frame *frame = box->node ? d->plan.tree->v[box->node].frame : NULL;
	enum frame_kind kind = kind_of(frame);
	int color;

	if (d->files->compared && !box->narrow) {
		color = change_color(points_of(d, box->weight, box->old));
		if (color)
			str_addf(d->s, "%c%d", color > 0 ? 'r' : 'b', abs(color));
		else
			str_addc(d->s, 'z');
		return;
	}
	if (frame && frame->color) {
		str_addf(d->s, "c%zu", cause_number(d, frame));
		return;
	}
	d->kinds[kind] |= !!frame;
	str_addc(d->s, letters[kind]);
	if (kind != FRAME_MARK)
		str_addc(d->s, '0' + choose_tint(frame->name));
}

/* The tooltip. Its first line is the whole name, by which flame.js searches. */
static void add_title(const struct drawing *d, const struct flame_box *box, const char *name)
{
	const struct frame *frame = box->node ? d->plan.tree->v[box->node].frame : NULL;

	str_add(d->s, "<title>");
	str_add_xml(d->s, name, strlen(name));
	str_addc(d->s, '\n');
	if (frame && frame->file) {
		str_add_xml(d->s, frame->file, strlen(frame->file));
		str_addc(d->s, '\n');
	}
	add_amount(d->s, box->weight, d->files);
	str_add(d->s, ", ");
	add_percent(d->s, box->weight, d->plan.total);
	if (d->files->compared) {
		str_add(d->s, "\nbefore: ");
		add_amount(d->s, box->old, d->files);
		str_add(d->s, ", ");
		add_percent(d->s, box->old, d->plan.old_total);
		str_addf(d->s, " (%+.2f points)", points_of(d, box->weight, box->old));
	}
	str_add(d->s, "</title>");
}

static void draw_box(struct drawing *d, const struct flame_box *box)
{
	double scale = d->plan.total ? (double)INSIDE / d->plan.total : 0, width = box->weight * scale;
	char *narrow __free = base_printf("[%u narrow frame%s]", box->narrow, str_plural(box->narrow));
	const char *name = box->node ? d->plan.tree->v[box->node].frame->name : box->narrow ? narrow
											    : "all";

	if (!box->depth)
		width = INSIDE;
	str_addf(d->s, "<g data-n=\"%llu\"%s transform=\"translate(%.2f %u)\">", (unsigned long long)box->weight,
		 box->narrow ? " data-more=\"1\"" : "", SIDE + box->start * scale,
		 HEAD + (d->plan.depth - box->depth) * ROW);
	add_title(d, box, name);
	str_add(d->s, "<rect class=\"");
	add_class(d, box);
	/* a gap of a pixel to the right, less if the frame is narrow */
	str_addf(d->s, "\" width=\"%.2f\" height=\"%d\"/>", width - (width > 4 ? 1 : width / 4), ROW - 1);
	if (width >= 2 * PAD + LEAST * LETTER) {
		str_addf(d->s, "<text x=\"%d\" y=\"12.5\">", PAD);
		flame_label_add(d->s, name, (width - 2 * PAD) / LETTER);
		str_add(d->s, "</text>");
	}
	str_add(d->s, "</g>\n");
}

/* --- head and notes --- */

/* A text that flame.js fits to the window: data-full has all of it. letter: an average width. */
static void add_text(struct str *s, const char *attributes, double y, const char *text, double letter)
{
	str_addf(s, "<text %s x=\"%d\" y=\"%g\" data-full=\"", attributes, SIDE, y);
	str_add_xml(s, text, strlen(text));
	str_add(s, "\">");
	flame_label_cut(s, text, INSIDE / letter);
	str_add(s, "</text>\n");
}

static void draw_head(const struct drawing *d)
{
	const struct files_about *about = &d->files->about;
	__str struct str line = {};

	str_addf(d->s, "<g id=\"head\"><rect class=\"page\" width=\"100%%\" height=\"%d\"/>\n", HEAD - 6);
	add_text(d->s, "id=\"title\"", 28, about->title, 10);
	add_amount(&line, d->plan.total, d->files);
	if (about->lasted_ns) {
		str_add(&line, DOT);
		clock_add_seconds(&line, about->lasted_ns, 1);
		str_add(&line, " s");
	}
	if (about->began_ns) {
		str_add(&line, DOT);
		clock_add_stamp(&line, about->began_ns);
		/* without the microseconds and the offset from UTC */
		line.data[line.len -= strlen(".123456+02:00")] = 0;
		line.data[line.len - strlen("T12:00:00")] = ' ';
	}
	if (d->files->compared)
		str_addf(&line, DOT "compared with %s", d->files->compared);
	add_text(d->s, "class=\"note\"", 48, line.data, 6.5);
	str_addf(d->s, "<text id=\"info\" x=\"%d\" y=\"70\"/></g>\n", SIDE);
}

static void add_swatch(struct str *s, double x, const char *class)
{
	str_addf(s, "<rect class=\"%s\" x=\"%g\" width=\"11\" height=\"11\"/>", class, x);
}

static void add_key_text(struct str *s, double x, const char *text)
{
	str_addf(s, "<text class=\"note\" x=\"%g\" y=\"10\">%s</text>", x, text);
}

/* What the colors mean. */
static void draw_kinds(const struct drawing *d)
{
	static const struct {
		const char *class, *text;
		double width;
	} kinds[] = {
		[FRAME_USER] = { "u2", "user", 54 },
		[FRAME_KERNEL] = { "k2", "kernel", 66 },
		[FRAME_JIT] = { "j2", "JIT", 46 },
		[FRAME_INTERPRETED] = { "p2", "interpreted", 98 },
		[FRAME_MARK] = { "m", "not code", 80 },
	};
	double x = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!d->kinds[i])
			continue;
		add_swatch(d->s, x, kinds[i].class);
		add_key_text(d->s, x + 16, kinds[i].text);
		x += kinds[i].width;
	}
}

/* "disk 12.34 %"; a click searches for it. */
static void draw_cause(const struct drawing *d, const struct flame_cause *cause)
{
	char *class __free = base_printf("c%zu", cause_number(d, cause->frame));
	const char *name = cause->frame->name + 1;
	int n = strlen(name) - 1;
	__str struct str text = {};

	str_addf(&text, "%.*s ", n, name);
	add_percent(&text, cause->weight, d->plan.total);
	str_addf(d->s, " data-find=\"^\\[%.*s]$\">", n, name);
	add_swatch(d->s, 0, class);
	add_key_text(d->s, SWATCH, text.data);
}

/* The longest one needs as much room as there is from each to the next. */
static void measure_causes(struct drawing *d)
{
	size_t longest = 0;

	for (size_t i = 0; i < d->n_causes; i++) {
		size_t n = strlen(d->causes[i].frame->name) - strlen("[]");

		longest = n > longest ? n : longest;
	}
	d->cause_width = SWATCH + LETTER * (longest + strlen(" 100.00 % "));
	d->causes_in_line = d->cause_width < INSIDE ? INSIDE / d->cause_width : 1;
}

/* Wall-clock profiles: every frame that is not a wait counts as running. */
static void draw_causes(const struct drawing *d)
{
	uint64_t running = d->plan.total;
	__str struct str text = {};

	for (size_t i = 0; i < d->n_causes; i++)
		running -= d->causes[i].weight;
	str_add(&text, "running ");
	add_percent(&text, running, d->plan.total);
	for (size_t i = 0; d->n_causes && i <= d->n_causes; i++) {
		str_addf(d->s, "<g transform=\"translate(%zu %zu)\"", i % d->causes_in_line * d->cause_width,
			 (1 + i / d->causes_in_line) * LINE);
		if (i) {
			draw_cause(d, &d->causes[i - 1]);
		} else {
			str_addc(d->s, '>');
			add_key_text(d->s, 0, text.data);
		}
		str_add(d->s, "</g>");
	}
}

static void draw_scale(const struct drawing *d)
{
	double x = 54;

	add_key_text(d->s, 0, "shrank");
	for (int i = -5; i <= 5; i++, x += 12) {
		const char class[] = { i < 0 ? 'b' : i ? 'r'
						       : 'z',
				       i ? '0' + abs(i) : 0, 0 };

		add_swatch(d->s, x, class);
	}
	add_key_text(d->s, x + 6, "grew, as a share of the total: by 0.1, 0.5, 2, 5, 10 percentage points or more");
}

static void add_gone(const struct drawing *d, struct str *lines)
{
	const struct tree_node *v = d->plan.old->v;
	uint32_t *nodes __free = NULL;
	size_t n = flame_plan_gone(&d->plan, &nodes);
	uint64_t sum = 0;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		sum += flame_plan_old_weight(&d->plan, nodes[i]);
	str_addf(lines, "Only in %s, %.2f %% of it: %zu function%s with what %s called. The largest:\n",
		 d->files->compared,
		 100 * share(sum, d->plan.old_total), n, str_plural(n), n == 1 ? "it" : "they");
	for (size_t i = 0; i < n && i < MAX_GONE; i++) {
		const struct tree_node *node = &v[nodes[i]];

		str_addf(lines, "%8.2f %%  %s",
			 100 * share(flame_plan_old_weight(&d->plan, nodes[i]), d->plan.old_total),
			 node->frame->name);
		if (node->parent)
			str_addf(lines, ", called by %s", v[node->parent].frame->name);
		str_addc(lines, '\n');
	}
}

/* Appends the lines below the picture. No name has a line break: foreign ones come from lines. */
static void add_notes(const struct drawing *d, struct str *lines)
{
	if (d->plan.narrow) {
		str_add(lines, "Only the ");
		add_grouped(lines, FLAME_MAX_FRAMES);
		str_add(lines, " widest frames are drawn. ");
		add_grouped(lines, d->plan.narrow);
		str_addf(lines, " narrower ones, below %.2g %% each, are in grey boxes, or a gap.\n",
			 100 * share(d->plan.least, d->plan.total));
	}
	if (d->files->about.note)
		str_addf(lines, "%s\n", d->files->about.note);
	if (d->files->compared)
		add_gone(d, lines);
}

static void draw_notes(const struct drawing *d, const struct str *lines, double y)
{
	const char *line = str_or_empty(lines->data);

	for (const char *end; (end = strchr(line, '\n')); line = end + 1, y += LINE) {
		char *text __free = base_strndup(line, end - line);

		add_text(d->s, "class=\"note\"", y, text, 6.5);
	}
}

static size_t count_lines(const struct str *lines)
{
	size_t n = 0;

	for (size_t i = 0; i < lines->len; i++)
		n += lines->data[i] == '\n';
	return n;
}

static void draw(struct drawing *d)
{
	int bottom = HEAD + (d->plan.depth + 1) * ROW + 12, height;
	__str struct str notes = {};
	int key = d->n_causes ? LINE * (1 + d->n_causes / d->causes_in_line) : 0;

	add_notes(d, &notes);
	height = bottom + key + 24 + count_lines(&notes) * LINE + 8;
	str_addf(d->s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		       "height=\"%d\" viewBox=\"0 0 %d %d\">\n<title>",
		 WIDTH, height, WIDTH, height);
	str_add_xml(d->s, d->files->about.title, strlen(d->files->about.title));
	str_addf(d->s, "</title>\n<style><![CDATA[\n%s", flame_css);
	draw_colors(d);
	str_add(d->s, "]]></style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
	str_add(d->s, "<g id=\"frames\">");
	vec_each(box, &d->plan.boxes)
		draw_box(d, box);
	str_addf(d->s, "</g>\n<g class=\"key\" transform=\"translate(%d %d)\">", SIDE, bottom);
	if (d->files->compared)
		draw_scale(d);
	else
		draw_kinds(d);
	draw_causes(d);
	str_add(d->s, "</g>\n");
	draw_notes(d, &notes, bottom + key + 34);
	draw_head(d);
	str_addf(d->s, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flame_js);
}

static void flame_add(struct str *s, const struct files *files)
{
	struct drawing d = { .s = s, .files = files };

	flame_plan_init(&d.plan, files);
	if (!files->compared)
		d.n_causes = flame_plan_causes(&d.plan, &d.causes);
	measure_causes(&d);
	draw(&d);
	free(d.causes);
	flame_plan_release(&d.plan);
}

const struct file_format file_flame = { .name = "flame", .add = flame_add };
