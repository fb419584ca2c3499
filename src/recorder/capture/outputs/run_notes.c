/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/outputs/run_notes.h"

#include <stdio.h>

#include "base/human.h"

#define NUMBER_MAX 1000000u /* any program of the tree can write where the number stands */

/* A sentence about the whole run: for the person, and for one recording. */
static void note_text(struct session *session, say_fn say, const char *text)
{
    say_text(say, "%s", text);
    if (session)
        session_note(session, text);
}

/* One that begins with a number; `one` goes on after 1, `many` after others. */
static void note_if_any(struct session *session, say_fn say, uint32_t number, const char *one,
                        const char *many)
{
    char text[600];
    if (number == 0)
        return;
    bool const is_more = number > NUMBER_MAX;
    snprintf(text, sizeof(text), "%s%u %s", is_more ? "more than " : "",
             is_more ? NUMBER_MAX : number, number == 1 ? one : many);
    note_text(session, say, text);
}

/* Programs that took over without us.  Where children are not followed it is the one that is
 * recorded, and its recording is about what it was before. */
static void note_left_behind(const struct arena *arena, struct session *session, say_fn say)
{
    static const char why[] =
        "could not reach the recorder (from a container, a chroot, another user, behind a seccomp "
        "filter), or could not load memoir's library (another libc, 32 bits, address sanitizer)";
    uint32_t const number = shared_get(arena->memory, left_behind);
    char name[64], one[512], many[512];
    shared_copy_left_program(name, arena->memory);
    bool const is_named = name[0] != '\0';
    snprintf(one, sizeof(one), "program was not recorded%s%s: it %s", is_named ? ", " : "", name,
             why);
    snprintf(many, sizeof(many), "programs were not recorded%s%s: they %s",
             is_named ? ", the first of them " : "", name, why);
    if (arena->follows_children || number != 1) {
        note_if_any(session, say, number, one, many);
        return;
    }
    snprintf(one, sizeof(one),
             "the program became %s by exec and was not recorded from then on: it %s",
             is_named ? name : "another", why);
    note_text(session, say, one);
}

void note_unrecorded(const struct arena *arena, struct session *session, say_fn say)
{
    struct shared_arena *memory = arena->memory;
    if (arena->slots_tight && arena_slot_high(arena) >= arena->slots_tight)
        note_if_any(session, say, arena->slots_tight,
                    "thread at a time could be recorded, for the cgroup of the program had no "
                    "memory for more: what others did is only in the totals",
                    "threads at a time could be recorded, for the cgroup of the program had no "
                    "memory for more: what others did is only in the totals");
    note_if_any(session, say, shared_get(memory, unlisted_processes),
                "process was not recorded: at most 1024 can be at the same time",
                "processes were not recorded: at most 1024 can be at the same time");
    note_left_behind(arena, session, say);
    note_if_any(session, say, shared_get(memory, unlisted_modules),
                "library was beyond the limit of 8191: its functions have no names",
                "libraries were beyond the limit of 8191: their functions have no names");
}
_Static_assert(ARENA_PROCESSES == 1024 && ARENA_MODULES == 8192, "the sentences above say so");

void note_children(const struct arena *arena, struct session *session, say_fn say)
{
    if (!arena->follows_children)
        note_if_any(session, say, shared_get(arena->memory, children_let_go),
                    "child process was started and is not recorded: --children records it, too",
                    "child processes were started and are not recorded: --children records them, "
                    "too");
}

void note_confinement(const struct arena *arena, struct session *session,
                      const struct tick_clock *clock, say_fn say)
{
    uint64_t const tsc =
        shared_get(shared_process_at(arena->memory, session_process(session)), confined_tsc);
    char text[256], at[HUMAN_MAX];
    if (tsc == 0)
        return;
    snprintf(text, sizeof(text),
             "the program forbade itself system calls (seccomp) %s after its start: later events "
             "are not recorded, and blocks freed later count as live",
             human_duration(session_time(session, tick_clock_ns(clock, tsc)), at));
    session_note(session, text);
    say_text(say, "%s", text);
}
