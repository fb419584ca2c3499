/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/lookup/perf_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "foreign/foreign_file.h"

#define FOLDER      "/tmp"
#define PREFIX      "/perf-"
#define SUFFIX      ".map"
#define ENTRIES_MAX (4u << 20) /* of the shortest lines there could be five times as many */
#define LOOK_MAX    256u       /* entries before an address that are asked whether they reach it */

struct map_entry {
    uint64_t start, end;
    uint64_t reach; /* the largest end of this and all entries before it */
    uint32_t name;  /* where in `text` */
    uint32_t line;  /* a later one holds */
};

struct perf_map {
    int fd;                        /* -1: none */
    VEC(char) text;                /* lines that end with a NUL */
    size_t parsed;                 /* of it */
    VEC(struct map_entry) entries; /* by start, then line */
    bool in_order;
    uint32_t lines;
};

bool perf_map_is_path(const char *path)
{
    const char *name = strrchr(path, '/');
    size_t const folder = sizeof(FOLDER) - 1;
    if (!name || (size_t)(name - path) < folder || memcmp(name - folder, FOLDER, folder) != 0 ||
        strncmp(name, PREFIX, sizeof(PREFIX) - 1) != 0)
        return false;
    name += sizeof(PREFIX) - 1;
    size_t const digits = strspn(name, "0123456789");
    return digits > 0 && strcmp(name + digits, SUFFIX) == 0;
}

/* Where the path inside the root of a process begins, and that root; "" for ours. */
static const char *split_root(const char *path, char *root, size_t size)
{
    unsigned pid;
    int length = 0;
    root[0] = '\0';
    /* NOLINTNEXTLINE(cert-err34-c): %n tells */
    if (sscanf(path, "/proc/%u/root%n", &pid, &length) != 1 || length == 0 || path[length] != '/')
        return path;
    snprintf(root, size, "/proc/%u/root", pid);
    return path + length;
}

static int open_list(const char *path, uint32_t owner)
{
    struct foreign_limits const limits = {.bytes_max = FOREIGN_PROGRAM_MAX, .refuses_link = true};
    struct stat status;
    char root[64];
    const char *inside = split_root(path, root, sizeof(root));
    int const fd = foreign_file_open_below(root, inside, &limits, NULL);
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && (owner == PERF_MAP_ANYONE || status.st_uid == owner))
        return fd;
    close(fd);
    return -1;
}

bool perf_map_exists(const char *path, uint32_t owner)
{
    int const fd = open_list(path, owner);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static uint64_t parse_hex(char **at)
{
    char *end;
    if (**at == ' ' || **at == '-' || **at == '+')
        return 0;
    uint64_t const value = strtoull(*at, &end, 16);
    *at = *end == ' ' ? end + 1 : *at;
    return value;
}

/* "START SIZE name", NUL-terminated. */
static bool parse_line(struct perf_map *map, char *line)
{
    char *at = line;
    uint64_t const start = parse_hex(&at);
    char *const second = at;
    uint64_t const size = parse_hex(&at);
    if (map->entries.count >= ENTRIES_MAX)
        return false;
    if (second == line || at == second || *at == '\0' || size == 0 || size > UINT64_MAX - start)
        return true;
    struct map_entry const entry = {.start = start,
                                    .end = start + size,
                                    .name = (uint32_t)(at - map->text.items),
                                    .line = map->lines++};
    map->in_order = false;
    return vec_push(&map->entries, entry);
}

/* Whole lines only; the rest waits for its end. */
static void parse_more(struct perf_map *map)
{
    char *text = map->text.items;
    while (map->parsed < map->text.count) {
        char *line = text + map->parsed;
        char *end = memchr(line, '\n', map->text.count - map->parsed);
        if (!end)
            return;
        *end = '\0';
        map->parsed = (size_t)(end - text) + 1;
        if (!parse_line(map, line))
            return;
    }
}

struct perf_map *perf_map_parse(const char *text, size_t size)
{
    struct perf_map *map = calloc(1, sizeof(*map));
    if (!map)
        return NULL;
    map->fd = -1;
    if (size > 0 && size <= PERF_MAP_BYTES_MAX && vec_reserve(&map->text, size)) {
        memcpy(map->text.items, text, size);
        map->text.count = size;
        parse_more(map);
    }
    return map;
}

struct perf_map *perf_map_open(const char *path, uint32_t owner)
{
    int const fd = open_list(path, owner);
    struct perf_map *map = fd >= 0 ? perf_map_parse("", 0) : NULL;
    if (!map) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    map->fd = fd;
    perf_map_refresh(map);
    return map;
}

void perf_map_close(struct perf_map *map)
{
    if (!map)
        return;
    if (map->fd >= 0)
        close(map->fd);
    vec_free(&map->text);
    vec_free(&map->entries);
    free(map);
}

/* A file that became shorter was begun anew. */
static void forget(struct perf_map *map)
{
    map->text.count = map->parsed = 0;
    map->entries.count = 0;
    map->lines = 0;
}

void perf_map_refresh(struct perf_map *map)
{
    struct stat status;
    if (map->fd < 0 || fstat(map->fd, &status) < 0)
        return;
    size_t size = status.st_size < 0 ? 0 : (size_t)status.st_size;
    if (size > PERF_MAP_BYTES_MAX)
        size = PERF_MAP_BYTES_MAX;
    if (size < map->text.count)
        forget(map);
    if (size == map->text.count || !vec_reserve(&map->text, size - map->text.count))
        return;
    while (map->text.count < size) {
        ssize_t const got = pread(map->fd, map->text.items + map->text.count,
                                  size - map->text.count, (off_t)map->text.count);
        if (got <= 0)
            break;
        map->text.count += (size_t)got;
    }
    parse_more(map);
}

static int compare_entries(const void *left, const void *right)
{
    const struct map_entry *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static void bring_into_order(struct perf_map *map)
{
    uint64_t reach = 0;
    if (map->in_order || map->entries.count == 0)
        return;
    qsort(map->entries.items, map->entries.count, sizeof(map->entries.items[0]), compare_entries);
    vec_each (entry, &map->entries) {
        reach = entry->end > reach ? entry->end : reach;
        entry->reach = reach;
    }
    map->in_order = true;
}

const char *perf_map_find(struct perf_map *map, uint64_t address)
{
    bring_into_order(map);
    size_t at = vec_lower_bound(&map->entries, entry, entry->start <= address);
    const struct map_entry *best = NULL;
    for (size_t looked = 0; at > 0 && looked < LOOK_MAX; looked++) {
        const struct map_entry *entry = &map->entries.items[--at];
        if (entry->reach <= address)
            break;
        if (entry->end > address && (!best || entry->line > best->line))
            best = entry;
    }
    return best ? map->text.items + best->name : NULL;
}

size_t perf_map_count(const struct perf_map *map)
{
    return map->entries.count;
}
