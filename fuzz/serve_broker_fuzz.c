/* SPDX-License-Identifier: Apache-2.0 */
/* What a server that was taken over may have started, and may ask about processes and files: the
 * words of a command that is allowed are those that memoir itself would say, and no others. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/serve/serve_errands.h"
#include "foreign/foreign_request.h"
#include "procfs/process/proc_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SERVED 42u

static void need(bool holds)
{
    if (!holds)
        abort();
}

static bool is_meant(uint32_t pid)
{
    return pid == SERVED;
}

/* Of a program that is not there: what is allowed is tried, and nothing runs. */
static void check_words(const uint8_t *data, size_t size)
{
    static char file[] = "served.db";
    static char *files[] = {file};
    static const char none[] = "/nonexistent/memoir";
    struct serve_meant const meant = {
        .pid = SERVED,
        .files = files,
        .file_count = 1,
        .beside = {
            .live = none, .fetch = none, .history = none, .go_pprof = "http://127.0.0.1:6060"}};
    static struct serve_words words;
    static const int ends[2] = {-1, -1};
    if (size == 0)
        return;
    memset(&words, 0, sizeof(words));
    words.count = data[0];
    memcpy(words.text, data + 1, size - 1 < sizeof(words.text) ? size - 1 : sizeof(words.text));
    int const err = serve_errand_start(&meant, &words, is_meant, ends);
    need(err < 0);
    if (err == -EACCES)
        return;
    const char *first = words.text, *second = first + strlen(first) + 1;
    if (strcmp(first, "memoir-fetch") == 0)
        need(words.count == 3 && strncmp(second, "http://127.0.0.1:6060/", 22) == 0);
    else if (strcmp(first, "memoir-history") == 0)
        need(words.count == 5 && strcmp(second + strlen(second) + 1, file) == 0);
    else
        need(strcmp(first, "memoir-record") == 0 && words.count == 6 &&
             strcmp(second, "live") == 0);
}

static void check_requests(const uint8_t *data, size_t size)
{
    struct proc_request process;
    static struct foreign_request file;
    memset(&process, 0, sizeof(process));
    memcpy(&process, data, size < sizeof(process) ? size : sizeof(process));
    if (proc_request_is_valid(&process))
        need(process.file < PROC_FILES && process.question <= PROC_ASK_ABOUT);
    memset(&file, 0, sizeof(file));
    memcpy(&file, data, size < sizeof(file) ? size : sizeof(file));
    if (foreign_request_is_valid(&file))
        need(file.kind <= FOREIGN_DEBUG && strlen(file.path) < sizeof(file.path) &&
             strlen(file.root) < sizeof(file.root));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_words(data, size);
    check_requests(data, size);
    return 0;
}
