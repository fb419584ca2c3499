/* SPDX-License-Identifier: Apache-2.0 */
/* Templates of networks are files of anybody: read, and filled without ports. */
#include "nets/fill.h"
#include "nets/placeholders.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct net_template plan;
    struct net net = {0};
    struct fill_options const options = {.dir = "/x", .cluster = "/y", .nodes = 3};
    if (template_parse(&plan, "fuzz", (struct slice){(const char *)data, size}, NULL) != 0)
        return 0;
    size_t ports = 0;
    vec_each (group, &plan.groups)
        ports += group->ports.count * group->count;
    if (ports < 20 && net_fill(&net, &plan, &options, NULL) == 0)
        net_fini(&net);
    template_fini(&plan);
    return 0;
}
