/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_live.c - `memoir-record live`: profiles a process for `memoir serve`, which does not link the
 * libraries for that (live_words.h). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "cli/record/record_commands.h"
#include "on_request/live_answer.h"
#include "serve/content/live_words.h"

static bool parse_kind(const char *word, struct live_request *question)
{
    static const struct {
        const char *word;
        enum live_kind kind;
    } kinds[] = {
        {LIVE_CPU, LIVE_IS_CPU}, {LIVE_WALL, LIVE_IS_WALL}, {LIVE_THREADS, LIVE_IS_THREADS}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(word, kinds[i].word) == 0) {
            question->kind = kinds[i].kind;
            return true;
        }
    return false;
}

static bool parse_form(const char *word, struct live_request *question)
{
    question->hides_addresses = word[0] == LIVE_HIDES;
    word += question->hides_addresses;
    question->is_folded = strcmp(word, LIVE_FOLDED) == 0;
    question->is_text = strcmp(word, LIVE_TEXT) == 0;
    return question->is_folded || question->is_text || strcmp(word, LIVE_PPROF) == 0;
}

int cmd_live(int argc, char **argv)
{
    struct live_request question = {0};
    struct fault fault = {.text = ""};
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* without the server nobody wants to know */
    if (argc != 5 || !parse_kind(argv[1], &question) || !parse_form(argv[4], &question)) {
        fprintf(stderr, "memoir-record %s: a part of memoir; use `memoir serve`\n", LIVE_COMMAND);
        return 2;
    }
    question.pid = (uint32_t)strtoul(argv[2], NULL, 10);
    question.number = (uint32_t)strtoul(argv[3], NULL, 10);
    if (live_answer(&question, stdout, &fault) == 0 && fflush(stdout) == 0)
        return 0;
    fprintf(stderr, "%s\n", fault.text[0] ? fault.text : "cannot write the answer");
    return 1;
}
