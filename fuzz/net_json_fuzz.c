/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/net.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct net net;
    if (net_parse(&net, (struct slice){(const char *)data, size}, NULL) == 0)
        net_fini(&net);
    return 0;
}
