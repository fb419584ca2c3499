/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/runs/run_pick.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int order(const void *left, const void *right)
{
    const char *const *a = left, *const *b = right;
    return strcmp(*a, *b);
}

/* Takes out the metrics files that are not named; `names` are sorted.  How many are left. */
static size_t keep_named(struct run *run, const char **names, size_t count)
{
    size_t kept = 0, metrics = 0;
    vec_each (file, &run->files) {
        const char *name = file->name;
        bool const is_metrics = file->kind == RUN_METRICS;
        bool const is_kept =
            !is_metrics || bsearch(&name, names, count, sizeof(names[0]), order) != NULL;
        metrics += is_metrics && is_kept;
        if (is_kept)
            run->files.items[kept++] = *file;
        else
            free(file->name);
    }
    run->files.count = kept;
    return metrics;
}

static struct run *pick_files(char *const *words, size_t count, struct fault *fault)
{
    char folder[PATH_MAX];
    size_t const size = (size_t)(base_of(words[0]) - words[0]);
    const char **names = calloc(count, sizeof(names[0]));
    struct run *run = NULL;
    if (!names || size >= sizeof(folder)) {
        free(names);
        fault_set(fault, -ENOMEM, "cannot open %s: out of memory", words[0]);
        return NULL;
    }
    snprintf(folder, sizeof(folder), "%.*s", (int)size, words[0]);
    for (size_t i = 0; i < count; i++) {
        names[i] = base_of(words[i]);
        if ((size_t)(names[i] - words[i]) != size || strncmp(words[i], words[0], size) != 0) {
            fault_set(fault, -EINVAL, "%s and %s are in two folders: name files of one run",
                      words[0], words[i]);
            free(names);
            return NULL;
        }
    }
    qsort(names, count, sizeof(names[0]), order);
    run = run_open(size ? folder : ".", fault);
    if (run && keep_named(run, names, count) == 0) {
        fault_set(fault, -EINVAL,
                  "%s is not a file of metrics: such files are called NODE.YYYYMMDD_HHMMSS.metrics",
                  words[0]);
        run_close(run);
        run = NULL;
    }
    free(names);
    return run;
}

struct run *run_pick(char *const *words, size_t count, struct fault *fault)
{
    struct stat about;
    if (count == 0) {
        fault_set(fault, -EINVAL, "needs the folder of a run, as memoir watch writes it");
        return NULL;
    }
    if (stat(words[0], &about) < 0) {
        fault_set(fault, -errno, "cannot open %s: %s", words[0], strerror(errno));
        return NULL;
    }
    if (!S_ISDIR(about.st_mode))
        return pick_files(words, count, fault);
    if (count > 1) {
        fault_set(fault, -EINVAL, "one folder at a time: %s or %s", words[0], words[1]);
        return NULL;
    }
    return run_open(words[0], fault);
}
