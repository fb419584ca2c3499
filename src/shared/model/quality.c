/* SPDX-License-Identifier: Apache-2.0 */
#include "model/quality.h"

#include "base/invariant.h"

const char *stack_source_name(enum stack_source source)
{
    INVARIANT(source < STACK_SOURCES);
    static const char *const names[STACK_SOURCES] = {[STACK_SOURCE_HEAP] = "heap",
                                                     [STACK_SOURCE_CPU] = "cpu",
                                                     [STACK_SOURCE_WAITS] = "waits",
                                                     [STACK_SOURCE_PAGES] = "pages"};
    return names[source];
}

void quality_add_stacks(struct quality *quality, enum stack_source source, enum stack_end end,
                        uint64_t count)
{
    INVARIANT(source < STACK_SOURCES && end < STACK_END_KINDS);
    quality->stack_ends[end] += count;
    quality->sources[source].stacks += count;
    quality->sources[source].complete += end == STACK_END_COMPLETE ? count : 0;
    INVARIANT(quality->sources[source].complete <= quality->sources[source].stacks);
}
