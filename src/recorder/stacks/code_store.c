/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks/code_store.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

struct stored {
    struct code_key key;
    uint32_t users;
    struct code_tables tables;
};

struct code_store {
    VEC(struct stored *) files;
    size_t bytes, bytes_max, refused;
    uint64_t last_number;
    bool keeps_unused;
};

struct code_store *code_store_create(size_t bytes_max)
{
    struct code_store *store = calloc(1, sizeof(*store));
    if (store)
        store->bytes_max = bytes_max;
    return store;
}

void code_store_destroy(struct code_store *store)
{
    if (!store)
        return;
    vec_each (file, &store->files) {
        code_tables_fini(&(*file)->tables);
        free(*file);
    }
    vec_free(&store->files);
    free(store);
}

void code_store_keep_unused(struct code_store *store)
{
    store->keeps_unused = true;
}

struct code_store_size code_store_measure(const struct code_store *store)
{
    return (struct code_store_size){store->files.count, store->bytes, store->refused};
}

static struct stored *find(const struct code_store *store, struct code_key key)
{
    vec_each (file, &store->files) {
        const struct code_key *known = &(*file)->key;
        if (known->device == key.device && known->inode == key.inode &&
            known->identity == key.identity)
            return *file;
    }
    return NULL;
}

static int add(struct code_store *store, struct stored *file, const struct image_source *source)
{
    int err = code_tables_init(&file->tables, source);
    if (err < 0)
        return err;
    if (file->tables.bytes > store->bytes_max - store->bytes) {
        store->refused++;
        code_tables_shrink(&file->tables);
    }
    if (!vec_push(&store->files, file)) {
        code_tables_fini(&file->tables);
        return -ENOMEM;
    }
    store->bytes += file->tables.bytes;
    return 0;
}

int code_store_acquire(struct code_store *store, struct code_key key,
                       const struct image_source *source, struct code_tables **tables)
{
    struct stored *file = find(store, key);
    *tables = NULL;
    if (!file) {
        file = calloc(1, sizeof(*file));
        if (!file)
            return -ENOMEM;
        file->key = key;
        int err = add(store, file, source);
        if (err < 0) {
            free(file);
            return err == -ENOMEM ? err : 0;
        }
    }
    file->users++;
    *tables = &file->tables;
    return 0;
}

void code_store_release(struct code_store *store, struct code_tables *tables)
{
    for (size_t i = 0; tables && i < store->files.count; i++) {
        struct stored *file = store->files.items[i];
        if (&file->tables != tables)
            continue;
        if (--file->users == 0 && !store->keeps_unused) {
            store->files.items[i] = store->files.items[--store->files.count];
            store->bytes -= tables->bytes;
            code_tables_fini(tables);
            free(file);
        }
        return;
    }
}

uint64_t code_store_number(struct code_store *store)
{
    return ++store->last_number;
}
