/* mutant.h -- the switch of a build with mutants (schemata.py). */
#ifndef GPUBENCH_MUTANT_H
#define GPUBENCH_MUTANT_H

#ifdef __cplusplus
extern "C" {
#endif
extern int gb_mutant;             /* the active mutant, or -1 */
extern unsigned char *gb_reached; /* 1 at each mutant that was reached */
#ifdef __cplusplus
}
#endif

#define M(n) (gb_reached[n] = 1, gb_mutant == (n))

#endif
