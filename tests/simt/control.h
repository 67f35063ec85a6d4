/* control.h -- the emulator's interface to tests, in C and C++. */
#ifndef GPUBENCH_TESTS_SIMT_CONTROL_H
#define GPUBENCH_TESTS_SIMT_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A fingerprint of all scheduling choices so far, if the order is random or reversed. */
uint64_t simt_schedule_hash(void);

/* Numbers of kernels launched and of bytes written by cudaMemset() so far. */
uint64_t simt_launches(void);
uint64_t simt_set_bytes(void);

/* True if the line at this address would stay in the L2 whatever other memory is accessed. */
bool simt_l2_persists(const void *pointer);

#ifdef __cplusplus
}
#endif
#endif
