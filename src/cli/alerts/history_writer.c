/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/alerts/history_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own_path.h"
#include "cli/alerts/history_message.h"
#include "cli/alerts/side_process.h"
#include "sandbox/line.h"
#include "sandbox/sandbox.h"
#include "store/history/history_queue.h"

#define BEGIN_MS     30000u /* other writers may hold the file for a while */
#define END_MS       30000u
#define THREADS      2u
#define MEMORY_BYTES (UINT64_C(1) << 30)

/* What the side process says: at the beginning whether the history can be written, at the end how
 * much of it was not. */
struct word {
    int32_t code;
    uint32_t zero;
    uint64_t left_out;
    char text[FAULT_TEXT_MAX];
};

struct history_writer {
    int line;
    uint64_t sent, left_out;
    struct history_message message;
};

/* The side process, from here on. */

static void confine(const struct own_place *place)
{
    char folder[64], file[sizeof(folder) + NAME_MAX + 1];
    snprintf(folder, sizeof(folder), "/proc/self/fd/%d", place->folder);
    snprintf(file, sizeof(file), "%s/%s", folder, place->name);
    struct sandbox_place const here = {place->folder,
                                       SANDBOX_READ | SANDBOX_WRITE | SANDBOX_CREATE};
    bool const is_strangers = !sandbox_may_use(folder, R_OK | W_OK | X_OK) ||
                              (place->exists && !sandbox_may_use(file, R_OK | W_OK));
    struct sandbox_wish const wish = {.calls = SANDBOX_FILES,
                                      .places = &here,
                                      .place_count = 1,
                                      .memory_bytes = MEMORY_BYTES,
                                      .file_bytes = SANDBOX_NO_LIMIT,
                                      .processes = THREADS,
                                      .cpu_seconds = SANDBOX_NO_LIMIT,
                                      .keeps_user = true,
                                      .opens_any_owners = is_strangers};
    struct sandbox_report report;
    (void)sandbox_enter(&wish, &report, NULL);
}

static struct history_queue *open_queue(const char *path, struct fault *fault)
{
    struct own_place place;
    if (own_place_find(path, &place, fault) < 0)
        return NULL;
    confine(&place);
    own_place_close(&place);
    return history_queue_create(path, fault);
}

static void tell_news(struct history_queue *queue)
{
    static bool is_told;
    struct fault fault;
    if (!history_queue_fault(queue, &fault) || is_told)
        return;
    is_told = true;
    fprintf(stderr, "memoir: %s; the recording goes on, and memoir tries again\n", fault.text);
}

static void work(int line, const void *context)
{
    static struct history_message message;
    static struct history_parts parts;
    struct fault fault = {.text = ""};
    struct history_queue *queue = open_queue(context, &fault);
    struct word word = {.code = queue ? 0 : fault.code ? fault.code : -EIO};
    memcpy(word.text, fault.text, sizeof(word.text));
    if (line_send(line, &word, sizeof(word), NULL, 0) < 0 || !queue)
        return;
    for (;;) {
        ssize_t const got = line_receive(line, &message, sizeof(message), NULL);
        if (got <= 0 || !history_message_read(&message, (size_t)got, &parts))
            break;
        history_queue_add(queue, &parts.snapshot);
        tell_news(queue);
    }
    word = (struct word){.left_out = history_queue_finish(queue)};
    (void)line_send(line, &word, sizeof(word), NULL, 0);
}

/* The recorder, from here on. */

static bool hear(int line, unsigned wait_ms, struct word *word)
{
    if (!side_process_wait(line, wait_ms) ||
        line_receive(line, word, sizeof(*word), NULL) != (ssize_t)sizeof(*word))
        return false;
    word->text[sizeof(word->text) - 1] = '\0';
    return true;
}

static int begin(struct history_writer *writer, const char *path, struct fault *fault)
{
    struct word word;
    writer->line = side_process_begin("memoir-history", work, path);
    if (writer->line < 0)
        return fault_set(fault, writer->line, "cannot start a process for the history: %s",
                         strerror(-writer->line));
    int err = 0;
    if (!hear(writer->line, BEGIN_MS, &word))
        err = fault_set(fault, -EIO, "the process that opens the history %s does not answer", path);
    else if (word.code)
        err = fault_set(fault, word.code < 0 ? word.code : -EIO, "%s", word.text);
    if (err)
        side_process_end(writer->line, 0);
    return err;
}

struct history_writer *history_writer_begin(const char *path, struct fault *fault)
{
    struct history_writer *writer = calloc(1, sizeof(*writer));
    if (writer && begin(writer, path, fault) == 0)
        return writer;
    if (!writer)
        fault_set(fault, -ENOMEM, "out of memory before the start");
    free(writer);
    return NULL;
}

void history_writer_add(struct history_writer *writer, const struct history_snapshot *snapshot)
{
    size_t const size = history_message_write(&writer->message, snapshot);
    if (size > 0 && side_process_tell(writer->line, &writer->message, size) == 0)
        writer->sent++;
    else
        writer->left_out++;
}

uint64_t history_writer_end(struct history_writer *writer)
{
    struct word word;
    uint64_t left_out = writer->left_out;
    side_process_close(writer->line);
    /* It may have been killed: what it had written by then, nobody knows. */
    left_out += hear(writer->line, END_MS, &word) ? word.left_out : writer->sent;
    side_process_end(writer->line, 0);
    free(writer);
    return left_out;
}
