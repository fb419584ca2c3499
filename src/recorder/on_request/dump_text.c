/* SPDX-License-Identifier: Apache-2.0 */
#include "on_request/dump_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_tree.h"

#define FRAMES_MOST 2048

struct dump_group {
    stack_id stack;
    size_t count;
};

static int by_stack(const void *left, const void *right)
{
    const struct dump_group *a = left, *b = right;
    return a->stack < b->stack ? -1 : a->stack > b->stack;
}

static int by_count(const void *left, const void *right)
{
    const struct dump_group *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return by_stack(left, right);
}

/* Each stack once; how many there are. */
static size_t group(const struct thread_dump *dump, struct dump_group *groups)
{
    size_t count = 0;
    for (size_t i = 0; i < dump->threads.count; i++)
        groups[i] = (struct dump_group){dump->threads.items[i].stack, 1};
    qsort(groups, dump->threads.count, sizeof(*groups), by_stack);
    for (size_t i = 0; i < dump->threads.count; i++)
        if (count && groups[count - 1].stack == groups[i].stack)
            groups[count - 1].count++;
        else
            groups[count++] = groups[i];
    qsort(groups, count, sizeof(*groups), by_count);
    return count;
}

static const struct module *module_of(const struct recording *recording, const struct frame *frame)
{
    return frame->module < recording->modules.count ? &recording->modules.items[frame->module]
                                                    : NULL;
}

/* Readers of this form take one off, for they expect where calls return to. */
static uint64_t shown_address(const struct recording *recording, uint32_t index, bool hides)
{
    if (index >= recording->frames.count)
        return 0;
    const struct frame *frame = &recording->frames.items[index];
    const struct module *module = module_of(recording, frame);
    if (hides)
        return module ? frame->address + 1 : 0;
    return frame->address + (module ? module->bias : 0) + 1;
}

static void write_addresses(const struct recording *recording, stack_id stack, bool hides,
                            FILE *out)
{
    for (size_t i = 0; stack != STACK_EMPTY && i < FRAMES_MOST; i++) {
        struct stack_link const link = stack_table_innermost(recording->stacks, stack);
        fprintf(out, " 0x%" PRIx64, shown_address(recording, link.frame, hides));
        stack = link.caller;
    }
    fputc('\n', out);
}

/* What is in no file has its address for a name. */
static const char *function_of(const struct recording *recording, const struct shown_frame *frame,
                               bool hides)
{
    const char *function = recording_text(recording, frame->function);
    return hides && !frame->module && strncmp(function, "0x", 2) == 0 ? "[code in no file]"
                                                                      : function;
}

static void write_place(const struct recording *recording, const struct shown_frame *frame,
                        FILE *out)
{
    const char *file = recording_text(recording, frame->file);
    if (file[0])
        fprintf(out, "%s:%u\n", file, frame->line);
    else
        fprintf(out, "%s\n",
                frame->module ? recording_text(recording, frame->module) : "[no file]");
}

static size_t show(const struct thread_dump *dump, stack_id stack, struct shown_frame *frames)
{
    size_t const count = stack_show(dump->recording, stack, frames, FRAMES_MOST);
    return count < FRAMES_MOST ? count : FRAMES_MOST;
}

int dump_write_grouped(const struct thread_dump *dump, bool hides_addresses, FILE *out)
{
    struct recording *recording = dump->recording;
    struct dump_group *groups = calloc(dump->threads.count + 1, sizeof(*groups));
    struct shown_frame *frames = calloc(FRAMES_MOST, sizeof(*frames));
    size_t const count = groups && frames ? group(dump, groups) : 0;
    if (groups && frames)
        fprintf(out, "goroutine profile: total %zu\n", dump->threads.count);
    for (size_t i = 0; i < count; i++) {
        size_t const lines = show(dump, groups[i].stack, frames);
        fprintf(out, "%zu @", groups[i].count);
        write_addresses(recording, groups[i].stack, hides_addresses, out);
        if (!lines)
            fputs("#\t[could not be stopped: in an uninterruptible wait]\n", out);
        for (size_t k = 0; k < lines; k++) {
            fprintf(out, "#\t%s%s\t", function_of(recording, &frames[k], hides_addresses),
                    frames[k].inlined ? " (inlined)" : "");
            write_place(recording, &frames[k], out);
        }
        fputc('\n', out);
    }
    bool const had_memory = groups && frames;
    free(groups);
    free(frames);
    return had_memory ? 0 : -ENOMEM;
}

/* Why there is nothing further out; NULL when there is nothing. */
static const char *why_it_ends(const struct dumped_thread *thread)
{
    static const char *const reasons[STACK_STOP_KINDS] = {
        [STACK_STOP_SWITCHED] = "the stack goes on: the code switched here from another stack",
        [STACK_STOP_NO_CODE] = "the stack goes on at an address without code",
        [STACK_STOP_NO_TABLES] = "the stack goes on, but this code has no unwind tables",
        [STACK_STOP_NO_ROW] = "the stack goes on, but this function has no unwind tables",
        [STACK_STOP_MADE_CODE] = ("the stack goes on, but code made at run time has no unwind "
                                  "tables"),
        [STACK_STOP_BAD_ROW] = ("the stack goes on, but the unwind tables of this function are "
                                "broken"),
        [STACK_STOP_COPY_ENDS] = "the stack is longer than the part that was copied",
        [STACK_STOP_OTHER_STACK] = "the stack goes on in another stack",
        [STACK_STOP_ASTRAY] = "the stack could not be unwound further",
    };
    return thread->stack == STACK_EMPTY ? NULL : reasons[thread->stop];
}

static void write_thread(const struct thread_dump *dump, const struct dumped_thread *thread,
                         struct shown_frame *frames, bool hides, FILE *out)
{
    struct recording *recording = dump->recording;
    char state[96];
    size_t const lines = show(dump, thread->stack, frames);
    thread_state_render(&thread->state, state, sizeof(state));
    fprintf(out, "thread %u [%s] \"%s\":\n", thread->tid, state, thread->state.name);
    for (size_t i = 0; i < lines; i++) {
        fprintf(out, "%s(...)%s\n\t", function_of(recording, &frames[i], hides),
                frames[i].inlined ? " (inlined)" : "");
        write_place(recording, &frames[i], out);
    }
    if (!lines)
        fputs("[could not be stopped: in an uninterruptible wait]\n", out);
    if (thread->left_out)
        fprintf(out, "...%u frames between the innermost and the outermost are left out...\n",
                thread->left_out);
    if (why_it_ends(thread))
        fprintf(out, "...%s...\n", why_it_ends(thread));
    fputc('\n', out);
}

void dump_write_threads(const struct thread_dump *dump, bool hides_addresses, FILE *out)
{
    struct shown_frame *frames = calloc(FRAMES_MOST, sizeof(*frames));
    for (size_t i = 0; frames && i < dump->threads.count; i++)
        write_thread(dump, &dump->threads.items[i], frames, hides_addresses, out);
    if (dump->more_threads)
        fprintf(out, "...and %zu threads more...\n", dump->more_threads);
    free(frames);
}
