/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_names.c - `memoir-record names`: looks up names for `memoir`, which does not link the
 * libraries for that.  The recording names the files to read, and both recording and files may be
 * hostile: this process opens the files, and the namer, which is confined, reads them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record/record_commands.h"
#include "formats/open/name_lines.h"
#include "symbols/namer/name_client.h"
#include "symbols/namer/name_message.h"

/* Questions about one module. */
struct question_batch {
    char *path, *build_id;
    uint64_t addresses[NAME_ADDRESSES_MAX];
    size_t count;
};

static void answer_batch(struct name_client *client, struct question_batch *batch)
{
    struct resolver_module const module = {
        .path = batch->path, .root = "", .build_id = batch->build_id};
    for (size_t i = 0; i < batch->count; i++) {
        struct name_answer answer;
        name_client_ask(client, &module, batch->addresses + i, batch->count - i, &answer);
        printf("%" PRIu32 "\n", answer.count);
        for (uint32_t k = 0; k < answer.count; k++) {
            const struct resolved *name = &answer.names[k];
            printf("%" PRIu32 "\t%s\t%s\t%s\n", name->line, name->file, name->symbol,
                   name->function);
        }
        free(answer.names);
    }
    batch->count = 0;
}

static bool is_of(const struct question_batch *batch, const char *path, const char *build_id)
{
    return batch->path && strcmp(batch->path, path) == 0 && strcmp(batch->build_id, build_id) == 0;
}

/* Answers what came before when this is about another module.  False when out of memory. */
static bool take_question(struct name_client *client, struct question_batch *batch, char *line)
{
    char *rest;
    uint64_t const address = strtoull(line, &rest, 16);
    rest += *rest == ' ';
    const char *build_id = strsep(&rest, " ");
    const char *path = rest ? rest : "";
    build_id = strcmp(build_id, "-") == 0 ? "" : build_id;
    if (batch->count == NAME_ADDRESSES_MAX || !is_of(batch, path, build_id))
        answer_batch(client, batch);
    if (!is_of(batch, path, build_id)) {
        free(batch->path);
        free(batch->build_id);
        batch->path = strdup(path);
        batch->build_id = strdup(build_id);
    }
    if (!batch->path || !batch->build_id)
        return false;
    batch->addresses[batch->count++] = address;
    return true;
}

static void say(const char *sentence)
{
    fprintf(stderr, "memoir: %s\n", sentence);
}

int cmd_names(int argc, char **argv)
{
    (void)argv;
    struct name_client *client = argc == 1 ? name_client_create(say) : NULL;
    struct question_batch batch = {.path = NULL};
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    bool fine = true;
    if (!client) {
        fprintf(stderr,
                "memoir-record %s: reads \"ADDRESS BUILD PATH\" lines from standard input\n",
                NAME_COMMAND);
        return 2;
    }
    while (fine && (size = getline(&line, &room, stdin)) > 0) {
        line[size - (line[size - 1] == '\n')] = '\0';
        fine = take_question(client, &batch, line);
    }
    if (fine)
        answer_batch(client, &batch);
    free(line);
    free(batch.path);
    free(batch.build_id);
    name_client_destroy(client);
    return fine && fflush(stdout) == 0 ? 0 : 1;
}
