/* relaxed.h -- runs OpenMP code on threads of its own, with memory as weak as C11 allows.
 *
 * gcc -fsanitize=thread turns each access of a source into a call, and -fopenmp each construct.
 * Here both lead to a scheduler (threads.cc) and a model of memory (memory.cc) instead of the
 * libraries of GCC.  One thread runs at a time; a seed decides which one, and which of the values
 * that it may see each atomic load returns.  So the order of x86 hides nothing.
 */
#ifndef GPUBENCH_TESTS_RELAXED_H
#define GPUBENCH_TESTS_RELAXED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MOST_THREADS = 4 };

/* How many actions of each thread happened before: those up to that thread's time. */
struct clock {
	uint32_t at[MOST_THREADS];
};

/* A fault for the self-test: acquire or release orders taken as relaxed, or atomic updates as a
 * load and a store. */
enum fault { FAULT_NONE, FAULT_ACQUIRE, FAULT_RELEASE, FAULT_UPDATE, FAULTS };

/* Exit statuses of a process that found something. */
enum { FOUND_RACE = 10, FOUND_HANG = 11, FOUND_WRONG = 12 };

struct relaxed {
	enum fault fault;
	uint64_t random; /* state of the generator */
	uint64_t steps;  /* atomic operations and waits since relaxed_start() */
	unsigned thread; /* the thread that runs */
	struct clock now[MOST_THREADS];
};
extern struct relaxed relaxed;

/* Start again with this seed.  The caller is thread 0. */
void relaxed_start(uint64_t seed, enum fault fault);
/* A random number below n. */
unsigned relaxed_below(unsigned n);

/* threads.cc: let any thread run.  Ends the process with FOUND_HANG after too many steps. */
void relaxed_switch(void);

/* memory.cc */
void clock_join(struct clock *to, const struct clock *from);
/* Begin a new time of the running thread: after a release, for actions that do not belong to it. */
void clock_tick(void);

/* Note a plain access.  Ends the process with FOUND_RACE if another thread's access is neither
 * before it nor harmless. */
void plain_access(const void *at, size_t bytes, bool writes, const void *pc);

enum update { UPDATE_SET, UPDATE_ADD, UPDATE_SUB, UPDATE_AND, UPDATE_OR, UPDATE_XOR };

uint64_t atomic_read(const volatile void *at, size_t bytes, int order, const void *pc);
void atomic_write(volatile void *at, size_t bytes, uint64_t value, int order, const void *pc);
uint64_t atomic_update(volatile void *at, size_t bytes, enum update update, uint64_t operand,
		       int order, const void *pc);
/* True if the value was *expected and is now `desired`; otherwise *expected gets it. */
bool atomic_swap(volatile void *at, size_t bytes, uint64_t *expected, uint64_t desired, int order,
		 int failure, const void *pc);

#ifdef __cplusplus
}
#endif
#endif
