/* simt_vector.h -- CUDA's vector types and dim3, with the alignment they have on the device. */
#ifndef GPUBENCH_TESTS_SIMT_SIMT_VECTOR_H
#define GPUBENCH_TESTS_SIMT_SIMT_VECTOR_H

#define SIMT_VECTOR(name, T, align2, align4)                     \
	struct name##1                                           \
	{                                                        \
		T x;                                             \
	};                                                       \
	struct alignas(align2) name##2                           \
	{                                                        \
		T x, y;                                          \
	};                                                       \
	struct name##3                                           \
	{                                                        \
		T x, y, z;                                       \
	};                                                       \
	struct alignas(align4) name##4                           \
	{                                                        \
		T x, y, z, w;                                    \
	};                                                       \
	static inline name##1 make_##name##1(T x)                \
	{                                                        \
		return { x };                                    \
	}                                                        \
	static inline name##2 make_##name##2(T x, T y)           \
	{                                                        \
		return { x, y };                                 \
	}                                                        \
	static inline name##3 make_##name##3(T x, T y, T z)      \
	{                                                        \
		return { x, y, z };                              \
	}                                                        \
	static inline name##4 make_##name##4(T x, T y, T z, T w) \
	{                                                        \
		return { x, y, z, w };                           \
	}

SIMT_VECTOR(char, signed char, 2, 4)
SIMT_VECTOR(uchar, unsigned char, 2, 4)
SIMT_VECTOR(short, short, 4, 8)
SIMT_VECTOR(ushort, unsigned short, 4, 8)
SIMT_VECTOR(int, int, 8, 16)
SIMT_VECTOR(uint, unsigned, 8, 16)
SIMT_VECTOR(long, long, 16, 16)
SIMT_VECTOR(ulong, unsigned long, 16, 16)
SIMT_VECTOR(longlong, long long, 16, 16)
SIMT_VECTOR(ulonglong, unsigned long long, 16, 16)
SIMT_VECTOR(float, float, 8, 16)
SIMT_VECTOR(double, double, 16, 16)
#undef SIMT_VECTOR

struct dim3 {
	unsigned x, y, z;
	constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
	{
	}
	constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
	{
	}
};

#endif
