/* secret.h -- random numbers that a measured variant cannot foresee. */
#ifndef GPUBENCH_COMMON_SECRET_H
#define GPUBENCH_COMMON_SECRET_H

#include <stdint.h>

/* 64 random bits.  Their key is drawn from the kernel at the first call in a process. */
uint64_t gb_secret(void);

#endif
