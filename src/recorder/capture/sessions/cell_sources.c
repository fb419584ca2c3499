/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/cell_sources.h"

#include <errno.h>

static int collect(void *self, uint32_t pid, struct recording *recording, struct bucket *bucket,
                   uint64_t began_ns)
{
    const struct cell_sources *sources = self;
    int err = 0;
    for (unsigned i = 0; i < sources->count && err == 0; i++)
        err = sources->parts[i]->collect(sources->parts[i]->self, pid, recording, bucket, began_ns);
    return err;
}

static void look(void *self, uint32_t pid)
{
    const struct cell_sources *sources = self;
    for (unsigned i = 0; i < sources->count; i++)
        if (sources->parts[i]->look)
            sources->parts[i]->look(sources->parts[i]->self, pid);
}

/* The one who knows about pages; NULL: none does. */
static const struct cell_source *of_pages(const struct cell_sources *sources)
{
    for (unsigned i = 0; i < sources->count; i++)
        if (sources->parts[i]->with_touchers)
            return sources->parts[i];
    return NULL;
}

static int with_touchers(void *self, uint32_t pid, touchers_fn call, void *context)
{
    const struct cell_source *part = of_pages(self);
    return part ? part->with_touchers(part->self, pid, call, context) : -ESRCH;
}

static int carry(void *self, uint32_t pid, struct recording *recording, struct found_cells *cells,
                 struct bucket *bucket)
{
    const struct cell_source *part = of_pages(self);
    return part ? part->carry(part->self, pid, recording, cells, bucket) : -ESRCH;
}

static void conclude(void *self, uint32_t pid, struct recording *recording)
{
    const struct cell_sources *sources = self;
    for (unsigned i = 0; i < sources->count; i++)
        sources->parts[i]->conclude(sources->parts[i]->self, pid, recording);
}

static void forget(void *self, uint32_t pid)
{
    const struct cell_sources *sources = self;
    for (unsigned i = 0; i < sources->count; i++)
        sources->parts[i]->forget(sources->parts[i]->self, pid);
}

void cell_sources_init(struct cell_sources *sources)
{
    *sources = (struct cell_sources){
        .source = {sources, collect, look, with_touchers, carry, conclude, forget}};
}

void cell_sources_add(struct cell_sources *sources, const struct cell_source *part)
{
    if (sources->count < CELL_SOURCES_MAX)
        sources->parts[sources->count++] = part;
}
