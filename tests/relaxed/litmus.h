/* litmus.h -- small programs; each returns true for the outcome that its comment names. */
#ifndef GPUBENCH_TESTS_RELAXED_LITMUS_H
#define GPUBENCH_TESTS_RELAXED_LITMUS_H

#include <stdbool.h>

bool litmus_message(void);
bool litmus_chain(void);
bool litmus_buffers(void);
bool litmus_coherence(void);
bool litmus_updates(void);
bool litmus_swaps(void);
bool litmus_barrier(void);

#endif
