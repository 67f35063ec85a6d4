/* host.cu -- cheats that use the host's copy of the input, where the device's must be used.  The
 * host's is another variation of it during run(), and yet another one during download(). */
#include "tests/cheats/cuda/cheat.h"

static enum gb_status nothing(struct cheat *c, struct gb_timer *timer, struct gb_error *err)
{
	return GB_OK;
}

/* lazy: download() makes the answer. */
static enum gb_status make_answer(struct cheat *c, void *output, struct gb_error *err)
{
	memcpy(output, c->input->words, c->input->count);
	return GB_OK;
}

/* host: run() makes the answer on the host, while the stream is held back, and queues its copy. */
static enum gb_status send_answer(struct cheat *c, struct gb_timer *timer, struct gb_error *err)
{
	return CUDA_TRY(err, cudaMemcpyAsync(c->result, c->input->words, c->input->count,
					     cudaMemcpyHostToDevice, gpu_stream()));
}

CHEAT(lazy, cheat_upload, nothing, make_answer, 0);
CHEAT(host, cheat_upload, send_answer, cheat_download, 0);
