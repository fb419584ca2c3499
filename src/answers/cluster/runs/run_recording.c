/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/runs/run_recording.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "formats/pprof/pprof_series.h"
#include "formats/shared/value_bound.h"

static const struct {
    const char *word;
    enum run_kind kind;
} kinds[] = {{"heap", RUN_HEAP},
             {"cpu", RUN_CPU},
             {"goroutine", RUN_GOROUTINE},
             {"mutex", RUN_MUTEX},
             {"block", RUN_BLOCK}};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct run_reader {
    const struct run *run;
    enum run_kind kind;
    struct recording *recording;
    struct pprof_series series;
    VEC(const struct run_file *) files; /* by stamp */
    uint32_t *numbers; /* by node of the run: in the series, plus one; 0: not asked for */
    uint32_t chosen;   /* nodes */
    uint64_t unread;
    struct fault why; /* of the first that could not be read */
};

int run_kind_of_word(const char *word, enum run_kind *kind)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(word, kinds[i].word) == 0) {
            *kind = kinds[i].kind;
            return 0;
        }
    return -EINVAL;
}

const char *run_kind_word(enum run_kind kind)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].kind == kind)
            return kinds[i].word;
    return NULL;
}

static bool has_kind(const struct run *run, enum run_kind kind)
{
    vec_each (file, &run->files)
        if (file->kind == kind)
            return true;
    return false;
}

static int choose_kind(struct run_reader *reader, const char *word, struct fault *fault)
{
    if (word && run_kind_of_word(word, &reader->kind) < 0)
        return fault_set(fault, -EINVAL,
                         "--kind cannot be \"%s\": give heap, cpu, goroutine, mutex or block",
                         word);
    for (size_t i = 0; !word && i < KINDS; i++) {
        reader->kind = kinds[i].kind;
        if (has_kind(reader->run, reader->kind))
            return 0;
    }
    if (word && has_kind(reader->run, reader->kind))
        return 0;
    return fault_set(fault, -ENOENT, "the run %s has no %s profiles: watch takes them with --%s",
                     reader->run->path, word ? word : "heap", word ? word : "heap");
}

static int by_stamp(const void *left, const void *right)
{
    const struct run_file *a = *(const struct run_file *const *)left;
    const struct run_file *b = *(const struct run_file *const *)right;
    if (a->stamp_us != b->stamp_us)
        return a->stamp_us < b->stamp_us ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static int choose_files(struct run_reader *reader, const char *node, struct fault *fault)
{
    const struct run *run = reader->run;
    bool is_known = !node;
    for (uint32_t i = 0; i < run->nodes.count; i++) {
        const struct run_node *at = &run->nodes.items[i];
        const struct run_file *first;
        bool const is_asked = !node || strcmp(at->name, node) == 0 || strcmp(at->nick, node) == 0;
        size_t const count = run_files_of(run, i, reader->kind, &first);
        is_known |= is_asked;
        if (!is_asked || count == 0)
            continue;
        reader->chosen++;
        reader->numbers[i] = 1; /* for now: asked for */
        for (size_t k = 0; k < count; k++)
            if (!vec_push(&reader->files, first + k))
                return fault_set(fault, -ENOMEM, "out of memory");
    }
    if (!is_known)
        return fault_set(fault, -ENOENT, "the run %s has no node \"%s\": its first node is %s",
                         run->path, node, run->nodes.count ? run->nodes.items[0].name : "none");
    if (reader->files.count == 0)
        return fault_set(fault, -ENOENT, "the run %s has no %s profiles of %s", run->path,
                         run_kind_suffix(reader->kind), node ? node : "any node");
    qsort(reader->files.items, reader->files.count, sizeof(reader->files.items[0]), by_stamp);
    return 0;
}

/* One node alone needs no frame of its own. */
static int add_nodes(struct run_reader *reader)
{
    int err = 0;
    reader->series.is_run = true;
    for (uint32_t i = 0; err == 0 && i < reader->run->nodes.count; i++) {
        uint32_t number;
        if (!reader->numbers[i])
            continue;
        err = pprof_series_add_node(
            &reader->series, reader->chosen > 1 ? reader->run->nodes.items[i].name : NULL, &number);
        reader->numbers[i] = number + 1;
    }
    return err;
}

/* When it was taken, since the first capture of the run: nodes that came later have the same
 * clock.  What covers a stretch of time is told at its end. */
static uint64_t time_of(const struct run_reader *reader, const struct run_file *file,
                        const struct pprof_profile *profile)
{
    int64_t const since_us = file->stamp_us - reader->run->stamps.items[0];
    uint64_t at_ns = (uint64_t)since_us * NS_PER_US;
    if (reader->kind == RUN_CPU && profile->duration_ns > 0)
        at_ns += (uint64_t)profile->duration_ns;
    if (at_ns < reader->series.end_ns)
        at_ns = reader->series.end_ns;
    return at_ns ? at_ns : 1;
}

struct pprof_profile *run_profile_read(const struct run *run, const struct run_file *file,
                                       struct fault *fault)
{
    int const fd = run_file_open(run, file);
    if (fd < 0) {
        fault_set(fault, fd, "%s", strerror(-fd));
        return NULL;
    }
    struct pprof_profile *profile = pprof_read_fd(fd, fault);
    close(fd);
    return profile;
}

static int add_file(struct run_reader *reader, const struct run_file *file)
{
    struct fault why = {.text = ""};
    struct pprof_profile *profile = run_profile_read(reader->run, file, &why);
    if (!profile) {
        if (reader->unread++ == 0)
            fault_set(&reader->why, why.code, "%s: %s", file->name, why.text);
        return 0;
    }
    int const err = pprof_series_add(&reader->series, reader->numbers[file->node] - 1,
                                     time_of(reader, file, profile), profile);
    pprof_destroy(profile);
    if (err != -EOVERFLOW)
        return err;
    if (reader->unread++ == 0)
        fault_set(&reader->why, err, "%s: " VALUE_BOUND_SENTENCE, file->name);
    return 0;
}

static void tell(struct run_reader *reader)
{
    struct recording *recording = reader->recording;
    char name[64];
    snprintf(name, sizeof(name), "%u nodes", reader->chosen);
    recording->program = recording_intern(
        recording,
        reader->chosen > 1 ? name : reader->run->nodes.items[reader->files.items[0]->node].name);
    recording->command_line = recording_intern(recording, reader->run->path);
    recording->start_unix_ns = (uint64_t)reader->run->stamps.items[0] * NS_PER_US;
    if (reader->unread)
        recording_note(recording, "%llu of %zu profiles could not be read and are left out; %s",
                       (unsigned long long)reader->unread, reader->files.count, reader->why.text);
}

static int read_all(struct run_reader *reader, struct fault *fault)
{
    int err = pprof_series_init(&reader->series, reader->recording);
    if (err == 0)
        err = add_nodes(reader);
    for (size_t i = 0; err == 0 && i < reader->files.count; i++)
        err = add_file(reader, reader->files.items[i]);
    if (err == 0 && reader->unread == reader->files.count)
        err = fault_set(fault, -EINVAL, "no profile of the run %s can be read; %s",
                        reader->run->path, reader->why.text);
    else if (err == 0)
        err = pprof_series_finish(&reader->series);
    if (err == -ENOMEM)
        fault_set(fault, err,
                  "there is not enough memory for the run %s: choose one node of it "
                  "with --node",
                  reader->run->path);
    if (err == -E2BIG)
        fault_set(fault, err,
                  "the run %s is too large to be shown at once: choose one node of it "
                  "with --node",
                  reader->run->path);
    if (err == 0)
        tell(reader);
    pprof_series_fini(&reader->series);
    return err;
}

struct recording *run_recording_of(const struct run *run, const char *node, const char *kind,
                                   struct fault *fault)
{
    struct run_reader reader = {.run = run};
    int err = choose_kind(&reader, kind, fault);
    if (err == 0) {
        reader.recording = recording_create();
        reader.numbers = calloc(run->nodes.count + 1, sizeof(reader.numbers[0]));
        if (!reader.recording || !reader.numbers)
            err = fault_set(fault, -ENOMEM, "out of memory");
    }
    if (err == 0)
        err = choose_files(&reader, node, fault);
    if (err == 0)
        err = read_all(&reader, fault);
    vec_free(&reader.files);
    free(reader.numbers);
    if (err == 0)
        return reader.recording;
    recording_destroy(reader.recording);
    return NULL;
}

struct recording *run_recording_read(const char *path, const char *node, const char *kind,
                                     struct fault *fault)
{
    struct run *run = run_open(path, fault);
    struct recording *recording = run ? run_recording_of(run, node, kind, fault) : NULL;
    run_close(run);
    return recording;
}
