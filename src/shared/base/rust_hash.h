/* rust_hash.h - the mark of Rust's older names: a C++ name that ends in a hash, "…17h0123456789abcdefE". */
#pragma once

#include "base/slice.h"

/* "h0123456789abcdef", or an empty slice when `symbol` is no such name. */
struct slice rust_hash(const char *symbol);
