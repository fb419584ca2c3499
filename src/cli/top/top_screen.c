/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_screen.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/top/top_terminal.h"
#include "cli/top/top_view.h"

#define ROWS_LEAST    8
#define COLUMNS_LEAST 30

struct screen {
    struct top_source *source;
    struct top_choice *choice;
    struct top_page page; /* what is shown, without the last line */
    size_t rows;          /* that there are to scroll through */
    bool is_utf8;
};

static const char *const help[] = {
    "m, M      next metric, the one before: heap.live, heap.allocated, ...",
    "s         sort by value, by growth, by count",
    "b         one row per function, line, stack, module",
    "space, f  freeze, and go on",
    "k         mark: growth counts from now on",
    "/         filter: only stacks with a function, module or file that matches",
    "          (an expression as for grep -E; Enter takes it, an empty one shows all)",
    "up, down, page up, page down, home",
    "q         quit",
    "",
    "value and share are as of the time above; growth and its rate since the mark,",
    "which is a minute before the start unless --since says otherwise.",
};

static attr_t attribute_of(enum ink ink)
{
    switch (ink) {
    case INK_STRONG:
    case INK_WARN:
    case INK_BAD:
        return A_BOLD;
    case INK_DIM:
        return A_DIM;
    default:
        return A_NORMAL;
    }
}

/* A terminal without UTF-8 gets a mark in place of each byte it would not understand. */
static void put_text(const struct screen *screen, int row, const char *text, attr_t attribute)
{
    move(row, 0);
    clrtoeol();
    attrset(attribute);
    if (screen->is_utf8)
        addstr(text);
    else
        for (; *text; text++)
            addch((unsigned char)*text < 128 ? (chtype)*text : '?');
    attrset(A_NORMAL);
}

static int make_page(struct screen *screen, unsigned width, size_t height)
{
    struct top_source *source = screen->source;
    struct top_choice *choice = screen->choice;
    size_t const rows = height > TOP_HEAD_LINES + 1 ? height - TOP_HEAD_LINES - 1 : 1;
    top_page_fini(&screen->page);
    if (!source->follower) {
        struct top_process const process = top_process_of(source);
        screen->rows = 0;
        return top_process_render(&process, width, &screen->page);
    }
    struct top_view view;
    int err = top_view_of(source, choice, &view);
    if (err == -EINVAL) {
        top_choice_give_up_filter(choice);
        err = top_view_of(source, choice, &view);
    }
    if (err)
        return err;
    screen->rows = view.live.rows.count;
    if (choice->first_row >= screen->rows)
        choice->first_row = screen->rows ? screen->rows - 1 : 0;
    err = top_page_render(&view, width, choice->first_row, rows, &screen->page);
    top_view_fini(&view);
    return err;
}

static void draw_last_line(const struct screen *screen, int row)
{
    const struct top_choice *choice = screen->choice;
    char text[TOP_FILTER_MAX + 512];
    if (choice->is_typing && choice->message[0]) /* which has what was typed */
        snprintf(text, sizeof(text), "%s", choice->message);
    else if (choice->is_typing)
        snprintf(text, sizeof(text), "only stacks with (Enter, Escape): %s", choice->typed);
    else
        snprintf(text, sizeof(text),
                 "%sm metric  s sort  b by  space freeze  k mark  / filter  h help  q quit",
                 choice->frozen ? "FROZEN  " : "");
    text[(size_t)COLS < sizeof(text) ? (size_t)COLS - 1 : sizeof(text) - 1] = '\0';
    put_text(screen, row, text, A_REVERSE);
}

static void draw(struct screen *screen)
{
    int const height = LINES;
    erase();
    if (height < ROWS_LEAST || COLS < COLUMNS_LEAST) {
        put_text(screen, 0, "too small", A_BOLD);
    } else if (screen->choice->shows_help) {
        for (int i = 0; i < (int)(sizeof(help) / sizeof(help[0])) && i < height - 1; i++)
            put_text(screen, i, help[i], A_NORMAL);
        put_text(screen, height - 1, "any key goes back", A_REVERSE);
    } else {
        for (int i = 0; i < (int)screen->page.lines.count && i < height - 1; i++)
            put_text(screen, i, screen->page.lines.items[i].text,
                     attribute_of(screen->page.lines.items[i].ink));
        draw_last_line(screen, height - 1);
    }
    refresh();
}

static int translate(int key)
{
    switch (key) {
    case KEY_UP:
        return TOP_KEY_UP;
    case KEY_DOWN:
        return TOP_KEY_DOWN;
    case KEY_PPAGE:
        return TOP_KEY_PAGE_UP;
    case KEY_NPAGE:
        return TOP_KEY_PAGE_DOWN;
    case KEY_HOME:
        return TOP_KEY_HOME;
    case KEY_BACKSPACE:
    case KEY_DC:
        return TOP_KEY_ERASE;
    case KEY_ENTER:
        return TOP_KEY_ENTER;
    default:
        return key < 256 ? key : TOP_KEY_NONE;
    }
}

/* Waits for a key until `until_ns`; ERR when none came. */
static int wait_key(uint64_t until_ns)
{
    uint64_t const now = monotonic_ns();
    timeout(until_ns > now ? (int)((until_ns - now) / 1000000u) + 1 : 0);
    return getch();
}

static void press(struct screen *screen, int key)
{
    struct top_choice *choice = screen->choice;
    size_t const shown = screen->page.lines.count;
    struct top_surroundings const around = {
        .rows = screen->rows,
        .page = shown > TOP_HEAD_LINES ? shown - TOP_HEAD_LINES : 1,
        .has = screen->source->follower ? top_source_has : NULL,
        .with = screen->source,
    };
    if (key != KEY_RESIZE)
        top_choice_press(choice, translate(key), &around);
    if (choice->marks && screen->source->running)
        running_mark(screen->source->running);
    choice->marks = false;
}

static int loop(struct screen *screen, uint64_t every_ns, struct fault *fault)
{
    struct top_choice *choice = screen->choice;
    uint64_t next_ns = monotonic_ns() + every_ns;
    int err = 0;
    while (!err && !choice->quits) {
        if (make_page(screen, (unsigned)COLS, (size_t)LINES) < 0)
            return fault_set(fault, -ENOMEM, "out of memory");
        draw(screen);
        int key = wait_key(choice->frozen ? monotonic_ns() + every_ns : next_ns);
        for (; key != ERR; key = wait_key(0))
            press(screen, key);
        if (choice->frozen || monotonic_ns() < next_ns)
            continue;
        next_ns = monotonic_ns() + every_ns;
        err = top_source_refresh(screen->source, fault);
    }
    return err;
}

int top_screen_run(struct top_source *source, struct top_choice *choice, uint64_t every_ns,
                   struct fault *fault)
{
    struct screen screen = {.source = source, .choice = choice};
    int err = top_terminal_begin(fault);
    if (err < 0)
        return err;
    screen.is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    err = loop(&screen, every_ns, fault);
    top_terminal_end();
    top_page_fini(&screen.page);
    return err;
}
