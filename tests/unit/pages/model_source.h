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
    bool (*sees_fixed)(void *source); /* mmap and mremap to addresses that the program chose */
    bool (*sees_kernel)(void *source);
    void (*close)(void *source);
};
extern const struct model_source model_source_perf, model_source_agent;

/* The number that a toucher's stack is told by, or of other code (-1); and back. */
#define MODEL_STACK_OF(toucher)  ((toucher) < 0 ? 200u : 201u + (uint32_t)(toucher))
#define MODEL_STACK_TOLD(number) ((number)-201u)
