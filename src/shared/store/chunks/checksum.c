/* SPDX-License-Identifier: Apache-2.0 */
/* Written from the public description of the algorithm, because the one function does not justify a
 * library.  Four independent lanes keep it near memory speed. */
#include "store/chunks/checksum.h"

#include <endian.h>
#include <string.h>

#define PRIME_1 UINT64_C(0x9e3779b185ebca87)
#define PRIME_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define PRIME_3 UINT64_C(0x165667b19e3779f9)
#define PRIME_4 UINT64_C(0x85ebca77c2b2ae63)
#define PRIME_5 UINT64_C(0x27d4eb2f165667c5)

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t load64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof(value));
    return le64toh(value);
}

static uint32_t load32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return le32toh(value);
}

static uint64_t lane_round(uint64_t lane, uint64_t word)
{
    return rotate(lane + word * PRIME_2, 31) * PRIME_1;
}

static uint64_t lane_merge(uint64_t hash, uint64_t lane)
{
    return (hash ^ lane_round(0, lane)) * PRIME_1 + PRIME_4;
}

/* Eats whole stripes of 32 bytes and moves *at behind them. */
static uint64_t hash_stripes(const uint8_t **at, const uint8_t *end)
{
    uint64_t a = PRIME_1 + PRIME_2, b = PRIME_2, c = 0, d = 0 - PRIME_1;
    for (; end - *at >= 32; *at += 32) {
        a = lane_round(a, load64(*at));
        b = lane_round(b, load64(*at + 8));
        c = lane_round(c, load64(*at + 16));
        d = lane_round(d, load64(*at + 24));
    }
    uint64_t hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    return lane_merge(lane_merge(lane_merge(lane_merge(hash, a), b), c), d);
}

uint64_t checksum64(const void *data, size_t size)
{
    const uint8_t *at = data, *end = at + size;
    uint64_t hash = size >= 32 ? hash_stripes(&at, end) : PRIME_5;
    hash += size;
    for (; end - at >= 8; at += 8)
        hash = rotate(hash ^ lane_round(0, load64(at)), 27) * PRIME_1 + PRIME_4;
    if (end - at >= 4) {
        hash = rotate(hash ^ load32(at) * PRIME_1, 23) * PRIME_2 + PRIME_3;
        at += 4;
    }
    for (; at < end; at++)
        hash = rotate(hash ^ *at * PRIME_5, 11) * PRIME_1;
    hash = (hash ^ (hash >> 33)) * PRIME_2;
    hash = (hash ^ (hash >> 29)) * PRIME_3;
    return hash ^ (hash >> 32);
}
