/* litmus.c -- small programs whose outcomes the C11 model allows or forbids. */
#include "tests/relaxed/litmus.h"

#include <omp.h>

static int x, y;
static int seen[2][2]; /* by thread */

static void clear(void)
{
	x = y = 0;
}

/* Message passing: the flag is seen, the message is not. */
bool litmus_message(void)
{
	clear();
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		__atomic_store_n(&x, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&y, 1, __ATOMIC_RELEASE);
	} else {
		seen[1][0] = __atomic_load_n(&y, __ATOMIC_ACQUIRE);
		seen[1][1] = __atomic_load_n(&x, __ATOMIC_RELAXED);
	}
	return seen[1][0] == 1 && seen[1][1] == 0;
}

/* The same through an update by a third thread, which continues the release sequence. */
bool litmus_chain(void)
{
	clear();
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 0) {
		__atomic_store_n(&x, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&y, 1, __ATOMIC_RELEASE);
	} else if (omp_get_thread_num() == 1) {
		(void)__atomic_fetch_add(&y, 2, __ATOMIC_RELAXED);
	} else {
		seen[1][0] = __atomic_load_n(&y, __ATOMIC_ACQUIRE);
		seen[1][1] = __atomic_load_n(&x, __ATOMIC_RELAXED);
	}
	return seen[1][0] == 3 && y == 3 && seen[1][1] == 0;
}

/* Store buffering: neither thread sees the other's store. */
bool litmus_buffers(void)
{
	clear();
#pragma omp parallel num_threads(2)
	{
		const int t = omp_get_thread_num();

		__atomic_store_n(t ? &y : &x, 1, __ATOMIC_RELEASE);
		seen[t][0] = __atomic_load_n(t ? &x : &y, __ATOMIC_ACQUIRE);
	}
	return !seen[0][0] && !seen[1][0];
}

/* Coherence: two loads of one location go back in time. */
bool litmus_coherence(void)
{
	clear();
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		__atomic_store_n(&x, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&x, 2, __ATOMIC_RELAXED);
	} else {
		seen[1][0] = __atomic_load_n(&x, __ATOMIC_RELAXED);
		seen[1][1] = __atomic_load_n(&x, __ATOMIC_RELAXED);
	}
	return seen[1][0] > seen[1][1];
}

/* An update is lost. */
bool litmus_updates(void)
{
	clear();
#pragma omp parallel num_threads(3)
	(void)__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
	return x != 3;
}

/* Two threads swap the same value. */
bool litmus_swaps(void)
{
	clear();
#pragma omp parallel num_threads(2)
	{
		int expected = 0;

		seen[omp_get_thread_num()][0] = __atomic_compare_exchange_n(
			&x, &expected, 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
	return seen[0][0] + seen[1][0] != 1;
}

/* A store before a barrier is not seen after it. */
bool litmus_barrier(void)
{
	clear();
#pragma omp parallel num_threads(2)
	{
		const int t = omp_get_thread_num();

		__atomic_store_n(t ? &y : &x, 1, __ATOMIC_RELAXED);
#pragma omp barrier
		seen[t][0] = __atomic_load_n(t ? &x : &y, __ATOMIC_RELAXED);
	}
	return !seen[0][0] || !seen[1][0];
}
