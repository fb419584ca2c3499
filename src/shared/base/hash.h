/* hash.h - hashes of numbers and bytes, 64 bits wide. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A bijection: distinct inputs give distinct results (the finalizer of splitmix64). */
static inline uint64_t hash_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* For tables of names.  Hostile input can be made to collide. */
static inline uint64_t hash_bytes(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash_mix(hash ^ size);
}
