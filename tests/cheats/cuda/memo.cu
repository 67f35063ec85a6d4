/* memo.cu -- cheats that give an answer that they had before.  It is wrong for another input. */
#include "tests/cheats/cuda/cheat.h"

/* memo: keeps the first answer on the device and copies it afterwards. */
static enum gb_status memo(struct cheat *c, struct gb_timer *timer, struct gb_error *err)
{
	if (c->runs++)
		return cheat_copy(c, c->result, c->own, c->input->count, err);
	return cheat_work(c, err) ? err->code
				  : cheat_copy(c, c->own, c->result, c->input->count, err);
}

/* upload-once: takes only the first input to the device. */
static enum gb_status upload_once(struct cheat *c, struct gb_error *err)
{
	return c->uploads++ ? GB_OK : cheat_upload(c, err);
}

static enum gb_status work(struct cheat *c, struct gb_timer *timer, struct gb_error *err)
{
	return cheat_work(c, err);
}

/* graph: the first run works and captures a graph that copies its answer; later runs launch it. */
static enum gb_status capture(struct cheat *c, struct gb_error *err)
{
	cudaGraph_t graph = NULL;

	if (CUDA_TRY(err, cudaStreamBeginCapture(gpu_stream(), cudaStreamCaptureModeRelaxed)))
		return err->code;
	(void)cheat_copy(c, c->result, c->own, c->input->count, err);
	(void)CUDA_TRY(err, cudaStreamEndCapture(gpu_stream(), &graph));
	if (!err->code)
		(void)CUDA_TRY(err, cudaGraphInstantiate(&c->exec, graph, 0));
	if (graph)
		(void)cudaGraphDestroy(graph);
	return err->code;
}

static enum gb_status replay(struct cheat *c, struct gb_timer *timer, struct gb_error *err)
{
	if (c->runs++)
		return CUDA_TRY(err, cudaGraphLaunch(c->exec, gpu_stream()));
	if (cheat_work(c, err) || cheat_copy(c, c->own, c->result, c->input->count, err))
		return err->code;
	return capture(c, err);
}

CHEAT(memo, cheat_upload, memo, cheat_download, 0);
CHEAT(upload_once, upload_once, work, cheat_download, 0);
CHEAT(graph, cheat_upload, replay, cheat_download, 0);
