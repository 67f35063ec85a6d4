/* words_vector.h -- vector operations that differ only in the width of vectors; words_plain.h
 * describes them.
 *
 * Included once per width.  VECTOR is the type, WORD(add) the name f8_add or fw_add, and MM(add_ps)
 * the intrinsic; for AVX-512, MASK is the type of a bit per lane.
 */

WORDS_FN VECTOR WORD(set)(float a)
{
	return MM(set1_ps)(a);
}

WORDS_FN VECTOR WORD(load)(const float *p)
{
	return MM(loadu_ps)(p);
}

WORDS_FN void WORD(store)(float *p, VECTOR a)
{
	MM(storeu_ps)(p, a);
}

WORDS_FN VECTOR WORD(add)(VECTOR a, VECTOR b)
{
	return MM(add_ps)(a, b);
}

WORDS_FN VECTOR WORD(sub)(VECTOR a, VECTOR b)
{
	return MM(sub_ps)(a, b);
}

WORDS_FN VECTOR WORD(mul)(VECTOR a, VECTOR b)
{
	return MM(mul_ps)(a, b);
}

WORDS_FN VECTOR WORD(fma)(VECTOR a, VECTOR b, VECTOR c)
{
	return MM(fmadd_ps)(a, b, c);
}

WORDS_FN VECTOR WORD(div)(VECTOR a, VECTOR b)
{
	return MM(div_ps)(a, b);
}

WORDS_FN VECTOR WORD(sqrt)(VECTOR a)
{
	return MM(sqrt_ps)(a);
}

WORDS_FN VECTOR WORD(abs)(VECTOR a)
{
	return MM(andnot_ps)(MM(set1_ps)(-0.0F), a);
}

WORDS_FN VECTOR WORD(min)(VECTOR a, VECTOR b)
{
	return MM(min_ps)(a, b);
}

WORDS_FN VECTOR WORD(max)(VECTOR a, VECTOR b)
{
	return MM(max_ps)(a, b);
}

#ifdef MASK
WORDS_FN unsigned WORD(le)(VECTOR a, VECTOR b)
{
	return MM(cmp_ps_mask)(a, b, _CMP_LE_OQ);
}

WORDS_FN unsigned WORD(lt)(VECTOR a, VECTOR b)
{
	return MM(cmp_ps_mask)(a, b, _CMP_LT_OQ);
}

WORDS_FN unsigned WORD(eq)(VECTOR a, VECTOR b)
{
	return MM(cmp_ps_mask)(a, b, _CMP_EQ_OQ);
}

WORDS_FN VECTOR WORD(select)(VECTOR a, VECTOR b, unsigned bits)
{
	return MM(mask_mov_ps)(a, (MASK)bits, b);
}

WORDS_FN void WORD(put)(uint32_t *p, uint32_t v, unsigned bits)
{
	MM(mask_storeu_epi32)(p, (MASK)bits, MM(set1_epi32)((int)v));
}
#undef MASK
#endif

#undef VECTOR
#undef WORD
#undef MM
