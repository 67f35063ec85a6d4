/* status.h -- error reporting of all gpubench functions.
 *
 * A function that can fail returns enum gb_status and takes struct gb_error *err as its last
 * argument.  Nothing below cli/ prints or exits.
 */
#ifndef GPUBENCH_COMMON_STATUS_H
#define GPUBENCH_COMMON_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The values are also the program's exit status. */
enum gb_status {
	GB_OK = 0,
	GB_EVERIFY = 1,        /* a result disagreed with the reference */
	GB_EUSAGE = 2,         /* the command line or an input file is invalid */
	GB_EUNAVAILABLE = 3,   /* not in this build, no such device, not supported: a skip */
	GB_ERUNTIME = 4,       /* a CUDA error, a lost thread, a time-out */
	GB_EIO = 5,            /* output could not be written */
	GB_EUNDECIDED = 6,     /* a comparison had too little data to decide */
	GB_EMEMORY = 7,        /* too little memory: a measurement is skipped; elsewhere the
				  program ends with the exit status of GB_ERUNTIME */
	GB_EINTERRUPTED = 130, /* Ctrl-C */
};

/* Initialise with { 0 }.  The first failure is kept; later failures do not overwrite it. */
struct gb_error {
	enum gb_status code;
	char message[480];
};

/* Record a failure and return the code that err then holds, so that callers can write
 *	return gb_fail(err, GB_ERUNTIME, "cannot start %d threads", n);
 */
enum gb_status gb_fail(struct gb_error *err, enum gb_status code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Fail with GB_EMEMORY: "out of memory", followed by " for " and `what` unless that is NULL. */
enum gb_status gb_out_of_memory(struct gb_error *err, const char *what);

#ifdef __cplusplus
}
#endif
#endif
