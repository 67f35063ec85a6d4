/* sanitized.h -- smaller sizes where a sanitizer makes each access several times slower.
 *
 * For inputs whose size adds repetitions, not paths through the code: those paths are what a
 * sanitizer looks at; the plain build runs the tests at their full size.
 */
#ifndef GPUBENCH_TESTS_SANITIZED_H
#define GPUBENCH_TESTS_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
#define UNLESS_SANITIZED(usual, sanitized) (sanitized)
#else
#define UNLESS_SANITIZED(usual, sanitized) (usual)
#endif

#endif
