/* checksum.h - the 64-bit xxHash (XXH64) with seed 0, to detect damaged bytes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t checksum64(const void *data, size_t size);
