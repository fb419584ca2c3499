/* SPDX-License-Identifier: Apache-2.0 */
/* model_main.c - random steps of a process, and after each: does every page have the owner that
 * it must have, and do the sums equal what the kernel counts?
 *
 *     unit-pages_model [--steps N] [--swap] [FIRST_SEED [LAST_SEED]]
 *
 * Events come from perf, or from the agent whose socket the variable MODEL_AGENT names.  Says
 * `ok`, `skip: why`, or the seed, the step and what is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model_driver.h"
#include "model_source.h"
#include "pages/page_record.h"
#include "pages/resident_look.h"

#define COPIES      4096u
#define STACK_OTHER 100u
#ifdef __SANITIZE_ADDRESS__ /* looks take long at so many addresses */
#define STEPS_USUAL 8
#else
#define STEPS_USUAL 40
#endif

struct watched {
    uint32_t pid; /* 0: none */
    struct page_book book;
    struct resident_look look;
    struct resident_result result;
};

struct model {
    const struct model_source *source;
    void *events;
    struct model_state *state;
    struct watched driver, child;
    uint32_t copies[COPIES]; /* the stack of each, by its number */
    int orders, answers;
    uint64_t seed, step, pages_checked;
};

static int complain(const struct model *model, const char *what)
{
    printf("not ok: seed %lu, step %lu: %s\n  %s\n", model->seed, model->step, what,
           model->state->story);
    return -1;
}

static void forget_child(struct model *model)
{
    if (!model->child.pid)
        return;
    page_book_fini(&model->child.book);
    resident_look_fini(&model->child.look);
    resident_result_fini(&model->child.result);
    memset(&model->child, 0, sizeof(model->child));
}

static void book_record(void *context, const struct agent_record *record, size_t size)
{
    struct model *model = context;
    if (record->kind == AGENT_COPY) {
        const struct agent_copy *copy = (const struct agent_copy *)record;
        int const toucher = model_toucher_of(copy->registers[16]);
        model->copies[record->stack % COPIES] = toucher < 0 ? STACK_OTHER : (uint32_t)toucher;
        return;
    }
    if (record->kind == AGENT_FORK && record->pid == model->driver.pid) {
        forget_child(model);
        model->child.pid = (uint32_t)record->address;
        if (page_book_copy(&model->driver.book, &model->child.book) < 0)
            exit(1);
    }
    uint32_t const stack = record->stack & AGENT_STACK_COPY ? model->copies[record->stack % COPIES]
                                                            : MODEL_STACK_TOLD(record->stack);
    struct watched *watched = record->pid == model->driver.pid  ? &model->driver
                              : record->pid == model->child.pid ? &model->child
                                                                : NULL;
    if (watched)
        page_record_book(&watched->book, NULL, record, size, stack);
}

static void catch_up(void *context)
{
    struct model *model = context;
    if (model->source->drain(model->events, book_record, model) < 0)
        exit(1);
}

static int look(struct model *model, struct watched *watched)
{
    resident_result_fini(&watched->result);
    int const err = resident_look_run(&watched->look, watched->pid, &watched->book, catch_up, model,
                                      &watched->result);
    return err < 0 ? complain(model, strerror(-err)) : 0;
}

/* Where owners, walk and kernel do not have the same. */
static bool differs(const struct model *model, const struct watched *watched, char *what,
                    size_t room)
{
    const struct resident_result *result = &watched->result;
    uint64_t sums[LOOK_KINDS] = {0};
    int64_t const kernel[LOOK_KINDS] = {result->after.anon_bytes, result->after.file_bytes,
                                        result->after.shmem_bytes, result->after.swap_bytes};
    vec_each (part, &result->parts.list)
        sums[part->kind] += (uint64_t)part->bytes;
    for (unsigned i = 0; i < LOOK_KINDS; i++) {
        if (sums[i] == result->bytes[i] && (int64_t)sums[i] == kernel[i])
            continue;
        snprintf(what, room,
                 "%s: kind %u: owners have %lu KiB, the walk %lu KiB, the kernel %ld KiB",
                 watched == &model->driver ? "driver" : "child", i, sums[i] / 1024,
                 result->bytes[i] / 1024, kernel[i] / 1024);
        return true;
    }
    return false;
}

/* The process stands still, but the kernel may be moving its pages: then they are nowhere for an
 * instant. */
static int look_and_compare(struct model *model, struct watched *watched)
{
    char what[160];
    for (unsigned attempt = 0; attempt < 5; attempt++) {
        if (look(model, watched) < 0)
            return -1;
        if (!differs(model, watched, what, sizeof(what)))
            return 0;
        usleep(200000); /* looks that follow each other may both see that */
    }
    return complain(model, what);
}

static unsigned owner_bit(const struct page_key *key)
{
    if (!key)
        return 0;
    if (key->stack < MODEL_TOUCHERS)
        return 1u << key->stack;
    return key->stack == PAGES_NO_FAULT ? OWNER_UNFAULTED : OWNER_OTHER;
}

/* Keys of pages that the last look missed go at the next. */
static bool is_missed(const struct model *model, const struct model_area *area, uint32_t page)
{
    uint64_t const number = area->start / BOOK_PAGE + page;
    const struct page_leaf *leaf = page_book_leaf(&model->driver.book, number / BOOK_LEAF_PAGES);
    return leaf && leaf->missed >> number % BOOK_LEAF_PAGES & 1;
}

/* Pages that are not there have no owner, but for those that khugepaged may bring any time. */
static int check_area(struct model *model, const struct model_area *area)
{
    char what[200];
    for (uint32_t i = 0; i < area->pages; i++) {
        const struct page_key *key =
            page_book_find(&model->driver.book, area->start + (uint64_t)i * MODEL_PAGE);
        unsigned const is = owner_bit(key), may = area->page[i].owners;
        bool const may_come = area->type == AREA_HUGE || is_missed(model, area, i);
        model->pages_checked++;
        if (may == 0 ? is == 0 || may_come : is & may)
            continue;
        snprintf(what, sizeof(what),
                 "area %ld (type %d) page %u: owner %x (rule %s), must be one of %x",
                 (long)(area - model->state->areas), (int)area->type, i, is,
                 key ? page_rule_names[key->rule] : "none", may);
        return complain(model, what);
    }
    return 0;
}

/* What the child touched is its own; what else it has was its parent's. */
static int check_child(struct model *model)
{
    int64_t pages = 0;
    vec_each (part, &model->child.result.parts.list) {
        if (part->stack == PAGES_LOST)
            return complain(model, "events of the child were lost");
        pages += part->stack == model->state->child_toucher ? part->bytes / MODEL_PAGE : 0;
    }
    return pages < model->state->child_pages
               ? complain(model, "the child does not own what it touched")
               : 0;
}

static int do_step(struct model *model)
{
    char byte = 0;
    if (write(model->orders, &byte, 1) != 1 || read(model->answers, &byte, 1) != 1)
        return complain(model, "the driver is gone");
    if (look_and_compare(model, &model->driver) < 0)
        return -1;
    if (model->source->lost(model->events))
        return complain(model, "events were lost");
    for (unsigned i = 0; i < MODEL_AREAS; i++) {
        const struct model_area *area = &model->state->areas[i];
        if (area->start && check_area(model, area) < 0)
            return -1;
    }
    if (model->child.pid && model->child.pid != model->state->child)
        forget_child(model);
    if (model->state->child && !model->child.pid)
        return complain(model, "the fork was not seen");
    return model->state->child &&
                   (look_and_compare(model, &model->child) < 0 || check_child(model) < 0)
               ? -1
               : 0;
}

static int start_driver(struct model *model)
{
    int orders[2], answers[2];
    if (pipe(orders) < 0 || pipe(answers) < 0)
        return -1;
    fflush(stdout);
    pid_t const pid = fork();
    if (pid == 0) {
        close(orders[1]);
        close(answers[0]);
        model_driver_run(model->state, model->seed, orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    model->orders = orders[1];
    model->answers = answers[0];
    model->driver.pid = (uint32_t)pid;
    return pid < 0 ? -1 : 0;
}

/* 0, -1, or 1 when there is no such source here. */
static int run(struct model *model, uint64_t steps)
{
    struct fault fault = {.code = 0};
    if (start_driver(model) < 0)
        return -1;
    model->events = model->source->open(model->driver.pid, &fault);
    int err = model->events ? 0 : 1;
    if (err)
        printf("skip: %s\n", fault.text);
    page_book_init(&model->driver.book, 0, false);
    if (err == 0) {
        model->state->sees_maps = model->source->sees_maps(model->events);
        model->state->sees_fixed = model->source->sees_fixed(model->events);
        model->state->sees_kernel = model->source->sees_kernel(model->events);
        err = look(model, &model->driver); /* all that is there now was there before */
    }
    for (model->step = 1; err == 0 && model->step <= steps; model->step++)
        err = do_step(model);
    forget_child(model);
    close(model->orders);
    close(model->answers);
    waitpid((pid_t)model->driver.pid, NULL, 0);
    if (model->events)
        model->source->close(model->events);
    page_book_fini(&model->driver.book);
    resident_look_fini(&model->driver.look);
    resident_result_fini(&model->driver.result);
    return err;
}

int main(int argc, char **argv)
{
    uint64_t first, last, steps = STEPS_USUAL, checked = 0;
    bool has_swap = false, sees_maps = false, sees_kernel = false;
    int at = 1, err = 0;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--steps") == 0 && at + 1 < argc)
            steps = strtoull(argv[++at], NULL, 10);
        else if (strcmp(argv[at], "--swap") == 0)
            has_swap = true;
    }
    first = at < argc ? strtoull(argv[at++], NULL, 10) : 1;
    last = at < argc ? strtoull(argv[at], NULL, 10) : argc > 1 ? first : 3;
    for (uint64_t seed = first; seed <= last && err == 0; seed++) {
        static struct model model;
        memset(&model, 0, sizeof(model));
        model.source = getenv("MODEL_AGENT") ? &model_source_agent : &model_source_perf;
        model.seed = seed;
        model.state = mmap(NULL, sizeof(struct model_state), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        model.state->has_swap = has_swap;
        err = run(&model, steps);
        checked += model.pages_checked;
        sees_maps = model.state->sees_maps;
        sees_kernel = model.state->sees_kernel;
        munmap(model.state, sizeof(struct model_state));
    }
    if (err == 0)
        printf("ok: seeds %lu to %lu, %lu steps each, %lu owners of pages checked%s%s%s\n", first,
               last, steps, checked, has_swap ? ", with swap" : ", without swap",
               sees_maps ? "" : ", without mmap and mremap",
               sees_kernel ? "" : ", without faults in system calls");
    return err < 0;
}
