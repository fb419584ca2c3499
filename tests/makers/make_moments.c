/* SPDX-License-Identifier: Apache-2.0 */
/* make_moments.c - make-moments FILE: a recording of processor time and waits as told on
 * standard input, times in ms.
 *
 *     program PATH
 *     thread TID NAME
 *     length MS                               of the recording; buckets are a second long
 *     on FROM TO STEP TID FRAME;FRAME…        a sample of STEP ms each STEP from FROM to TO,
 *                                             outermost frame first
 *     off END LENGTH TID FRAME;FRAME…         a wait of LENGTH that ended at END
 *     timeless MS COUNT TID FRAME;FRAME…      COUNT samples of 10 ms of that second, without
 *                                             their instant
 *
 * A frame that ends in _[k] is the kernel's, one in brackets is only a name; NAME@FILE:LINE says
 * where it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/write/recording_writer.h"
#include "timed_recording.h"

#define MS     UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "make-moments: %s\n", what);
    exit(1);
}

/* Cuts "@FILE:LINE" off the name. */
static struct location place_of(struct recording *recording, char *name)
{
    struct location location = {.line = 0};
    char *at = strchr(name, '@'), *colon = at ? strrchr(at, ':') : NULL;
    if (colon) {
        *at = *colon = '\0';
        location.file = recording_intern(recording, at + 1);
        location.line = (uint32_t)atoi(colon + 1);
    }
    return location;
}

static uint32_t find_frame(struct recording *recording, char *name)
{
    struct location location = place_of(recording, name);
    size_t const length = strlen(name);
    bool const is_kernel = length > 4 && strcmp(name + length - 4, "_[k]") == 0;
    uint32_t const module = is_kernel ? 1 : name[0] == '[' ? MODULE_NONE : 0;
    if (is_kernel)
        name[length - 4] = '\0';
    location.function = recording_intern(recording, name);
    for (uint32_t i = 0; i < recording->frames.count; i++) {
        const struct location *known = &recording->locations.items[i];
        if (known->function == location.function && known->file == location.file &&
            known->line == location.line && recording->frames.items[i].module == module)
            return i;
    }
    struct frame const frame = {.module = module,
                                .first_location = (uint32_t)recording->locations.count,
                                .location_count = 1,
                                .address = 16 * recording->frames.count};
    must(vec_push(&recording->locations, location) && vec_push(&recording->frames, frame),
         "out of memory");
    return (uint32_t)recording->frames.count - 1;
}

static stack_id find_stack(struct recording *recording, char *frames)
{
    stack_id stack = STACK_EMPTY;
    for (char *name = strsep(&frames, ";"); name; name = strsep(&frames, ";"))
        must(stack_table_push(recording->stacks, stack, find_frame(recording, name), &stack) == 0,
             "out of memory");
    return stack;
}

static uint32_t find_thread(const struct recording *recording, unsigned long tid)
{
    for (uint32_t i = 0; i < recording->threads.count; i++)
        if (recording->threads.items[i].tid == tid)
            return i;
    must(false, "no such thread");
    return 0;
}

static void set_length(struct recording *recording, unsigned long ms)
{
    recording->duration_ns = ms * MS;
    for (uint64_t at = 0; at < recording->duration_ns; at += SECOND) {
        uint64_t const end =
            at + SECOND < recording->duration_ns ? at + SECOND : recording->duration_ns;
        struct bucket const bucket = {.begin_ns = at, .end_ns = end, .gauges = {-1, -1, -1, -1}};
        must(vec_push(&recording->buckets, bucket), "out of memory");
    }
}

static void add_samples(struct recording *recording, unsigned long from, unsigned long to,
                        unsigned long step, struct moment moment)
{
    moment.column = COL_CPU_NS;
    moment.value = (int64_t)(step * MS);
    for (; from < to; from += step) {
        timed_add(recording, moment, from * MS);
        recording->timing.samples++;
    }
}

static void obey(struct recording *recording, char *line)
{
    char verb[16], text[4096];
    unsigned long a, b, c, tid;
    struct moment moment = {.count = 1};
    if (sscanf(line, "program %4095s", text) == 1) {
        recording->program = recording_intern(recording, text);
        recording->modules.items[0].path = recording->program;
    } else if (sscanf(line, "thread %lu %4095[^\n]", &tid, text) == 2) {
        struct thread const thread = {
            .tid = (uint32_t)tid, .name = recording_intern(recording, text), .merged = 1};
        must(vec_push(&recording->threads, thread), "out of memory");
    } else if (sscanf(line, "length %lu", &a) == 1) {
        set_length(recording, a);
    } else if (sscanf(line, "on %lu %lu %lu %lu %4095[^\n]", &a, &b, &c, &tid, text) == 5) {
        moment.thread = find_thread(recording, tid);
        moment.stack = find_stack(recording, text);
        add_samples(recording, a, b, c, moment);
    } else if (sscanf(line, "%15s %lu %lu %lu %4095[^\n]", verb, &a, &b, &tid, text) == 5) {
        bool const is_wait = strcmp(verb, "off") == 0;
        moment = (struct moment){.after_ns = is_wait ? 0 : MOMENT_TIMELESS,
                                 .thread = find_thread(recording, tid),
                                 .stack = find_stack(recording, text),
                                 .count = is_wait ? 1 : (uint32_t)b,
                                 .column = is_wait ? COL_OFFCPU_NS : COL_CPU_NS,
                                 .value = (int64_t)((is_wait ? b : 10 * b) * MS)};
        timed_add(recording, moment, a * MS);
        *(is_wait ? &recording->timing.waits : &recording->timing.samples) += moment.count;
    } else {
        must(false, line);
    }
}

int main(int argc, char **argv)
{
    struct fault fault = {.text = ""};
    struct recording *recording = recording_create();
    char *line = NULL;
    size_t room = 0;
    must(argc == 2 && recording, "make-moments FILE <WORDS");
    recording->source = recording_intern(recording, SOURCE_CPU);
    recording->pid = 4711;
    recording->timing.hz = 100;
    must(vec_push(&recording->modules, (struct module){0}) &&
             vec_push(&recording->modules,
                      (struct module){.path = recording_intern(recording, KERNEL_PATH)}),
         "out of memory");
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (*line)
            obey(recording, line);
    }
    struct recording_writer *writer = recording_writer_create(argv[1], 0, &fault);
    must(writer, fault.text);
    must(recording_writer_finish(writer, recording, &fault) == 0, fault.text);
    free(line);
    recording_destroy(recording);
    return 0;
}
