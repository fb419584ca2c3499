/* rust_hash.h - recognises Rust's older symbol names, which are C++ names that end in a hash:
 * "…17h0123456789abcdefE". */
#pragma once

#include "base/slice.h"

/* Returns "h0123456789abcdef", or an empty slice if `symbol` is not such a name. */
struct slice rust_hash(const char *symbol);
