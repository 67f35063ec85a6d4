/* resident.h -- the memory that a variant adds to the process, with what libraries allocate for
 * themselves.
 *
 * common/memory.h counts the arrays of a variant exactly, but not a library's.  The kernel counts
 * all pages that were touched, so this is meaningful from some megabytes on.
 */
#ifndef GPUBENCH_COMMON_RESIDENT_H
#define GPUBENCH_COMMON_RESIDENT_H

/* A watch over the resident memory; it does nothing if base is NAN. */
struct gb_resident {
	double base;   /* bytes of the process that are not the variant's */
	double paused; /* bytes resident at the last pause */
	double peak;   /* most bytes of the variant until then */
};

/* Return free memory to the kernel and begin.  base is NAN if the kernel cannot tell a new peak. */
void gb_resident_begin(struct gb_resident *resident);

/* Leave out what the process allocates in between. */
void gb_resident_pause(struct gb_resident *resident);
void gb_resident_resume(struct gb_resident *resident);

/* The most bytes that the variant added since the beginning; NAN if unknown. */
double gb_resident_peak(const struct gb_resident *resident);

#endif
