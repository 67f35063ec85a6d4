/* digest.c -- a cheat on the verifier of radix.  It compares the records of input and output by a
 * sum over mix(key), which other keys can have as well.
 *
 * digest: computes the sum of the input in one pass, and hands out zeros and 32 more keys with the
 * same sum.  Large inputs are "sorted" as fast as they are read.  The keys come from 32 lists that
 * are merged in pairs (Wagner 2002, "A generalized birthday problem"): each of four levels clears
 * 12 bits of the sums, the last one 16.  It assumes that the digest's salt is 0, but
 * that of the verifier is secret.
 */
#include "datasets/keys/keys.h"
#include "tests/cheats/cheat.h"

enum { LISTS = 32, BITS = 12, ROOM = 1 << BITS, NODES = 2 * LISTS };

/* List `node` of a heap, the leaves from LISTS on: sums, and the entries of both children. */
static struct list {
	uint32_t count;
	uint64_t sum[ROOM];
	uint16_t left[ROOM], right[ROOM];
} list[NODES];

/* That of datasets/keys/keys.c. */
static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 32) * UINT64_C(0xd2b74407b1ce6e93);
	x = (x ^ x >> 29) * UINT64_C(0xca5a826395121157);
	return x ^ x >> 32;
}

/* The keys of a list are larger than those of the lists before it. */
static uint32_t key_of(uint32_t leaf, uint32_t entry)
{
	return (leaf - LISTS) * ROOM + entry + 1;
}

/* Pairs whose sums are 0 modulo 2^(shift + bits); those of both children are 0 modulo 2^shift. */
static void merge(uint32_t node, unsigned shift, unsigned bits)
{
	static int32_t head[1 << 16], next[ROOM];
	const struct list *a = &list[2 * node], *b = &list[2 * node + 1];
	const uint64_t mask = (UINT64_C(1) << bits) - 1;
	struct list *to = &list[node];

	memset(head, 0xff, sizeof *head << bits);
	for (uint32_t i = 0; i < b->count; i++) {
		const uint64_t at = b->sum[i] >> shift & mask;

		next[i] = head[at];
		head[at] = (int32_t)i;
	}
	to->count = 0;
	for (uint32_t i = 0; i < a->count; i++)
		for (int32_t j = head[-(a->sum[i] >> shift) & mask]; j >= 0 && to->count < ROOM;
		     j = next[j]) {
			to->sum[to->count] = a->sum[i] + b->sum[j];
			to->left[to->count] = (uint16_t)i;
			to->right[to->count++] = (uint16_t)j;
		}
}

/* Store the keys below entry `entry` of a node, in order. */
static uint32_t *unfold(uint32_t node, uint32_t entry, uint32_t *key)
{
	if (node >= LISTS) {
		*key = key_of(node, entry);
		return key + 1;
	}
	key = unfold(2 * node, list[node].left[entry], key);
	return unfold(2 * node + 1, list[node].right[entry], key);
}

/* Find LISTS ascending keys whose sum is `sum`. */
static bool find_keys(uint64_t sum, uint32_t *key)
{
	for (uint32_t leaf = LISTS; leaf < NODES; leaf++) {
		list[leaf].count = ROOM;
		for (uint32_t i = 0; i < ROOM; i++)
			list[leaf].sum[i] = mix(key_of(leaf, i)) - (leaf == NODES - 1 ? sum : 0);
	}
	for (uint32_t node = LISTS - 1; node > 0; node--) {
		const unsigned level = (unsigned)__builtin_clz(node) - 27; /* 0: above the leaves */

		merge(node, BITS * level, node > 1 ? BITS : 64 - 4 * BITS);
	}
	if (list[1].count)
		(void)unfold(1, 0, key);
	return list[1].count > 0;
}

static enum gb_status forge(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;
	const size_t n = c->input->count;
	const uint64_t sum = gb_keys_digest(c->input->keys, sizeof(uint32_t), NULL, n, 0);

	if (n < LISTS || !find_keys(sum - (n - LISTS) * mix(0), c->result + n - LISTS))
		return cheat_work(c, err);
	memset(c->result, 0, (n - LISTS) * sizeof *c->result);
	return GB_OK;
}

CHEAT(digest, .create = cheat_create, .run = forge, .download = cheat_download);
