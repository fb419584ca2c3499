/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_set.c - `memoir set`: changes a recording that is being written. */
#include <stdbool.h>
#include <stdio.h>

#include "capture/sessions/control.h"
#include "cli/record/heap_rate.h"
#include "cli/shared/options.h"
#include "cli/shared/parse_pid.h"
#include "cli/record/record_commands.h"

struct settings {
    bool has_heap;
    uint64_t heap_rate;
};

static int handle_heap(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)name;
    return heap_rate_parse(value, &((struct settings *)into)->heap_rate, fault);
}

static const struct option_rule rules[] = {{"--heap", "MODE", HEAP_RATE_HELP,
                                            OPTION_CALLBACK(handle_heap),
                                            OPTION_ALSO(struct settings, has_heap)},
                                           {.name = NULL}};

int cmd_set(int argc, char **argv)
{
    struct settings settings = {.has_heap = false};
    struct option_set sets[] = {{NULL, rules, &settings}};
    struct command_help help = {
        .usage = "memoir set PID --heap full|sample[=BYTES]|off",
        .summary = "Changes what a running recording traces, at once and without a restart.\nWhen "
                   "a full recording begins to sample, memoir stops following the blocks that it "
                   "knew.",
        .examples = "  memoir set 4711 --heap sample\n"
                    "  memoir set 4711 --heap full\n",
        .sets = sets,
        .set_count = 1};
    int status, count = command_words(argc, argv, &help, &status);
    struct fault fault = {0};
    char request[CONTROL_TEXT_MAX];
    pid_t pid;

    if (count < 0)
        return status;
    if (count != 1 || !settings.has_heap) {
        fprintf(stderr, "memoir: no PID and mode, as in: memoir set PID --heap sample\n");
        return 2;
    }
    if (parse_pid(argv[1], &pid) < 0) {
        fprintf(stderr, "memoir: %s is not a PID\n", argv[1]);
        return 2;
    }
    snprintf(request, sizeof(request), "heap %llu", (unsigned long long)settings.heap_rate);
    if (control_ask(pid, request, &fault) < 0) {
        fprintf(stderr, "memoir: %s\n", fault.text);
        return 1;
    }
    return 0;
}
