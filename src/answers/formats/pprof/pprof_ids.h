/* pprof_ids.h - an index for the ids of a table of a profile.  Ids are mostly 1, 2, 3 and so on,
 * but may be any numbers; finding any id takes few steps. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct id_place {
    uint64_t id;
    uint32_t place; /* index in the table plus one */
};

struct id_index {     /* all zero to begin */
    uint32_t *direct; /* by id: index plus one */
    uint64_t direct_limit;
    struct id_place *sorted;
    size_t count;
};

/* Makes an index of `count` places, which the index owns from then on.  Returns 0, -ENOMEM, or
 * -EINVAL if an id is 0 or occurs twice. */
int id_index_init(struct id_index *index, struct id_place *places, size_t count);
void id_index_fini(struct id_index *index);

uint32_t id_index_find_sorted(const struct id_index *index, uint64_t id);
/* Returns the index in the table plus one; 0: there is no such id. */
static inline uint32_t id_index_find(const struct id_index *index, uint64_t id)
{
    if (index->direct)
        return id < index->direct_limit ? index->direct[id] : 0;
    return id_index_find_sorted(index, id);
}

/* Makes an index of all ids of a table, which is a VEC of structs with an `id`. */
#define id_index_of(index, table)                                                                  \
    ({                                                                                             \
        struct id_place *places = malloc(((table)->count + 1) * sizeof(*places));                  \
        for (size_t place = 0; places && place < (table)->count; place++)                          \
            places[place] = (struct id_place){(table)->items[place].id, (uint32_t)place + 1};      \
        places ? id_index_init(index, places, (table)->count) : -ENOMEM;                           \
    })
