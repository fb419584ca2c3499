/* SPDX-License-Identifier: Apache-2.0 */
/* What a confined recorder that was taken over may ask of its keeper, and what a keeper may answer.
 * The first byte is the kind of the request, so that all kinds are met soon. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "keeper/keeper_facts.h"
#include "keeper/keeper_outputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

/* What is served without a further look at the field. */
static void check_request(const struct keeper_request *request)
{
    need(request->what < KEEPER_WHATS && request->pid <= 1u << 22 && request->tid <= 1u << 22);
    need(memchr(request->file.path, '\0', sizeof(request->file.path)) != NULL);
    need(memchr(request->file.root, '\0', sizeof(request->file.root)) != NULL);
    if (request->what <= KEEPER_STAT)
        need(request->number < PROC_FILES && request->pid > 0);
    if (request->what == KEEPER_SIGNAL)
        need(request->number > 0 && request->number < 65);
    if (request->what == KEEPER_FILE)
        need(request->file.kind <= FOREIGN_DEBUG);
    if (request->what >= KEEPER_TAKE && request->what <= KEEPER_ASIDE)
        need(request->file.path[0] != '\0');
}

/* A name that may be made lies in the folder itself. */
static void check_output(const char *path)
{
    struct keeper_outputs outputs;
    keeper_outputs_init(&outputs, "folder/out", "folder", -1);
    if (!keeper_outputs_may_be(&outputs, path) || strcmp(path, "folder/out") == 0)
        return;
    need(strncmp(path, "folder/", 7) == 0 && path[7] != '.' && !strchr(path + 7, '/'));
}

static void check_stat(const uint8_t *data, size_t size)
{
    char text[KEEPER_TEXT_MAX];
    size_t const length = size < sizeof(text) ? size : sizeof(text) - 1;
    memcpy(text, data, length);
    text[length] = '\0';
    size_t const before = strlen(text);
    need(keeper_tame_stat(text, size % 2 != 0) <= before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct keeper_request request;
    static struct keeper_reply reply;
    if (size == 0)
        return 0;
    size_t const rest = size - 1;
    memset(&request, 0, sizeof(request));
    memcpy(&request, data + 1, rest < sizeof(request) ? rest : sizeof(request));
    request.what = data[0];
    if (keeper_request_is_valid(&request)) {
        check_request(&request);
        check_output(request.file.path);
    }
    memset(&reply, 0, KEEPER_REPLY_HEAD);
    memcpy(&reply, data, size < sizeof(reply) ? size : sizeof(reply));
    if (keeper_reply_is_valid(&reply, size))
        need(reply.err <= 0 && reply.text_size <= KEEPER_TEXT_MAX);
    check_stat(data + 1, rest);
    return 0;
}
