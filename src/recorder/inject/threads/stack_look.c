/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/threads/stack_look.h"

#include <string.h>

#include "unwind/eh_frame.h"

#define FRAMES_MAX 4096u
#define PAGE       4096u
#define PAGES_KEPT 4u

/* Pages of the stack as read so far: frames are small, and words near each other. */
struct stack_reader {
    const struct target_modules *modules;
    uint64_t page[PAGES_KEPT];
    uint8_t bytes[PAGES_KEPT][PAGE];
    unsigned next;
};

static const uint8_t *find_page(struct stack_reader *reader, uint64_t page)
{
    for (unsigned i = 0; i < PAGES_KEPT; i++)
        if (reader->page[i] == page)
            return reader->bytes[i];
    unsigned into = reader->next++ % PAGES_KEPT;
    reader->page[into] = 0;
    if (!target_modules_read(reader->modules, page, reader->bytes[into], PAGE))
        return NULL;
    reader->page[into] = page;
    return reader->bytes[into];
}

static bool read_word(void *context, uint64_t address, uint64_t *value)
{
    uint64_t page = address & ~(uint64_t)(PAGE - 1);
    if (address % 8 != 0 || page == 0)
        return false;
    const uint8_t *bytes = find_page(context, page);
    if (bytes)
        memcpy(value, bytes + (address - page), sizeof(*value));
    return bytes != NULL;
}

/* Judges the frame at `pc` and finds the row that leads out of it.  True to go on. */
static bool look_at_frame(const struct target_modules *modules, uint64_t pc, struct unwind_row *row,
                          struct stack_view *view)
{
    struct target_module *module = target_modules_at(modules, pc);
    view->where = pc;
    if (!module || !target_module_is_prepared(module)) {
        view->unprepared = module;
        view->verdict = STACK_UNPREPARED;
        return false;
    }
    enum frame_kind kind = target_module_judge(module, pc);
    if (kind == FRAME_BUSY) {
        view->verdict = STACK_BUSY;
        return false;
    }
    if (kind == FRAME_UNKNOWN || target_module_row(module, pc, row) < 0) {
        view->verdict = STACK_UNKNOWN;
        return false;
    }
    if (row->signal_frame) {
        view->verdict = STACK_IN_HANDLER;
        return false;
    }
    /* A thread that is all libc is being made, or ending. */
    if (kind == FRAME_FINE)
        view->verdict = STACK_FREE;
    return true;
}

void stack_look(const struct target_modules *modules, const uint64_t registers[REG_COUNT],
                struct stack_view *view)
{
    uint64_t now[REG_COUNT];
    struct stack_reader reader = {.modules = modules};
    struct unwind_row row;
    bool outermost = false;

    *view = (struct stack_view){.verdict = STACK_BUSY};
    memcpy(now, registers, sizeof(now));
    for (; view->frames < FRAMES_MAX && !outermost; view->frames++) {
        uint64_t sp = now[REG_SP], pc = now[REG_IP] - (view->frames > 0);
        if (now[REG_IP] == 0)
            return;
        if (!look_at_frame(modules, pc, &row, view))
            return;
        if (eh_frame_step(&row, now, read_word, &reader, &outermost) < 0 ||
            (!outermost && now[REG_SP] <= sp)) {
            view->verdict = STACK_UNKNOWN;
            return;
        }
    }
    if (!outermost)
        view->verdict = STACK_UNKNOWN;
}
