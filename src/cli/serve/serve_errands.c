/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/serve/serve_errands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serve/content/errand.h"
#include "serve/content/live_words.h"

#define WORDS_MOST 8u

bool serve_words_fill(struct serve_words *words, const char *const *from)
{
    size_t used = 0;
    for (words->count = 0; from[words->count]; words->count++) {
        size_t const size = strlen(from[words->count]) + 1;
        if (words->count == WORDS_MOST - 1 || size > sizeof(words->text) - used)
            return false;
        memcpy(words->text + used, from[words->count], size);
        used += size;
    }
    return true;
}

/* The words apart; false when they do not end. */
static bool split(struct serve_words *words, char *apart[WORDS_MOST])
{
    char *at = words->text, *end = words->text + sizeof(words->text);
    if (words->count == 0 || words->count >= WORDS_MOST)
        return false;
    for (uint32_t i = 0; i < words->count; i++) {
        char *nul = memchr(at, '\0', (size_t)(end - at));
        if (!nul)
            return false;
        apart[i] = at;
        at = nul + 1;
    }
    apart[words->count] = NULL;
    return true;
}

static bool is_one_of(const char *word, const char *const *all)
{
    for (; *all; all++)
        if (strcmp(word, *all) == 0)
            return true;
    return false;
}

static bool is_number(const char *word)
{
    size_t const size = strlen(word);
    return size > 0 && size < 10 && strspn(word, "0123456789") == size;
}

/* memoir-record live KIND PID NUMBER FORM */
static bool is_live(char *const *words, uint32_t count, bool (*is_meant)(uint32_t pid))
{
    static const char *const kinds[] = {LIVE_CPU, LIVE_WALL, LIVE_THREADS, NULL};
    static const char *const forms[] = {LIVE_PPROF, LIVE_FOLDED, LIVE_TEXT, NULL};
    return count == 6 && strcmp(words[1], LIVE_COMMAND) == 0 && is_one_of(words[2], kinds) &&
           is_number(words[3]) && is_number(words[4]) &&
           is_one_of(words[5] + (words[5][0] == LIVE_HIDES), forms) &&
           is_meant((uint32_t)strtoul(words[3], NULL, 10));
}

/* memoir-history history DB --json --points */
static bool is_history(char *const *words, uint32_t count, const struct serve_meant *meant)
{
    bool is_named = false;
    for (int i = 0; count == 5 && i < meant->file_count && !is_named; i++)
        is_named = strcmp(words[2], meant->files[i]) == 0;
    return is_named && strcmp(words[1], "history") == 0 && strcmp(words[3], "--json") == 0 &&
           strcmp(words[4], "--points") == 0;
}

/* memoir-fetch URL SECONDS, below the endpoint of the command line */
static bool is_fetch(char *const *words, uint32_t count, const char *endpoint)
{
    size_t const size = endpoint ? strlen(endpoint) : 0;
    return endpoint && count == 3 && strncmp(words[1], endpoint, size) == 0 &&
           words[1][size] == '/' && !strstr(words[1] + size, "..") && is_number(words[2]);
}

/* The program, if it may be started so. */
static const char *choose(const struct serve_meant *meant, char *const *words, uint32_t count,
                          bool (*is_meant)(uint32_t pid))
{
    const struct target_beside *beside = &meant->beside;
    if (strcmp(words[0], LIVE_PROGRAM) == 0 && is_live(words, count, is_meant))
        return beside->live;
    if (strcmp(words[0], "memoir-history") == 0 && is_history(words, count, meant))
        return beside->history;
    if (strcmp(words[0], "memoir-fetch") == 0 && is_fetch(words, count, beside->go_pprof))
        return beside->fetch;
    return NULL;
}

static pid_t running[ERRANDS_MOST]; /* 0: none */

static int find(int number)
{
    for (int i = 0; i < ERRANDS_MOST; i++)
        if (running[i] == number)
            return i;
    return -1;
}

int serve_errand_start(const struct serve_meant *meant, struct serve_words *words,
                       bool (*is_meant)(uint32_t pid), const int ends[2])
{
    char *apart[WORDS_MOST];
    const char *program = split(words, apart) ? choose(meant, apart, words->count, is_meant) : NULL;
    int const place = find(0);
    pid_t pid = 0;
    if (!program || place < 0)
        return program ? -EBUSY : -EACCES;
    int const err =
        errand_spawn(program, (const char *const *)(void *)apart, ends[0], ends[1], &pid);
    if (err)
        return err;
    running[place] = pid;
    return pid;
}

int serve_errand_look(int number, int *status)
{
    int const place = number > 0 ? find(number) : -1;
    if (place < 0)
        return -ECHILD;
    pid_t const ended = waitpid(number, status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return 0;
    running[place] = 0;
    return ended < 0 ? -errno : 1;
}

void serve_errand_end(int number)
{
    int const place = number > 0 ? find(number) : -1;
    if (place < 0)
        return;
    kill(number, SIGKILL);
    while (waitpid(number, NULL, 0) < 0 && errno == EINTR)
        ;
    running[place] = 0;
}

void serve_errands_end_all(void)
{
    for (int i = 0; i < ERRANDS_MOST; i++)
        serve_errand_end(running[i]);
}
