/* sanitized.h -- smaller sizes under a sanitizer, which makes accesses much slower.
 *
 * For inputs whose size adds repetitions but no new paths through the code.  The plain build runs
 * the tests at full size.
 */
#ifndef GPUBENCH_TESTS_SANITIZED_H
#define GPUBENCH_TESTS_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
#define UNLESS_SANITIZED(usual, sanitized) (sanitized)
#else
#define UNLESS_SANITIZED(usual, sanitized) (usual)
#endif

#endif
