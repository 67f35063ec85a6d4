/* npy.h -- NumPy's .npy files (format 1 to 3): an array of numbers of one type, of one or two
 * dimensions.
 */
#ifndef GPUBENCH_DATASETS_READING_NPY_H
#define GPUBENCH_DATASETS_READING_NPY_H

#include "datasets/reading/reader.h"

struct gb_npy {
	char kind;                        /* 'f', 'i' or 'u' */
	unsigned size;                    /* of a number: 4 or 8 for 'f', else 1, 2, 4 or 8 */
	bool big, fortran;                /* big-endian; columns lie one behind the other */
	size_t rows, columns, dimensions; /* one dimension: one column */
	const unsigned char *data;
};

bool gb_is_npy(const struct gb_reader *r);

/* Read the header.  GB_EUSAGE for another type of numbers, more dimensions, or fewer bytes than the
 * shape takes.  Bytes after the array are noted. */
enum gb_status gb_npy_open(struct gb_npy *n, struct gb_reader *r);

/* The bits of a number, sign-extended to 64, and its value. */
uint64_t gb_npy_bits(const struct gb_npy *n, size_t row, size_t column);
double gb_npy_value(const struct gb_npy *n, size_t row, size_t column);

#endif
