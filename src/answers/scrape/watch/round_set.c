/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/watch/round_set.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_in.h"

#define FILE_MAX ((off_t)32 << 20)

/* Heights mostly come in order: looked for from the end. */
static void insert(struct round_set *rounds, uint64_t height)
{
    size_t at = rounds->all.count;

    while (at > 0 && rounds->all.items[at - 1] > height)
        at--;
    if (at > 0 && rounds->all.items[at - 1] == height)
        return;
    if (rounds->all.count >= ROUNDS_MAX || !vec_reserve(&rounds->all, 1))
        return;
    uint64_t *items = rounds->all.items;
    memmove(items + at + 1, items + at, (rounds->all.count - at) * sizeof(items[0]));
    items[at] = height;
    rounds->all.count++;
}

void round_set_add(struct round_set *rounds, uint64_t height)
{
    if (!rounds->has_any) {
        rounds->first = rounds->min = rounds->max = height;
        rounds->has_any = true;
    }
    rounds->min = height < rounds->min ? height : rounds->min;
    rounds->max = height > rounds->max ? height : rounds->max;
    insert(rounds, height);
}

void round_set_fini(struct round_set *rounds)
{
    vec_free(&rounds->all);
}

static void write_rounds(FILE *file, void *context)
{
    const struct round_set *rounds = context;
    size_t const count = rounds->all.count;

    if (count == 0) {
        fprintf(file, "{\"min\":null,\"max\":null,\"all\":[]}\n");
        return;
    }
    uint64_t const first = rounds->all.items[0], last = rounds->all.items[count - 1];
    fprintf(file, "{\"min\":%" PRIu64 ",\"max\":%" PRIu64 ",\"all\":[",
            rounds->has_any && rounds->min < first ? rounds->min : first,
            rounds->has_any && rounds->max > last ? rounds->max : last);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s%" PRIu64, i ? "," : "", rounds->all.items[i]);
    fprintf(file, "]}\n");
}

int round_set_write(const struct round_set *rounds, struct run_writer *writer)
{
    return run_writer_replace(writer, "rounds.json", write_rounds, (void *)rounds);
}

static void take_rounds(struct round_set *rounds, struct slice text)
{
    struct json_in json = {.text = text};
    char key[16];
    uint64_t height;

    for (json_in_object(&json); json_in_key(&json, key, sizeof(key));)
        if (strcmp(key, "all") != 0)
            json_in_skip(&json);
        else
            for (json_in_array(&json); json_in_item(&json);)
                if (json_in_uint(&json, &height))
                    insert(rounds, height);
}

void round_set_read(struct round_set *rounds, int folder)
{
    struct stat stat;
    int const fd = openat(folder, "rounds.json", O_RDONLY | O_CLOEXEC);
    char *text = NULL;

    if (fd >= 0 && fstat(fd, &stat) == 0 && stat.st_size > 0 && stat.st_size <= FILE_MAX)
        text = malloc((size_t)stat.st_size);
    ssize_t const got = text ? pread(fd, text, (size_t)stat.st_size, 0) : 0;
    if (got > 0)
        take_rounds(rounds, (struct slice){text, (size_t)got});
    free(text);
    if (fd >= 0)
        close(fd);
}
