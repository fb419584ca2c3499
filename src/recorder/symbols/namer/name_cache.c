/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/namer/name_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/number_map.h"
#include "base/vec.h"
#include "symbols/namer/cache_folder.h"
#include "symbols/namer/name_message.h"

#define MAGIC   "memoirnm"
#define VERSION 1u

/* What tells a file from another one, and from itself when it is written to. */
struct file_identity {
    uint64_t device, inode, size, changed_ns, modified_ns;
    uint32_t owner, mode;
};

/* The file: a head, `read_count` of read_file, text_bytes of texts (the module's path, its
 * build-id, the paths of the files that were read, each with its NUL), then records, each followed
 * by its body. */
struct cache_head {
    char magic[8];
    uint32_t version, read_count, text_bytes, record_count;
    struct file_identity program;
    uint32_t zero, check; /* of the head with `check` 0, the files and the texts */
};

struct read_file {
    struct file_identity identity;
    uint32_t is_there, zero;
};

struct cache_record {
    uint64_t address;
    uint32_t into_function, count, body_bytes;
    uint32_t check; /* of the record with `check` 0, and its body */
};

struct cached_name {
    struct cache_record record;
    char *body;
};

struct cached_names {
    char *path, *build_id;
    struct file_identity program;
    VEC(struct cached_name) items;
    struct number_map index; /* place in items, plus 1, by address */
    struct read_file read[CACHED_READ_MAX];
    char *read_paths[CACHED_READ_MAX];
    uint32_t read_count;
    size_t bytes;
    bool is_new, is_spoiled;
};

typedef VEC(char) buffer;

static struct file_identity identity_of(const struct stat *about)
{
    return (struct file_identity){.device = about->st_dev,
                                  .inode = about->st_ino,
                                  .size = (uint64_t)about->st_size,
                                  .changed_ns = timespec_ns(&about->st_ctim),
                                  .modified_ns = timespec_ns(&about->st_mtim),
                                  .owner = about->st_uid,
                                  .mode = about->st_mode};
}

static bool is_same(const struct file_identity *a, const struct file_identity *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static uint32_t check_of(const void *head, size_t head_bytes, const void *rest, size_t rest_bytes)
{
    uLong const sum = crc32_z(0, head, head_bytes);
    return (uint32_t)crc32_z(sum, rest, rest_bytes);
}

/* The name of its file: a hash in hex. */
static void name_of(const struct cached_names *names, char name[CACHE_NAME_BYTES + 1])
{
    uint64_t const hash = hash_bytes(names->path, strlen(names->path)) ^
                          hash_mix(hash_bytes(names->build_id, strlen(names->build_id)));
    snprintf(name, CACHE_NAME_BYTES + 1, "%016llx", (unsigned long long)hash);
}

static bool put_record(struct cached_names *names, const struct cache_record *record,
                       const char *body)
{
    if (record->address == UINT64_MAX ||
        names->bytes + sizeof(*record) + record->body_bytes > CACHED_BYTES_MAX)
        return false;
    struct cached_name item = {.record = *record, .body = malloc(record->body_bytes + 1u)};
    uint32_t *place = item.body ? number_map_at(&names->index, record->address + 1) : NULL;
    if (!place || *place || !vec_push(&names->items, item)) {
        free(item.body);
        return false;
    }
    memcpy(item.body, body, record->body_bytes);
    *place = (uint32_t)names->items.count;
    names->bytes += sizeof(*record) + record->body_bytes;
    return true;
}

/* As many as are whole. */
static void take_records(struct cached_names *names, const char *at, size_t bytes, uint32_t count)
{
    struct cache_record record;
    while (count-- > 0 && bytes >= sizeof(record)) {
        memcpy(&record, at, sizeof(record));
        uint32_t const check = record.check;
        record.check = 0;
        at += sizeof(record);
        bytes -= sizeof(record);
        if (record.body_bytes > bytes ||
            check != check_of(&record, sizeof(record), at, record.body_bytes))
            return;
        (void)put_record(names, &record, at);
        at += record.body_bytes;
        bytes -= record.body_bytes;
    }
}

static bool is_as_it_was(const struct read_file *file, const char *path)
{
    struct stat about;
    if (stat(path, &about) < 0)
        return !file->is_there && (errno == ENOENT || errno == ENOTDIR);
    struct file_identity const identity = identity_of(&about);
    return file->is_there && is_same(&identity, &file->identity);
}

/* The next of the texts, or NULL. */
static const char *next_text(const char **at, const char *end)
{
    const char *text = *at;
    const char *nul = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;
    *at = nul ? nul + 1 : end;
    return nul ? text : NULL;
}

static void note_file(struct cached_names *names, const char *path, const struct read_file *file)
{
    char *copy = names->read_count < CACHED_READ_MAX ? strdup(path) : NULL;
    if (!copy) {
        names->is_spoiled = true;
        return;
    }
    names->read_paths[names->read_count] = copy;
    names->read[names->read_count++] = *file;
}

/* Whether the texts are about this module, and the files that they name as they were. */
static bool is_still_so(struct cached_names *names, const struct cache_head *head, const char *at)
{
    const char *files = at, *end = at + head->read_count * sizeof(struct read_file);
    const char *texts = end;
    end += head->text_bytes;
    const char *path = next_text(&texts, end), *build_id = next_text(&texts, end);
    if (!path || !build_id || strcmp(path, names->path) != 0 ||
        strcmp(build_id, names->build_id) != 0)
        return false;
    for (uint32_t i = 0; i < head->read_count; i++) {
        struct read_file file;
        const char *read_path = next_text(&texts, end);
        memcpy(&file, files + i * sizeof(file), sizeof(file));
        if (!read_path || !is_as_it_was(&file, read_path))
            return false;
        note_file(names, read_path, &file);
    }
    return true;
}

static void forget_files(struct cached_names *names)
{
    while (names->read_count > 0)
        free(names->read_paths[--names->read_count]);
}

static void take(struct cached_names *names, const char *bytes, size_t size)
{
    struct cache_head head;
    if (size < sizeof(head))
        return;
    memcpy(&head, bytes, sizeof(head));
    uint32_t const check = head.check;
    head.check = 0;
    if (memcmp(head.magic, MAGIC, sizeof(head.magic)) != 0 || head.version != VERSION ||
        head.read_count == 0 || head.read_count > CACHED_READ_MAX || head.text_bytes > size)
        return;
    size_t const known = head.read_count * sizeof(struct read_file) + head.text_bytes;
    if (known > size - sizeof(head) ||
        check != check_of(&head, sizeof(head), bytes + sizeof(head), known) ||
        !is_same(&head.program, &names->program))
        return;
    if (is_still_so(names, &head, bytes + sizeof(head)))
        take_records(names, bytes + sizeof(head) + known, size - sizeof(head) - known,
                     head.record_count);
    else
        forget_files(names);
}

static void load(struct cached_names *names, int folder)
{
    char name[CACHE_NAME_BYTES + 1];
    size_t size = 0;
    name_of(names, name);
    char *bytes = cache_folder_read(folder, name, 2 * CACHED_BYTES_MAX, &size);
    if (bytes)
        take(names, bytes, size);
    free(bytes);
}

static void destroy(struct cached_names *names)
{
    vec_each (item, &names->items)
        free(item->body);
    vec_free(&names->items);
    number_map_fini(&names->index);
    forget_files(names);
    free(names->path);
    free(names->build_id);
    free(names);
}

struct cached_names *cached_names_load(int folder, const char *program, const char *path,
                                       const char *build_id)
{
    struct stat about;
    struct cached_names *names = calloc(1, sizeof(*names));
    if (!names)
        return NULL;
    names->path = strdup(path);
    names->build_id = strdup(build_id);
    if (!names->path || !names->build_id) {
        destroy(names);
        return NULL;
    }
    names->is_spoiled = stat(program, &about) < 0;
    if (names->is_spoiled)
        return names;
    names->program = identity_of(&about);
    load(names, folder);
    return names;
}

bool cached_names_find(const struct cached_names *names, uint64_t address,
                       struct name_answer *answer)
{
    uint32_t const place = address == UINT64_MAX ? 0 : number_map_get(&names->index, address + 1);
    if (!place || names->is_spoiled)
        return false;
    const struct cached_name *item = &names->items.items[place - 1];
    struct resolved *parsed = NULL;
    if (item->record.count > 0) {
        parsed = name_body_parse(item->body, item->record.body_bytes, item->record.count);
        if (!parsed)
            return false;
    }
    *answer = (struct name_answer){
        .names = parsed, .count = item->record.count, .into_function = item->record.into_function};
    return true;
}

void cached_names_add(struct cached_names *names, uint64_t address,
                      const struct name_answer *answer)
{
    size_t bytes = 0;
    char *body = answer->count ? name_body_make(answer->names, answer->count, &bytes) : NULL;
    struct cache_record const record = {.address = address,
                                        .into_function = answer->into_function,
                                        .count = answer->count,
                                        .body_bytes = (uint32_t)bytes};
    if ((body || !answer->count) && put_record(names, &record, body ? body : ""))
        names->is_new = true;
    free(body);
}

void cached_names_note_file(struct cached_names *names, const char *path, const struct stat *about)
{
    struct read_file file = {.is_there = about != NULL};
    if (about)
        file.identity = identity_of(about);
    for (uint32_t i = 0; i < names->read_count; i++)
        if (strcmp(names->read_paths[i], path) == 0) {
            if (memcmp(&names->read[i], &file, sizeof(file)) != 0)
                names->is_spoiled = true; /* it has changed meanwhile */
            return;
        }
    note_file(names, path, &file);
}

void cached_names_spoil(struct cached_names *names)
{
    names->is_spoiled = true;
}

bool cached_names_are_spoiled(const struct cached_names *names)
{
    return names->is_spoiled;
}

static bool append(buffer *out, const void *bytes, size_t size)
{
    if (!vec_reserve(out, size))
        return false;
    if (size > 0)
        memcpy(out->items + out->count, bytes, size);
    out->count += size;
    return true;
}

static bool append_head(const struct cached_names *names, buffer *out)
{
    struct cache_head head = {.magic = MAGIC,
                              .version = VERSION,
                              .read_count = names->read_count,
                              .record_count = (uint32_t)names->items.count,
                              .program = names->program};
    bool fits = append(out, &head, sizeof(head)) &&
                append(out, names->read, names->read_count * sizeof(names->read[0]));
    size_t const texts = out->count;
    fits = fits && append(out, names->path, strlen(names->path) + 1) &&
           append(out, names->build_id, strlen(names->build_id) + 1);
    for (uint32_t i = 0; fits && i < names->read_count; i++)
        fits = append(out, names->read_paths[i], strlen(names->read_paths[i]) + 1);
    if (!fits)
        return false;
    head.text_bytes = (uint32_t)(out->count - texts);
    head.check =
        check_of(&head, sizeof(head), out->items + sizeof(head), out->count - sizeof(head));
    memcpy(out->items, &head, sizeof(head));
    return true;
}

static bool append_names(const struct cached_names *names, buffer *out)
{
    bool fits = append_head(names, out);
    vec_each (item, &names->items) {
        struct cache_record record = item->record;
        record.check = 0;
        record.check = check_of(&record, sizeof(record), item->body, record.body_bytes);
        fits = fits && append(out, &record, sizeof(record)) &&
               append(out, item->body, record.body_bytes);
    }
    return fits;
}

static void save(const struct cached_names *names, int folder)
{
    char name[CACHE_NAME_BYTES + 1];
    buffer out = {0};
    name_of(names, name);
    if (append_names(names, &out))
        cache_folder_write(folder, name, out.items, out.count);
    vec_free(&out);
}

void cached_names_close(struct cached_names *names, int folder)
{
    if (names->is_new && !names->is_spoiled && names->read_count > 0)
        save(names, folder);
    destroy(names);
}
