/* orders.h -- what `ab` tells a launch: keys that are decided, whether to measure libraries, and
 * the copy bandwidth that an earlier launch has measured.
 *
 * GPUBENCH_ORDERS=FILE in the environment names a file of lines: keys to leave out, "peers" to
 * leave out all libraries that are not named on the command line, and "copy BACKEND THREADS
 * BYTES_PER_S".  A launch with such a file takes no phases.  A build that does not know the
 * variable, or cannot read the file, measures everything, and `ab` ignores the rest.
 */
#ifndef GPUBENCH_CLI_MEASURING_ORDERS_H
#define GPUBENCH_CLI_MEASURING_ORDERS_H

#include <stdio.h>

#include "cli/measuring/choice.h"

#define GB_ORDERS_VARIABLE "GPUBENCH_ORDERS"

enum { GB_ORDERS_COPIES = 16 };

/* Start with { 0 }, which orders nothing. */
struct gb_orders {
	bool given;         /* there was a file */
	bool without_peers; /* leave out libraries */
	size_t count;
	char **key; /* to leave out; owned */
	size_t copies;
	struct gb_copy {
		enum gb_backend backend;
		int threads;
		double bytes_per_s;
	} copy[GB_ORDERS_COPIES];
};

/* Read the file that the environment names, if there is one.  GB_EMEMORY. */
enum gb_status gb_orders_read(struct gb_orders *orders, struct gb_error *err);
/* Write what gb_orders_read() reads.  The caller checks the stream for errors. */
void gb_orders_print(FILE *file, const struct gb_orders *orders);
/* Write them to a file without a name, which the next launch inherits and the environment names.
 * NULL on failure: GB_EIO. */
FILE *gb_orders_give(const struct gb_orders *orders, struct gb_error *err);
/* Add a bandwidth, or raise the one of that back end and number of threads. */
void gb_orders_copy(struct gb_orders *orders, struct gb_copy copy);
/* Append a copy of the key.  GB_EMEMORY. */
enum gb_status gb_orders_omit(struct gb_orders *orders, const char *key, struct gb_error *err);
void gb_orders_release(struct gb_orders *orders);

bool gb_omits_key(const struct gb_orders *orders, const char *key);
/* True if the variant is a library that is not among the words ("cpu/vqsort"). */
bool gb_omits_variant(const struct gb_orders *orders, const struct gb_variant *variant,
		      const char *const *word, size_t words);

#endif
