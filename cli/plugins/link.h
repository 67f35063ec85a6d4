/* link.h -- what the judge and the process of a plug-in exchange: messages and shared memory.
 *
 * This folder loads plug-ins.  load.h reads --plugin; remote.h is the judge's side, as a back end
 * and operations; process.h starts the judged process; worker.h is its main loop, cage.h what
 * it may not do.  May use cli/workloads and the folders below cli.
 *
 * Each request is answered by one message.  The three files are in memory.  Nothing else of the
 * judge is in the other process: not the input, the output, the records or secret numbers.
 */
#ifndef GPUBENCH_CLI_PLUGINS_LINK_H
#define GPUBENCH_CLI_PLUGINS_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/backend.h"
#include "common/workload.h"

/* Descriptors in the judged process. */
enum { GB_LINK_SOCKET = 3, GB_LINK_BOARD, GB_LINK_INPUT, GB_LINK_OUTPUT, GB_LINK_END };

enum gb_request_word {
	GB_ASK_TABLE,    /* load the file, list its variants on the board */
	GB_ASK_CREATE,   /* number: variant, device, bytes of input and output, memory limit */
	GB_ASK_INPUT,    /* the input has changed */
	GB_ASK_UPLOAD,   /* upload() */
	GB_ASK_RESET,    /* number: sample */
	GB_ASK_FLUSH,    /* evict the caches */
	GB_ASK_RUNS,     /* number: runs, held, with phases, counted; see struct gb_message */
	GB_ASK_POISON,   /* number: byte */
	GB_ASK_DOWNLOAD, /* the output is in its file */
	GB_ASK_METRICS,  /* they are on the board */
	GB_ASK_COUNTS,   /* likewise those of the counted run; number in the answer: bytes */
	GB_ASK_CHILDREN, /* number in the answer: of page faults of ended children */
	GB_ASK_END,      /* destroy() */
};

/* A request, or an answer: `word` is then an enum gb_status.  The ticket is a secret number of the
 * request, which its answer must have: the plug-in may write to the socket as well.  Each answer
 * has the peaks of host and device memory in bytes.  That to GB_ASK_RUNS has whether the stream was
 * held, whether there are phases, and their count; the time in ns and the CPU time of queueing. */
struct gb_message {
	int32_t word;
	uint64_t ticket;
	int64_t number[5];
	uint64_t peak[2];
	double ns[2];
	char text[480]; /* the file, or an error */
};

/* True if the whole message was sent or received. */
bool gb_message_send(int socket, const struct gb_message *message);
bool gb_message_receive(int socket, struct gb_message *message);

enum {
	GB_LINK_VARIANTS = 128,
	GB_LINK_PARAMS = 1024,
	GB_LINK_COUNTS = 1 << 20,
};

/* Shared memory for what is too long for a message.  The judged process may write anything to it at
 * any time, so the judge copies a member before it checks it. */
struct gb_board {
	/* From the judge. */
	char workload[16];
	unsigned char params[GB_LINK_PARAMS];
	/* To the judge. */
	char name[64], version[64];
	size_t variants;
	struct gb_link_variant {
		char workload[16], name[64], summary[200];
		uint32_t backend, flags;
	} variant[GB_LINK_VARIANTS];
	char excluded[200];
	struct gb_link_phase {
		char name[64];
		double ns;
	} phase[GB_MAX_PHASES];
	size_t metrics;
	struct gb_link_metric {
		char name[64], text[24];
		double value;
	} metric[GB_MAX_METRICS];
	char counts[GB_LINK_COUNTS]; /* JSON; the last member, see gb_remote_add() */
};

/* Map `bytes` of a file, at least one, to write it too if `writes`; NULL if that fails. */
void *gb_link_map(int file, size_t bytes, bool writes);

#endif
