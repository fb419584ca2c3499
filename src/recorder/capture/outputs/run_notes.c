/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/outputs/run_notes.h"

#include <stdio.h>

#include "base/human.h"

#define NUMBER_MAX 1000000u /* any program of the tree can write where the number stands */

/* A sentence about the whole run that begins with a number: for the person, and for one
 * recording. */
static void note_if_any(struct session *session, say_fn say, uint32_t number, const char *what)
{
    char text[256];
    if (number == 0)
        return;
    bool const is_more = number > NUMBER_MAX;
    snprintf(text, sizeof(text), "%s%u %s", is_more ? "more than " : "",
             is_more ? NUMBER_MAX : number, what);
    say_text(say, "%s", text);
    if (session)
        session_note(session, text);
}

void note_unrecorded(const struct arena *arena, struct session *session, say_fn say)
{
    struct shared_arena *memory = arena->memory;
    if (arena->slots_tight && arena_slot_high(arena) >= arena->slots_tight)
        note_if_any(session, say, arena->slots_tight,
                    "threads at a time could be recorded, for the cgroup of the program had no "
                    "memory for more: what others did is only in the totals");
    note_if_any(session, say, shared_get(memory, unlisted_processes),
                "processes were not recorded: at most 1024 can be at the same time");
    note_if_any(session, say, shared_get(memory, left_behind),
                "programs were not recorded: they could not reach the recorder (from a container, "
                "a chroot, another user, behind a seccomp filter), or could not load memoir's "
                "library (another libc, 32 bits, address sanitizer)");
    note_if_any(session, say, shared_get(memory, unlisted_modules),
                "libraries were beyond the limit of 8191: their functions have no names");
}
_Static_assert(ARENA_PROCESSES == 1024 && ARENA_MODULES == 8192, "the sentences above say so");

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
