/* executors.h -- tries the source of a CUDA plug-in in the executors, which need no GPU.
 *
 * The emulator reports races, accesses outside memory, uninitialised reads and wrong results; the
 * PTX executor counts instructions and memory traffic beside the libraries.  Both, and the tool
 * that compiles for them, are those of `make install-executors` beside this program, or those of
 * the folder that it was built in.
 */
#ifndef GPUBENCH_CLI_COMMANDS_EXECUTORS_H
#define GPUBENCH_CLI_COMMANDS_EXECUTORS_H

#include "cli/reports/judgement.h"

struct gb_source {
	const char *path; /* a .cu file; no proof that the plug-in is compiled from it */
	char sha256[65];
};

/* Set the members `emulator` and `counts` of all judgements, unless the path is NULL.  The seed is
 * that of the check; each compilation and each executor has time_ns, or a second.  A tool that is
 * absent, a source that does not compile and time that runs out are reasons there.
 * GB_EINTERRUPTED, or GB_EMEMORY, or GB_EIO without a temporary folder. */
enum gb_status gb_try_source(const struct gb_source *source, int64_t seed, double time_ns,
			     struct gb_judgement *judgement, size_t count, struct gb_error *err);

#endif
