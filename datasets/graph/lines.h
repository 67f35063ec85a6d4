/* lines.h -- texts with one edge, two vertices, per line. */
#ifndef GPUBENCH_DATASETS_GRAPH_LINES_H
#define GPUBENCH_DATASETS_GRAPH_LINES_H

#include "datasets/graph/build.h"

/* How the lines of a format look. */
struct graph_rules {
	const char *comments; /* characters that start a comment; / stands for two slashes */
	const char *letters;  /* characters that start the line of an edge; "": a number does */
	const char *ignored;  /* characters that start a line that is ignored, as of a node */
	uint32_t base;        /* number of the first vertex: 0 or 1 */
	uint64_t n;           /* vertices; 0: as many as the numbers say */
	unsigned least, most; /* values after the two vertices */
	bool separators;      /* commas and semicolons may stand between columns */
	bool words;           /* a line may go on with text after its numbers */
};

/* Counts of the lines and edges that were read. */
struct graph_found {
	size_t comments;  /* lines of comments */
	size_t ignored;   /* other lines that were ignored */
	size_t valued;    /* edges with values */
	size_t worded;    /* edges with text after them */
	uint64_t largest; /* vertex, from 0 */
};

/* Read the edges from r->at, the start of a line, to `end`, the end of a line or of the file.
 * They are edges->id; edges->n is not set. */
enum gb_status graph_read_lines(struct gb_reader *r, const char *end,
				const struct graph_rules *rules, struct graph_edges *edges,
				struct graph_found *found);

/* Note what was ignored; `edges` is what the format calls them. */
void graph_note_ignored(const struct graph_found *found, const char *edges);

/* Set edges->n and edges->key.  The vertices are renumbered 0, 1, 2 ... in the order of their ids if
 * these leave gaps, unless there are `n` vertices by the file's header (0: unknown). */
enum gb_status graph_number_vertices(struct gb_reader *r, struct graph_edges *edges,
				     const struct graph_found *found, uint64_t n);

/* Advance to the first line, from the current one on, that is neither blank nor a comment, and count
 * the comments.  False, with r->line that of the last line, if there is none. */
bool graph_find_line(struct gb_reader *r, const char *comments, size_t *count);

#endif
