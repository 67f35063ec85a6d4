/* control.h -- what the runtime tells tests, in C and C++.  The functions are weak: without the
 * executor they are NULL. */
#ifndef GPUBENCH_TESTS_CUDART_CONTROL_H
#define GPUBENCH_TESTS_CUDART_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of kernels launched and of bytes written by cudaMemset() so far. */
uint64_t cudart_launches(void) __attribute__((weak));
uint64_t cudart_set_bytes(void) __attribute__((weak));

/* True if the line at this address would stay in the L2 whatever other memory is accessed. */
bool cudart_l2_persists(const void *pointer) __attribute__((weak));

#ifdef __cplusplus
}
#endif
#endif
