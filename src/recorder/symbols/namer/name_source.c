/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/namer/name_source.h"

#include <stdlib.h>

#include "symbols/namer/known_names.h"

/* Known names come from here, or from another process. */
struct name_source {
    struct known_names *known;
    struct name_client *elsewhere;
    struct name_client *namer;
};

static const struct namer_process *known_by;

void name_source_known_by(const struct namer_process *process)
{
    known_by = process;
}

struct name_source *name_source_create(say_fn say)
{
    struct name_source *source = calloc(1, sizeof(*source));
    if (!source)
        return NULL;
    source->namer = name_client_create(say);
    if (known_by)
        source->elsewhere = name_client_create_by(known_by);
    else
        source->known = known_names_create();
    if (source->namer && (source->known || source->elsewhere))
        return source;
    name_source_destroy(source);
    return NULL;
}

void name_source_destroy(struct name_source *source)
{
    if (!source)
        return;
    known_names_destroy(source->known);
    name_client_destroy(source->elsewhere);
    name_client_destroy(source->namer);
    free(source);
}

void name_source_ask(struct name_source *source, const struct resolver_module *module,
                     const uint64_t *addresses, size_t count, struct name_answer *answer)
{
    if (source->known && known_names_ask(source->known, module, addresses, count, answer))
        return;
    if (source->elsewhere && known_names_may_have(module)) {
        name_client_ask(source->elsewhere, module, addresses, count, answer);
        if (answer->count > 0 || answer->into_function > 0)
            return;
    }
    name_client_ask(source->namer, module, addresses, count, answer);
}

void name_source_rest(struct name_source *source)
{
    if (source->known)
        known_names_rest(source->known);
    if (source->elsewhere)
        name_client_rest(source->elsewhere);
    name_client_rest(source->namer);
}

uint64_t name_source_worked_ns(const struct name_source *source)
{
    return name_client_worked_ns(source->namer) +
           (source->known ? known_names_worked_ns(source->known) : 0) +
           (source->elsewhere ? name_client_worked_ns(source->elsewhere) : 0);
}

void name_source_set_nice(struct name_source *source, int nice)
{
    if (source->known)
        known_names_set_nice(source->known, nice);
    if (source->elsewhere)
        name_client_set_nice(source->elsewhere, nice);
    name_client_set_nice(source->namer, nice);
}
