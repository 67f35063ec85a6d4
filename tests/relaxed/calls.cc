/* calls.cc -- what gcc -fsanitize=thread makes of loads, stores and atomic operations. */
#include <string.h>

#include "tests/relaxed/relaxed.h"

#define PC __builtin_return_address(0)

extern "C" {

void __tsan_init(void)
{
}

void __tsan_read_range(void *at, size_t bytes)
{
	plain_access(at, bytes, false, PC);
}

void __tsan_write_range(void *at, size_t bytes)
{
	plain_access(at, bytes, true, PC);
}

/* The sources are compiled with -Dmemset=relaxed_memset and so on. */
void *relaxed_memset(void *to, int value, size_t bytes)
{
	plain_access(to, bytes, true, PC);
	return memset(to, value, bytes);
}

void *relaxed_memcpy(void *to, const void *from, size_t bytes)
{
	plain_access(from, bytes, false, PC);
	plain_access(to, bytes, true, PC);
	return memcpy(to, from, bytes);
}

#define PLAIN(bytes)                                 \
	void __tsan_read##bytes(void *at)            \
	{                                            \
		plain_access(at, bytes, false, PC);  \
	}                                            \
	void __tsan_write##bytes(void *at)           \
	{                                            \
		plain_access(at, bytes, true, PC);   \
	}                                            \
	void __tsan_unaligned_read##bytes(void *at)  \
	{                                            \
		plain_access(at, bytes, false, PC);  \
	}                                            \
	void __tsan_unaligned_write##bytes(void *at) \
	{                                            \
		plain_access(at, bytes, true, PC);   \
	}
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

#define UPDATE(bits, name, kind)                                                               \
	uint##bits##_t __tsan_atomic##bits##_##name(volatile void *at, uint##bits##_t operand, \
						    int order)                                 \
	{                                                                                      \
		return (uint##bits##_t)atomic_update(at, bits / 8, kind, operand, order, PC);  \
	}
#define SWAP(bits, strength)                                                                    \
	bool __tsan_atomic##bits##_compare_exchange_##strength(                                 \
		volatile void *at, uint##bits##_t *expected, uint##bits##_t desired, int order, \
		int failure)                                                                    \
	{                                                                                       \
		uint64_t value = *expected;                                                     \
		const bool swapped =                                                            \
			atomic_swap(at, bits / 8, &value, desired, order, failure, PC);         \
                                                                                                \
		*expected = (uint##bits##_t)value;                                              \
		return swapped;                                                                 \
	}
#define ATOMIC(bits)                                                                         \
	uint##bits##_t __tsan_atomic##bits##_load(const volatile void *at, int order)        \
	{                                                                                    \
		return (uint##bits##_t)atomic_read(at, bits / 8, order, PC);                 \
	}                                                                                    \
	void __tsan_atomic##bits##_store(volatile void *at, uint##bits##_t value, int order) \
	{                                                                                    \
		atomic_write(at, bits / 8, value, order, PC);                                \
	}                                                                                    \
	UPDATE(bits, exchange, UPDATE_SET)                                                   \
	UPDATE(bits, fetch_add, UPDATE_ADD)                                                  \
	UPDATE(bits, fetch_sub, UPDATE_SUB)                                                  \
	UPDATE(bits, fetch_and, UPDATE_AND)                                                  \
	UPDATE(bits, fetch_or, UPDATE_OR)                                                    \
	UPDATE(bits, fetch_xor, UPDATE_XOR)                                                  \
	SWAP(bits, strong)                                                                   \
	SWAP(bits, weak)
ATOMIC(8)
ATOMIC(32)
ATOMIC(64)
}
