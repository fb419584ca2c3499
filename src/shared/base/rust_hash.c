/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rust_hash.h"

#include <string.h>

#define DIGITS 16

struct slice rust_hash(const char *symbol)
{
    for (const char *at = strstr(symbol, "17h"); at; at = strstr(at + 1, "17h"))
        if (strspn(at + 3, "0123456789abcdef") == DIGITS && at[3 + DIGITS] == 'E')
            return (struct slice){at + 2, 1 + DIGITS};
    return (struct slice){symbol, 0};
}
