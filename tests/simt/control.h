/* control.h -- what a test may ask of the emulator; C and C++. */
#ifndef GPUBENCH_TESTS_SIMT_CONTROL_H
#define GPUBENCH_TESTS_SIMT_CONTROL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A fingerprint of all scheduling choices so far, when they are random or reversed. */
uint64_t simt_schedule_hash(void);

/* Kernels launched, and bytes written by cudaMemset(), so far. */
uint64_t simt_launches(void);
uint64_t simt_set_bytes(void);

#ifdef __cplusplus
}
#endif
#endif
