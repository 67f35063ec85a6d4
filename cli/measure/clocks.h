/* clocks.h -- locks the GPU's clocks while a session measures, and restores them however it ends.
 *
 * A guard, a process of its own, locks the clocks and waits for the end of this process, which
 * closes a socket even if a signal kills it.  The guard then resets the clocks.  It is started
 * before any device is opened, because NVML and CUDA do not work in a forked process.
 */
#ifndef GPUBENCH_CLI_MEASURE_CLOCKS_H
#define GPUBENCH_CLI_MEASURE_CLOCKS_H

#include <stddef.h>
#include <sys/types.h>

/* { 0 } has no guard. */
struct gb_clocks {
	pid_t guard;
	int socket; /* to the guard */
};

/* Start the guard, which does nothing yet. */
void gb_clocks_start(struct gb_clocks *clocks);

/* Lock the SM clock of the GPU at a PCI address to `mhz`, or to GB_BASE_CLOCK (nvml.h).  Return NULL,
 * or the reason why it is not locked. */
const char *gb_clocks_lock(struct gb_clocks *clocks, const char *pci, unsigned mhz);

/* Restore the clocks and wait until that is done. */
void gb_clocks_end(struct gb_clocks *clocks);

#endif
