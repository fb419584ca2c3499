/* checksum.h - tells damaged bytes from whole ones: the 64-bit xxHash (XXH64) with seed 0. */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t checksum64(const void *data, size_t size);
