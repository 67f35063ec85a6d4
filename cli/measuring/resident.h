/* resident.h -- the memory that the process holds, with what libraries allocate for themselves.
 *
 * common/memory.h counts the arrays of a variant exactly, but not a library's.  The kernel counts
 * all pages that were touched, so this is meaningful from some megabytes on.
 */
#ifndef GPUBENCH_CLI_MEASURING_RESIDENT_H
#define GPUBENCH_CLI_MEASURING_RESIDENT_H

/* Return free memory to the kernel, let a new peak begin, and return the bytes resident now; NAN if
 * the kernel does not say or begins no new peak. */
double gb_resident_mark(void);

/* Bytes resident now, and the most since the mark; NAN if unknown. */
double gb_resident_now(void);
double gb_resident_peak(void);

#endif
