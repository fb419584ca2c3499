/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/blocks/node_log.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "formats/shared/line_blocks.h"

#define NAME_BYTES 256

static int handle_line(struct log_reading *reading, struct slice line, char *node)
{
    struct log_event event;
    const char *heading;
    size_t const size = log_heading_parse(line, &heading);
    if (size > 0) {
        snprintf(node, NAME_BYTES, "%.*s", (int)(size < NAME_BYTES ? size : NAME_BYTES - 1),
                 heading);
        reading->has_headings = true;
        return 0;
    }
    reading->lines++;
    if (log_line_parse(line, &event) < 0) {
        reading->odd_lines++;
        return 0;
    }
    return reading->handle(reading->context, node, &event);
}

static int read_input(struct log_reading *reading, struct input *input, const char *name)
{
    struct line_blocks blocks = {.input = input};
    struct slice lines;
    char node[NAME_BYTES];
    int err = 0;
    snprintf(node, sizeof(node), "%s", name);
    reading->files++;
    while (!err && line_blocks_next(&blocks, &lines))
        while (!err && lines.size > 0) {
            const char *end = memchr(lines.data, '\n', lines.size);
            size_t const size = end ? (size_t)(end - lines.data) + 1 : lines.size;
            err = handle_line(reading, (struct slice){lines.data, size}, node);
            lines.data += size;
            lines.size -= size;
        }
    reading->odd_lines += blocks.cut;
    if (!err && blocks.failed)
        err = -ENOMEM;
    line_blocks_fini(&blocks);
    return err == 1 ? 0 : err;
}

int node_log_read_bytes(struct log_reading *reading, struct slice text, const char *node)
{
    struct input *input = input_open_bytes(text.data, text.size);
    int const err = input ? read_input(reading, input, node) : -ENOMEM;
    input_close(input);
    return err;
}

/* "logs/r1-node.log" is of r1, "net/Primary/node.log" of Primary, "r1.log" of r1. */
static void name_of(const char *path, char name[NAME_BYTES])
{
    static const char *const endings[] = {".gz", ".zst", "-node.log", ".log"};
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    if (strncmp(base, "node.log", 8) == 0 && slash) {
        const char *begin = slash;
        while (begin > path && begin[-1] != '/')
            begin--;
        snprintf(name, NAME_BYTES, "%.*s", (int)(slash - begin), begin);
        return;
    }
    snprintf(name, NAME_BYTES, "%s", base);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t const size = strlen(name), length = strlen(endings[i]);
        if (size > length && strcmp(name + size - length, endings[i]) == 0)
            name[size - length] = '\0';
    }
}

static int read_file(struct log_reading *reading, const char *path, struct fault *fault)
{
    char name[NAME_BYTES];
    struct input *input = input_open(path, fault);
    if (!input)
        return fault ? fault->code : -EIO;
    name_of(path, name);
    int err = read_input(reading, input, name);
    enum input_end const end = input_end(input);
    input_close(input);
    if (!err && (end == INPUT_DAMAGED || end == INPUT_FAILED))
        err = fault_set(fault, -EIO, "%s cannot be read to its end: it is damaged", path);
    else if (err)
        fault_set(fault, err, "cannot read %s: %s", path, strerror(-err));
    return err;
}

static bool ends_in(const char *name, const char *ending)
{
    size_t const size = strlen(name), length = strlen(ending);
    return size > length && strcmp(name + size - length, ending) == 0;
}

static bool is_log(const char *name)
{
    return strcmp(name, "node.log") == 0 || ends_in(name, "-node.log") ||
           ends_in(name, "-node.log.gz") || ends_in(name, "-node.log.zst");
}

static int path_order(const void *left, const void *right)
{
    return strverscmp(*(char *const *)left, *(char *const *)right);
}

typedef VEC(char *) path_list;

static int add_path(path_list *paths, const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat about;
    int length = snprintf(path, sizeof(path), "%s/%s", folder, name);
    bool const is_there = length < PATH_MAX && stat(path, &about) == 0;
    bool const is_folder = is_there && S_ISDIR(about.st_mode);
    if (is_folder)
        length = snprintf(path, sizeof(path), "%s/%s/node.log", folder, name);
    if (!is_there || length >= PATH_MAX || (is_folder ? stat(path, &about) < 0 : !is_log(name)))
        return 0;
    char *copy = S_ISREG(about.st_mode) ? strdup(path) : NULL;
    if (copy && !vec_push(paths, copy)) {
        free(copy);
        return -ENOMEM;
    }
    return 0;
}

static int read_folder(struct log_reading *reading, const char *path, struct fault *fault)
{
    path_list paths = {0};
    DIR *folder = opendir(path);
    int err = 0;
    if (!folder)
        return fault_set(fault, -errno, "cannot open %s: %s", path, strerror(errno));
    for (struct dirent *entry; !err && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            err = add_path(&paths, path, entry->d_name);
    closedir(folder);
    if (paths.count > 0)
        qsort(paths.items, paths.count, sizeof(paths.items[0]), path_order);
    else if (!err)
        err = fault_set(fault, -ENOENT,
                        "no log in %s: a log is called NODE-node.log, node.log or NODE/node.log",
                        path);
    vec_each (file, &paths) {
        err = err ? err : read_file(reading, *file, fault);
        free(*file);
    }
    vec_free(&paths);
    return err;
}

int node_log_read(struct log_reading *reading, const char *path, struct fault *fault)
{
    struct stat about;
    if (stat(path, &about) < 0)
        return fault_set(fault, -errno, "cannot open %s: %s", path, strerror(errno));
    return S_ISDIR(about.st_mode) ? read_folder(reading, path, fault)
                                  : read_file(reading, path, fault);
}
