/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of a block header that was saved with a snapshot. */
#include "cluster/blocks/chain_points.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t height, transactions;
    (void)chain_header_parse((struct slice){(const char *)data, size}, &height, &transactions);
    return 0;
}
