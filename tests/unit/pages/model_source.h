/* model_source.h - where the model test gets its events from. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "wire/agent.h"

typedef void (*model_record_fn)(void *context, const struct agent_record *record, size_t size);

struct model_source {
    const char *name;
    void *(*open)(uint32_t pid, struct fault *fault); /* NULL: not here, for this reason */
    int (*drain)(void *source, model_record_fn each, void *context);
    uint64_t (*lost)(void *source);
    bool (*sees_maps)(void *source);
    bool (*sees_kernel)(void *source);
    void (*close)(void *source);
};
extern const struct model_source model_source_perf;
