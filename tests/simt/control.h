/* control.h -- what a test may ask of the emulator; C and C++.
 *
 * Options are environment variables, GPUBENCH_SIMT_<NAME>; cudaDeviceReset() reads them again.
 */
#ifndef GPUBENCH_TESTS_SIMT_CONTROL_H
#define GPUBENCH_TESTS_SIMT_CONTROL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Errors of the program under test that were reported since the start or the last
 * simt_forget_errors(); a process that ends with any left exits with status 86. */
int simt_error_count(void);
/* The first of them, or NULL. */
const char *simt_first_error(void);
void simt_forget_errors(void);

/* A fingerprint of all scheduling choices so far, when they are random or reversed. */
uint64_t simt_schedule_hash(void);

/* Kernels launched, and bytes written by cudaMemset(), so far. */
uint64_t simt_launches(void);
uint64_t simt_set_bytes(void);

#ifdef __cplusplus
}
#endif
#endif
