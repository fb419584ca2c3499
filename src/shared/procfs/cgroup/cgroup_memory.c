/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/cgroup/cgroup_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"
#include "procfs/process/proc_text.h"

#define TEXT_MAX  65536u
#define NO_LIMIT  (1ll << 62) /* version 1 writes a huge number for none */
#define ROOT_V2   "/sys/fs/cgroup"
#define ROOT_V1   "/sys/fs/cgroup/memory"
#define PATH_ROOM 512

/* The keys of memory.stat; version 1 has those of the cgroup and all below it with "total_". */
static const struct {
    const char *v2, *v1;
    size_t offset;
} stats[] = {
#define STAT(v2, v1, field)                                                                        \
    {                                                                                              \
        v2, v1, offsetof(struct cgroup_memory, field)                                              \
    }
    STAT("anon", "total_rss", anon),
    STAT("file", "total_cache", file),
    STAT("shmem", "total_shmem", shmem),
    STAT("file_mapped", "total_mapped_file", file_mapped),
    STAT("inactive_file", "total_inactive_file", inactive_file),
    STAT("kernel", "", kernel),
    STAT("slab", "", slab),
    STAT("sock", "", sock),
    STAT("pagetables", "", page_tables),
    STAT("kernel_stack", "", kernel_stack),
#undef STAT
};

static const struct {
    const char *v2, *v1;
    size_t offset;
} single_files[] = {
#define ONE(v2, v1, field)                                                                         \
    {                                                                                              \
        v2, v1, offsetof(struct cgroup_memory, field)                                              \
    }
    ONE("memory.current", "memory.usage_in_bytes", current),
    ONE("memory.peak", "memory.max_usage_in_bytes", peak),
    ONE("memory.max", "memory.limit_in_bytes", limit),
    ONE("memory.high", "", high),
    ONE("memory.swap.current", "", swap),
    ONE("", "memory.kmem.usage_in_bytes", kernel),
#undef ONE
};

static int64_t *field_at(struct cgroup_memory *memory, size_t offset)
{
    return (int64_t *)(void *)((char *)memory + offset);
}

static bool next_line(struct slice *text, struct slice *line)
{
    if (text->size == 0)
        return false;
    const char *end = memchr(text->data, '\n', text->size);
    line->data = text->data;
    line->size = end ? (size_t)(end - text->data) : text->size;
    size_t const used = line->size + (end != NULL);
    text->data += used;
    text->size -= used;
    return true;
}

static bool starts_with(struct slice line, const char *text)
{
    size_t const size = strlen(text);
    return line.size >= size && memcmp(line.data, text, size) == 0;
}

/* Whether one line of /proc/PID/cgroup, "4:cpu,memory:/path", is of the memory controller; its
 * path. */
static bool is_memory_line(struct slice line, struct slice *path)
{
    const char *names = memchr(line.data, ':', line.size);
    const char *end =
        names ? memchr(names + 1, ':', (size_t)(line.data + line.size - names - 1)) : NULL;
    if (!end)
        return false;
    *path = (struct slice){end + 1, (size_t)(line.data + line.size - end - 1)};
    for (const char *name = names + 1; name < end;) {
        const char *comma = memchr(name, ',', (size_t)(end - name));
        const char *stop = comma ? comma : end;
        if (stop - name == 6 && memcmp(name, "memory", 6) == 0)
            return true;
        name = stop + 1;
    }
    return false;
}

unsigned cgroup_memory_path(struct slice text, bool has_unified, char *path, size_t size)
{
    struct slice line, found, unified = {NULL, 0};
    unsigned version = 0;
    while (version == 0 && next_line(&text, &line)) {
        if (is_memory_line(line, &found))
            version = 1;
        else if (starts_with(line, "0::"))
            unified = (struct slice){line.data + 3, line.size - 3};
    }
    if (version == 0 && has_unified && unified.data) {
        version = 2;
        found = unified;
    }
    if (version)
        snprintf(path, size, "%.*s", (int)(found.size < size ? found.size : size - 1), found.data);
    return version;
}

void cgroup_memory_stat(struct cgroup_memory *memory, struct slice text)
{
    struct slice line;
    while (next_line(&text, &line)) {
        const char *space = memchr(line.data, ' ', line.size);
        char number[24];
        if (!space)
            continue;
        struct slice const key = {line.data, (size_t)(space - line.data)};
        size_t const digits = line.size - key.size - 1;
        snprintf(number, sizeof(number), "%.*s", (int)(digits < 20 ? digits : 20), space + 1);
        for (size_t i = 0; i < sizeof(stats) / sizeof(stats[0]); i++)
            if (slice_equals(key, slice_of(memory->version == 1 ? stats[i].v1 : stats[i].v2)))
                *field_at(memory, stats[i].offset) = strtoll(number, NULL, 10);
    }
}

/* A file that holds one number; "max" and what is not there are -1. */
static int64_t read_number(const char *folder, const char *name)
{
    char path[PATH_ROOM + 64], *text;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (!name[0] || proc_text_read(path, TEXT_MAX, &text) < 0)
        return -1;
    char *end;
    long long const value = strtoll(text, &end, 10);
    bool const good = end != text && value >= 0 && value < NO_LIMIT;
    free(text);
    return good ? value : -1;
}

static void read_figures(struct cgroup_memory *memory, const char *folder)
{
    char path[PATH_ROOM + 64], *text;
    bool const v1 = memory->version == 1;
    for (size_t i = 0; i < sizeof(single_files) / sizeof(single_files[0]); i++) {
        int64_t const value = read_number(folder, v1 ? single_files[i].v1 : single_files[i].v2);
        if (value >= 0)
            *field_at(memory, single_files[i].offset) = value;
    }
    snprintf(path, sizeof(path), "%s/memory.stat", folder);
    if (proc_text_read(path, TEXT_MAX, &text) == 0) {
        cgroup_memory_stat(memory, slice_of(text));
        free(text);
    }
    int64_t const inactive = memory->inactive_file < 0 ? 0 : memory->inactive_file;
    if (memory->current >= 0)
        memory->working_set = memory->current > inactive ? memory->current - inactive : 0;
}

/* Where the path is: below the mount, or, seen from inside a cgroup namespace, the mount itself. */
static bool find_folder(const struct cgroup_memory *memory, char folder[PATH_ROOM])
{
    const char *root = memory->version == 1 ? ROOT_V1 : ROOT_V2;
    const char *probe = memory->version == 1 ? "memory.usage_in_bytes" : "memory.current";
    char path[PATH_ROOM + 64];
    snprintf(folder, PATH_ROOM, "%s%s", root, strcmp(memory->path, "/") == 0 ? "" : memory->path);
    snprintf(path, sizeof(path), "%s/%s", folder, probe);
    if (access(path, R_OK) == 0)
        return true;
    snprintf(folder, PATH_ROOM, "%s", root);
    snprintf(path, sizeof(path), "%s/%s", folder, probe);
    return access(path, R_OK) == 0;
}

static void clear_figures(struct cgroup_memory *memory)
{
    memset(&memory->current, 0xff, sizeof(*memory) - offsetof(struct cgroup_memory, current));
}

/* Which cgroup a process is in, and where that lies; no figures yet. */
static int find_cgroup(uint32_t pid, struct cgroup_memory *memory, char folder[PATH_ROOM])
{
    char *text;
    clear_figures(memory);
    memory->version = 0;
    memory->path[0] = '\0';
    int const err = proc_read_text(pid, 0, PROC_CGROUP, TEXT_MAX, &text);
    if (err < 0)
        return err;
    bool const unified = access(ROOT_V2 "/cgroup.controllers", F_OK) == 0;
    memory->version =
        cgroup_memory_path(slice_of(text), unified, memory->path, sizeof(memory->path));
    free(text);
    if (memory->version == 0 || !find_folder(memory, folder)) {
        memory->version = 0;
        return -ENOENT;
    }
    return 0;
}

int cgroup_memory_read(uint32_t pid, struct cgroup_memory *memory)
{
    char folder[PATH_ROOM];
    int const err = find_cgroup(pid, memory, folder);
    if (err == 0)
        read_figures(memory, folder);
    return err;
}

int64_t cgroup_memory_room(const struct cgroup_memory *memory)
{
    if (memory->limit < 0 || memory->current < 0)
        return INT64_MAX;
    int64_t const shmem = memory->shmem > 0 ? memory->shmem : 0;
    int64_t const cache = memory->file > shmem ? memory->file - shmem : 0;
    return memory->limit - (memory->current - cache);
}

/* The cgroup that it lies in; false at the root. */
static bool go_up(char *path)
{
    char *last = strrchr(path, '/');
    if (!last || !last[1])
        return false;
    last[last == path] = '\0';
    return true;
}

int cgroup_memory_read_tightest(uint32_t pid, struct cgroup_memory *tightest)
{
    char folder[PATH_ROOM];
    struct cgroup_memory memory;
    int const err = find_cgroup(pid, &memory, folder);
    *tightest = memory;
    if (err < 0)
        return err;
    do {
        clear_figures(&memory);
        if (find_folder(&memory, folder))
            read_figures(&memory, folder);
        if (cgroup_memory_room(&memory) < cgroup_memory_room(tightest))
            *tightest = memory;
    } while (go_up(memory.path));
    return 0;
}

static uint64_t count_oom_kills(const char *path)
{
    static const char key[] = "oom_kill ";
    char *text;
    struct slice line;
    uint64_t kills = 0;
    if (!path[0] || proc_text_read(path, TEXT_MAX, &text) < 0)
        return 0;
    struct slice rest = slice_of(text);
    while (next_line(&rest, &line))
        if (starts_with(line, key))
            kills = strtoull(line.data + strlen(key), NULL, 10);
    free(text);
    return kills;
}

void oom_count_begin(struct oom_count *count, uint32_t pid)
{
    struct cgroup_memory memory;
    char folder[PATH_ROOM];
    *count = (struct oom_count){.path = ""};
    if (pid == 0 || find_cgroup(pid, &memory, folder) < 0)
        return;
    snprintf(count->path, sizeof(count->path), "%s/%s", folder,
             memory.version == 1 ? "memory.oom_control" : "memory.events");
    count->before = count_oom_kills(count->path);
}

bool oom_count_rose(const struct oom_count *count)
{
    return count_oom_kills(count->path) > count->before;
}
