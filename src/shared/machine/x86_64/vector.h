/* vector.h - x86-64. */
#pragma once

#include <emmintrin.h>
#include <stdint.h>

static inline uint32_t vector_equal16(const void *eight, uint16_t value)
{
    __m128i all = _mm_loadu_si128((const __m128i *)eight);
    __m128i same = _mm_cmpeq_epi16(all, _mm_set1_epi16((short)value));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(same, _mm_setzero_si128()));
}
