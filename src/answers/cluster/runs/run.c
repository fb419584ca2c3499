/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - reads the folder of a run: first the names of all files, then what the run's own files
 * say about them. */
#include "cluster/runs/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/runs/inventory.h"
#include "cluster/runs/run_parts.h"

#define MANIFEST_MAX ((size_t)64 << 20)
#define BLOCK_BYTES  ((size_t)1 << 20) /* of fetches.jsonl: a longer line is none of ours */

struct scan {
    struct run *run;
    VEC(struct run_found) found;
};

static int add_name(struct scan *scan, const struct dirent *entry)
{
    struct run *run = scan->run;
    const char *name = entry->d_name;
    if (name[0] == '.')
        return 0;
    struct run_name parsed;
    if (entry->d_type == DT_DIR || run_name_parse(name, &parsed)) {
        size_t const nick = run_csv_nick(name);
        if (nick && run_node_find(run, name, nick) < 0 && !run_node_add(run, name, nick))
            return -ENOMEM;
        run->strangers += !nick && !run_name_is_known(name);
        return 0;
    }
    struct run_found found = {.name = strdup(name),
                              .nick_size = (uint32_t)strlen(parsed.nick),
                              .kind = parsed.kind,
                              .stamp_us = parsed.stamp_us};
    if (found.name && vec_push(&scan->found, found))
        return 0;
    free(found.name);
    return -ENOMEM;
}

static int scan_folder(struct scan *scan, struct fault *fault)
{
    const char *path = scan->run->path;
    DIR *folder = opendir(path);
    if (!folder)
        return fault_set(fault, -errno, "cannot open the run %s: %s", path, strerror(errno));
    int err = 0;
    for (struct dirent *entry; !err && (entry = readdir(folder));)
        err = add_name(scan, entry);
    closedir(folder);
    return err ? fault_set(fault, err, "cannot list %s: %s", path, strerror(-err)) : 0;
}

/* By nick and kind and time; a plain file before its .gz. */
static int found_order(const void *left, const void *right)
{
    const struct run_found *a = left, *b = right;
    uint32_t const shorter = a->nick_size < b->nick_size ? a->nick_size : b->nick_size;
    int const order = memcmp(a->name, b->name, shorter);
    if (order != 0)
        return order;
    if (a->nick_size != b->nick_size)
        return a->nick_size < b->nick_size ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->stamp_us != b->stamp_us)
        return a->stamp_us < b->stamp_us ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int is_same_capture(const struct run_found *a, const struct run_found *b)
{
    return a->nick_size == b->nick_size && memcmp(a->name, b->name, a->nick_size) == 0 &&
           a->kind == b->kind && a->stamp_us == b->stamp_us;
}

/* A node for each nick. */
static int add_nodes(struct scan *scan)
{
    const struct run_found *last = NULL;
    vec_each (found, &scan->found) {
        bool const is_new = !last || last->nick_size != found->nick_size ||
                            memcmp(last->name, found->name, found->nick_size) != 0;
        if (is_new && run_node_find(scan->run, found->name, found->nick_size) < 0 &&
            !run_node_add(scan->run, found->name, found->nick_size))
            return -ENOMEM;
        last = found;
    }
    return 0;
}

static int file_order(const void *left, const void *right)
{
    const struct run_file *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->stamp_us > b->stamp_us) - (a->stamp_us < b->stamp_us);
}

/* Moves what was found, in order, into the run; of two forms of one capture the first. */
static int add_files(struct scan *scan)
{
    struct run *run = scan->run;
    if (scan->found.count == 0)
        return 0;
    if (!vec_reserve(&run->files, scan->found.count))
        return -ENOMEM;
    const struct run_found *kept = NULL;
    vec_each (found, &scan->found) {
        if (kept && is_same_capture(kept, found)) {
            free(found->name);
            continue;
        }
        kept = found;
        int64_t const node = run_node_find(run, found->name, found->nick_size);
        vec_push(&run->files, (struct run_file){.node = (uint32_t)node,
                                                .kind = found->kind,
                                                .stamp_us = found->stamp_us,
                                                .name = found->name});
    }
    scan->found.count = 0;
    qsort(run->files.items, run->files.count, sizeof(run->files.items[0]), file_order);
    return 0;
}

static int stamp_order(const void *left, const void *right)
{
    int64_t const *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static int add_stamps(struct run *run)
{
    if (run->files.count == 0)
        return 0;
    if (!vec_reserve(&run->stamps, run->files.count))
        return -ENOMEM;
    vec_each (file, &run->files)
        vec_push(&run->stamps, file->stamp_us);
    qsort(run->stamps.items, run->stamps.count, sizeof(run->stamps.items[0]), stamp_order);
    size_t kept = 1;
    for (size_t i = 1; i < run->stamps.count; i++)
        if (run->stamps.items[i] != run->stamps.items[kept - 1])
            run->stamps.items[kept++] = run->stamps.items[i];
    run->stamps.count = kept;
    return 0;
}

int run_path_open(const char *path)
{
    struct stat status;
    char found[32];
    int const place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0)
        return -errno;
    int opened = fstat(place, &status) < 0 ? -errno : !S_ISREG(status.st_mode) ? -EACCES : 0;
    /* Files of /proc say that they are empty, and reading one may wait for ever, or do things. */
    if (opened == 0 && status.st_size == 0)
        snprintf(found, sizeof(found), "/dev/null");
    else
        snprintf(found, sizeof(found), "/proc/self/fd/%d", place);
    if (opened == 0 && (opened = open(found, O_RDONLY | O_CLOEXEC)) < 0)
        opened = -errno;
    close(place);
    return opened;
}

static FILE *open_beside(const struct run *run, const char *name)
{
    char path[4096];
    int const length = snprintf(path, sizeof(path), "%s/%s", run->path, name);
    int const fd =
        length > 0 && (size_t)length < sizeof(path) ? run_path_open(path) : -ENAMETOOLONG;
    return fd < 0 ? NULL : fdopen(fd, "r");
}

/* A manifest that is not one is as good as none: names come from elsewhere then. */
static int read_manifest(struct run *run)
{
    FILE *file = open_beside(run, "manifest.json");
    if (!file)
        return 0;
    struct stat about;
    size_t const size =
        fstat(fileno(file), &about) == 0 && about.st_size > 0 ? (size_t)about.st_size : 0;
    char *text = size > 0 && size <= MANIFEST_MAX ? malloc(size) : NULL;
    size_t const got = text ? fread(text, 1, size, file) : 0;
    fclose(file);
    int const err = got ? run_parse_manifest(run, (struct slice){text, got}) : 0;
    free(text);
    return err == -ENOMEM ? err : 0;
}

static int read_inventory(struct run *run)
{
    char path[4096];
    int const length = snprintf(path, sizeof(path), "%s/terraform-inventory.host", run->path);
    struct inventory inventory = {0};
    struct fault ignored;
    bool const is_there = length > 0 && (size_t)length < sizeof(path) && access(path, R_OK) == 0 &&
                          inventory_read_file(&inventory, path, &ignored) == 0;
    int const err = run_name_nodes(run, is_there ? &inventory : NULL);
    if (is_there)
        inventory_fini(&inventory);
    return err;
}

static int read_fetches(struct run *run)
{
    FILE *file = open_beside(run, "fetches.jsonl");
    if (!file)
        return run_count_gaps(run);
    run->has_fetches = true;
    char *block = malloc(BLOCK_BYTES);
    size_t kept = 0;
    while (block) {
        size_t const got = fread(block + kept, 1, BLOCK_BYTES - kept, file);
        size_t const size = kept + got;
        if (got == 0)
            break;
        const char *end = memrchr(block, '\n', size);
        size_t const whole = end ? (size_t)(end - block) + 1 : 0;
        run_parse_fetches(run, (struct slice){block, whole});
        kept = whole || size < BLOCK_BYTES ? size - whole : 0;
        memmove(block, block + whole, kept);
    }
    fclose(file);
    bool const is_read = block != NULL;
    free(block);
    return is_read ? 0 : -ENOMEM;
}

/* Sizes that no fetch has told. */
static void measure_files(struct run *run)
{
    int const folder = open(run->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct stat about;
    vec_each (file, &run->files)
        if (file->bytes == 0 && folder >= 0 && fstatat(folder, file->name, &about, 0) == 0)
            file->bytes = (uint64_t)about.st_size;
    if (folder >= 0)
        close(folder);
}

/* What is said about nodes comes first, because files are kept in the order of their names. */
static int build(struct scan *scan)
{
    struct run *run = scan->run;
    if (scan->found.count > 0)
        qsort(scan->found.items, scan->found.count, sizeof(scan->found.items[0]), found_order);
    int err = add_nodes(scan);
    if (!err)
        err = read_manifest(run);
    if (!err)
        err = read_inventory(run);
    if (!err) {
        run_sort_nodes(run);
        err = add_files(scan);
    }
    if (!err)
        err = add_stamps(run);
    if (!err)
        err = read_fetches(run);
    if (!err)
        measure_files(run);
    return err;
}

struct run *run_open(const char *path, struct fault *fault)
{
    struct run *run = calloc(1, sizeof(*run));
    struct scan scan = {.run = run};
    if (!run || !(run->path = strdup(path))) {
        fault_set(fault, -ENOMEM, "out of memory");
        run_close(run);
        return NULL;
    }
    int err = scan_folder(&scan, fault);
    if (!err && (err = build(&scan)))
        fault_set(fault, err, "cannot read the run %s: %s", path, strerror(-err));
    if (!err && run->nodes.count == 0)
        err = fault_set(fault, -ENOENT,
                        "%s is not a run of memoir watch: no file in it has a name such as "
                        "NODE.20260131_235900.heap",
                        path);
    vec_each (found, &scan.found)
        free(found->name);
    vec_free(&scan.found);
    if (!err)
        return run;
    run_close(run);
    return NULL;
}

static void free_texts(run_texts *texts)
{
    vec_each (text, texts)
        free(*text);
    vec_free(texts);
}

void run_close(struct run *run)
{
    if (!run)
        return;
    vec_each (node, &run->nodes) {
        free(node->nick);
        free(node->name);
        free(node->role);
        free(node->class_name);
    }
    vec_each (class, &run->classes) {
        free(class->name);
        free(class->height);
        free(class->transactions);
        free(class->pool);
        free_texts(&class->sent);
        free_texts(&class->received);
        free_texts(&class->heap_metrics);
    }
    vec_each (file, &run->files)
        free(file->name);
    vec_free(&run->nodes);
    vec_free(&run->classes);
    vec_free(&run->files);
    vec_free(&run->stamps);
    vec_free(&run->segments);
    vec_free(&run->by_nick);
    free(run->path);
    free(run);
}

static size_t first_not_before(const struct run *run, uint32_t node, unsigned kind)
{
    return vec_lower_bound(&run->files, file,
                           file->node < node ||
                               (file->node == node && (unsigned)file->kind < kind));
}

size_t run_files_of(const struct run *run, uint32_t node, enum run_kind kind,
                    const struct run_file **first)
{
    size_t const begin = first_not_before(run, node, kind);
    *first = run->files.items + begin;
    return first_not_before(run, node, (unsigned)kind + 1) - begin;
}

const struct run_class *run_class_of(const struct run *run, uint32_t node)
{
    vec_each (class, &run->classes)
        if (class->name && strcmp(class->name, run->nodes.items[node].class_name) == 0)
            return class;
    return NULL;
}

int run_file_open(const struct run *run, const struct run_file *file)
{
    char path[4096];
    int const length = snprintf(path, sizeof(path), "%s/%s", run->path, file->name);
    if (length < 0 || (size_t)length >= sizeof(path))
        return -ENAMETOOLONG;
    return run_path_open(path);
}
