/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/watch/round_set.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_in.h"
#include "base/json_out.h"

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
    uint64_t const first = count ? rounds->all.items[0] : 0;
    uint64_t const last = count ? rounds->all.items[count - 1] : 0;
    struct json_out json;

    json_init(&json, file, false);
    json_object_begin(&json);
    json_uint_field_if(&json, "min", count > 0,
                       rounds->has_any && rounds->min < first ? rounds->min : first);
    json_uint_field_if(&json, "max", count > 0,
                       rounds->has_any && rounds->max > last ? rounds->max : last);
    json_key(&json, "all");
    json_array_begin(&json);
    vec_each (height, &rounds->all)
        json_uint(&json, *height);
    json_array_end(&json);
    json_object_end(&json);
    (void)json_finish(&json); /* its error is the file's, and found at the close */
}

int round_set_write(const struct round_set *rounds, struct run_writer *writer)
{
    return run_writer_replace(writer, "rounds.json", write_rounds, (void *)rounds);
}

static void parse_rounds(struct round_set *rounds, struct slice text)
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
        parse_rounds(rounds, (struct slice){text, (size_t)got});
    free(text);
    if (fd >= 0)
        close(fd);
}
