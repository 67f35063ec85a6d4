/* list.c -- reader of edge lists: SNAP, Konect, GAPBS's .el and .wel, tables with commas.
 *
 * Their first lines say, in comments or names of columns, how the rest is to be read.  A first line
 * "N M" and a last line "-1 -1" are recognised only if they fit.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "common/memory.h"
#include "datasets/graph/lines.h"

static const char COMMENTS[] = "#%/";

/* The format that the first lines show. */
struct head {
	const char *kind; /* "SNAP ", "Konect ", or "" */
	bool undirected, konect, bipartite;
	uint64_t vertices, edges; /* 0: unknown */
	bool taken;               /* the first line of numbers may be "N M" */
	uint64_t number[3];
	int numbers;
	size_t comments;
};

/* ---- comments ---------------------------------------------------------------------------- */

static bool begins_with(const char *at, const char *word)
{
	return !strncasecmp(at, word, strlen(word));
}

/* The same for a whole column. */
static bool is_word(const char *at, const char *word)
{
	return begins_with(at, word) && !isalnum((unsigned char)at[strlen(word)]);
}

/* The number after `word` in the line at `at`; 0 if there is none. */
static uint64_t number_after(const char *at, const char *word)
{
	uint64_t value = 0;

	for (; *at != '\n'; at++)
		if (begins_with(at, word)) {
			(void)gb_read_natural(gb_skip_blanks(at + strlen(word)), &value);
			return value;
		}
	return 0;
}

/* SNAP: "# Undirected graph: ..." and "# Nodes: 6 Edges: 5"; Konect: "% sym unweighted". */
static void read_comment(const char *at, struct head *head)
{
	const char mark = *at;
	uint64_t value;

	at = gb_skip_blanks(at + 1);
	if (mark == '%' && (is_word(at, "sym") || is_word(at, "asym") || is_word(at, "bip"))) {
		head->kind = "Konect ";
		head->konect = true;
		head->undirected = begins_with(at, "sym");
		head->bipartite = begins_with(at, "bip");
	}
	if (mark == '#' && begins_with(at, "undirected graph"))
		head->undirected = true;
	value = mark == '#' ? number_after(at, "nodes:") : 0;
	if (value && value <= INT32_MAX) {
		head->kind = "SNAP ";
		head->vertices = value;
		head->edges = number_after(at, "edges:");
	}
}

/* ---- the first lines --------------------------------------------------------------------- */

/* Read the numbers of a line that has two or three of them and nothing else.  They may be "N M" if
 * about as many lines follow: it costs time to be wrong about a long file. */
static void read_counts(const struct gb_reader *r, struct head *head)
{
	const char *at = r->at;
	uint64_t *const number = head->number;
	size_t lines;

	for (; *at != '\n' && head->numbers < 3; head->numbers++) {
		at = gb_read_natural(at, &number[head->numbers]);
		if (!at || !gb_is_space(*at))
			return;
		at = gb_skip_blanks(at);
	}
	if (*at != '\n' || head->numbers < 2 || number[0] == 0 || number[0] > INT32_MAX ||
	    number[head->numbers - 1] == 0 || (head->numbers == 3 && number[1] != number[0]))
		return;
	lines = at < r->end ? gb_count_lines(at + 1, r->end) : 0;
	head->taken =
		number[head->numbers - 1] <= lines && lines <= 2 * number[head->numbers - 1] + 100;
}

/* The number of columns of a line.  *shifted: its names say that the first two are not the ends of an
 * edge. */
static unsigned count_columns(const char *at, bool *shifted)
{
	static const char *const ends[][4] = { { "source", "src", "from", "start" },
					       { "target", "dst", "to", "end" } };
	unsigned column = 0;

	*shifted = false;
	for (; *at != '\n'; column++) {
		const char *const name = at + strspn(at, "\":_");

		if (!column)
			*shifted =
				(!isalpha((unsigned char)*name) && (unsigned char)*name < 0x80) ||
				is_word(name, "index") || (is_word(name, "id") && name[2] != '_');
		for (unsigned i = 0; i < 8; i++)
			*shifted |= column != i / 4 && is_word(name, ends[i / 4][i % 4]);
		at += strcspn(at, ",;| \t\n");
		at += strspn(at, ",;| \t\r");
	}
	return column;
}

/* Read what comes before the first line of numbers, and that if it may be "N M". */
static enum gb_status read_head(struct gb_reader *r, struct head *head)
{
	struct gb_reader next;
	const char *at = r->at;
	unsigned columns;
	bool shifted;

	if (!graph_find_line(r, COMMENTS, &head->comments))
		return GB_OK;
	for (; at < r->at; at = strchr(at, '\n') + 1)
		read_comment(gb_skip_blanks(at), head);
	if (gb_is_digit(r->at[*r->at == '"']) || *r->at == '-') {
		if (!*head->kind)
			read_counts(r, head);
		return GB_OK;
	}
	next = *r;
	gb_reader_next_line(&next);
	if (!graph_find_line(&next, COMMENTS, &head->comments) ||
	    !gb_is_digit(next.at[*next.at == '"']))
		return gb_reader_fail(r, "a vertex number is expected; names of vertices are not "
					 "read");
	columns = count_columns(r->at, &shifted);
	if (shifted || columns < count_columns(next.at, &shifted))
		return gb_reader_fail(r, "the first two columns are not named as ends of an edge");
	gb_reader_note("header \"%.*s\" skipped, first two columns taken",
		       (int)strcspn(r->at, "\r\n"), r->at);
	*r = next;
	return GB_OK;
}

/* The end of the text without a last line "-1 -1". */
static const char *without_sentinel(const struct gb_reader *r)
{
	const char *at = r->end;

	while (at > r->at && gb_is_space(at[-1]))
		at--;
	while (at > r->at && at[-1] != '\n')
		at--;
	if (!begins_with(at, "-1") || !begins_with(at + 2 + strspn(at + 2, " \t,;"), "-1"))
		return r->end;
	gb_reader_note("last line -1 -1 ignored");
	return at;
}

/* ---- the whole --------------------------------------------------------------------------- */

static bool has_zero(const struct graph_edges *edges)
{
	for (uint64_t i = 0; i < 2 * edges->count; i++)
		if (edges->id[i] == 0)
			return true;
	return false;
}

/* True if the line of numbers is "N M" or "N N M": M edges follow it, and their vertices are among
 * 0 .. N - 1, or 1 .. N. */
static bool fits(const struct head *head, const struct graph_edges *edges,
		 const struct graph_found *found)
{
	const uint64_t n = head->number[0];

	return edges->count == head->number[head->numbers - 1] &&
	       (n > found->largest || (n == found->largest && !has_zero(edges)));
}

/* Read the edges after the head. */
static enum gb_status read_edges(struct gb_reader *r, const char *end, struct head *head,
				 const struct graph_rules *rules, struct graph_edges *edges,
				 struct graph_found *found)
{
	const struct gb_reader start = *r;
	struct graph_rules counted = *rules;

	if (head->taken) {
		gb_reader_next_line(r);
		/* The first larger vertex ends this, so that few lines are read twice. */
		counted.n = head->number[0] + 1;
		if (!graph_read_lines(r, end, &counted, edges, found) && fits(head, edges, found)) {
			gb_reader_note("first line taken as %" PRIu64 " vertices and %" PRIu64
				       " edges",
				       head->number[0], edges->count);
			head->vertices = head->number[0];
			return GB_OK;
		}
		gb_host_free(edges->id);
		*edges = (struct graph_edges){ 0 };
		if (r->err->code == GB_EUSAGE)
			*r->err = (struct gb_error){ 0 };
		*r = start;
	}
	return graph_read_lines(r, end, rules, edges, found);
}

/* Number the vertices and compare with what the head says. */
static enum gb_status number(struct gb_reader *r, const struct head *head,
			     struct graph_edges *edges, const struct graph_found *found)
{
	const uint64_t n = head->vertices > found->largest ? head->vertices : 0;

	if (!edges->count)
		return gb_fail(r->err, GB_EUSAGE, "%s holds no edges", r->path);
	if (gb_reader_claim(r, (double)n * GRAPH_VERTEX_BYTES, "%" PRIu64 " vertices", n) ||
	    graph_number_vertices(r, edges, found, n))
		return r->err->code;
	if (head->vertices && head->vertices != edges->n)
		gb_reader_note("not the %" PRIu64 " vertices that its header says", head->vertices);
	if (head->edges && head->edges != edges->count)
		gb_reader_note("not the %" PRIu64 " edges that its header says", head->edges);
	return GB_OK;
}

enum gb_status graph_read_list(struct gb_reader *r, struct graph_edges *edges)
{
	struct graph_rules rules = { .comments = COMMENTS,
				     .letters = "",
				     .ignored = "",
				     .most = 32,
				     .separators = true,
				     .words = true };
	struct head head = { .kind = "" };
	struct graph_found found = { 0 };
	uint64_t read;

	if (read_head(r, &head))
		return r->err->code;
	gb_reader_is(r, GB_FILE_EDGES, head.kind);
	rules.base = head.konect;
	if (head.bipartite)
		return gb_reader_fail(r, "a bipartite graph is not read");
	if (read_edges(r, without_sentinel(r), &head, &rules, edges, &found))
		return r->err->code;
	edges->undirected = head.undirected;
	if (number(r, &head, edges, &found))
		return r->err->code;
	read = edges->count;
	if (edges->undirected && graph_take_halves(edges) && edges->count < read)
		gb_reader_note("each edge is listed at both ends");
	if (head.comments + found.comments)
		gb_reader_tell("comments: %zu", head.comments + found.comments);
	if (edges->undirected)
		gb_reader_tell("undirected");
	graph_note_ignored(&found, "edges");
	return GB_OK;
}
