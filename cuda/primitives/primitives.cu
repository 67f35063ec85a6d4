/* primitives.cu -- exclusive prefix sums.
 *
 * One kernel reads and writes each element once (Merrill and Garland 2016).  A tile of 4096
 * elements is scanned in registers; a lane owns packs of 4 neighbours, 128 apart.  The sum of the
 * tiles before it comes from decoupled look-back with one 64-bit word per tile (lookback.h).
 */
#include "cuda/primitives/primitives.h"

enum {
	BLOCK = 256,
	WARPS = BLOCK / WARP,
	PACKS = 4, /* packs of 4 elements that a lane owns */
	WARP_PART = PACKS * 4 * WARP,
	TILE = WARPS * WARP_PART,
};

/* Load a warp's elements from p on: pack i of a lane is elements 4 * (WARP * i + lane) and the next
 * 3.  left: the number of elements of the tile from p on. */
static __device__ __forceinline__ void load_packs(uint32_t (*item)[4], const uint32_t *p, int left,
						  bool packed)
{
	typedef gpu_pack<uint32_t> pack;
	const int lane = (int)(threadIdx.x % WARP);

#pragma unroll
	for (int i = 0; i < PACKS; i++) {
		const int at = 4 * (WARP * i + lane);

		if (packed && left >= WARP_PART) {
			const pack q = *(const pack *)(p + at);

#pragma unroll
			for (int j = 0; j < 4; j++)
				item[i][j] = q.item[j];
		} else {
#pragma unroll
			for (int j = 0; j < 4; j++)
				item[i][j] = at + j < left ? p[at + j] : 0;
		}
	}
}

/* Store the running sums of one lane's pack, starting with `sum`. */
template <class T>
static __device__ __forceinline__ void store_pack(T *p, T sum, const uint32_t item[4], int left,
						  bool packed)
{
	typedef gpu_pack<T> pack;
	T out[4];

#pragma unroll
	for (int j = 0; j < 4; j++) {
		out[j] = sum;
		sum += item[j];
	}
	if (packed && left >= 4) {
#pragma unroll
		for (int j = 0; j < 4; j += pack::COUNT) {
			pack q;

#pragma unroll
			for (int k = 0; k < pack::COUNT; k++)
				q.item[k] = out[j + k];
			*(pack *)(p + j) = q;
		}
	} else {
#pragma unroll
		for (int j = 0; j < 4; j++) {
			if (j < left)
				p[j] = out[j];
		}
	}
}

/* One block per tile of TILE elements.  T: the type of out and of the sums inside the tile. */
template <class T>
static __global__ void scan_kernel(const uint32_t *in, T *out, size_t count, uint64_t *total,
				   uint32_t *ticket, uint64_t *words, bool packed)
{
	__shared__ uint64_t part[WARPS + 1]; /* see chain_block() */
	__shared__ uint32_t tile_number;
	const uint32_t tile = next_tile(ticket, &tile_number);
	const int warp = (int)(threadIdx.x / WARP);
	const size_t first = (size_t)tile * TILE + (size_t)warp * WARP_PART;
	const int left = first >= count ? 0 : (int)min(count - first, (size_t)WARP_PART);
	uint32_t item[PACKS][4];
	T before[PACKS];
	T sum = 0;

	load_packs(item, in + (left ? first : 0), left, packed);
#pragma unroll
	for (int i = 0; i < PACKS; i++) {
		const T mine = (T)item[i][0] + item[i][1] + item[i][2] + item[i][3];
		const T inclusive = warp_scan(mine);

		before[i] = sum + inclusive - mine;
		sum += __shfl_sync(ALL_LANES, inclusive, WARP - 1);
	}
	chain_block<WARPS>(part, words, tile, sum);
	if (threadIdx.x == 0 && total && tile == gridDim.x - 1)
		*total = part[WARPS];
#pragma unroll
	for (int i = 0; i < PACKS; i++) {
		const int at = 4 * (WARP * i + (int)(threadIdx.x % WARP));

		if (at < left)
			store_pack(out + first + at, (T)(part[warp] + before[i]), item[i],
				   left - at, packed);
	}
}

/* The counter that numbers the tiles, then the tiles' look-back words. */
size_t gpu_scan_temp_bytes(size_t count)
{
	return (1 + gpu_blocks(count, TILE)) * sizeof(uint64_t);
}

template <class T>
static gb_status scan(const uint32_t *in, T *out, size_t count, uint64_t *total, void *temp,
		      gb_error *err)
{
	const bool packed = gpu_is_packed(in) && gpu_is_packed(out);
	uint64_t *const words = (uint64_t *)temp + 1;

	if (count == 0)
		return total ? gpu_zero(total, 1, err) : GB_OK;
	if (gpu_zero((char *)temp, gpu_scan_temp_bytes(count), err))
		return err->code;
	scan_kernel<T><<<gpu_blocks(count, TILE), BLOCK, 0, gpu_stream()>>>(
		in, out, count, total, (uint32_t *)temp, words, packed);
	return CUDA_TRY(err, cudaGetLastError());
}

gb_status gpu_scan(const uint32_t *in, uint32_t *out, size_t count, uint64_t *total, void *temp,
		   gb_error *err)
{
	return scan(in, out, count, total, temp, err);
}

gb_status gpu_scan(const uint32_t *in, uint64_t *out, size_t count, uint64_t *total, void *temp,
		   gb_error *err)
{
	return scan(in, out, count, total, temp, err);
}
