/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/run_notes.h"

#include <stdio.h>

#include "base/human.h"

#define NUMBER_MAX 1000000u /* any program of the tree can write where the number stands */

/* A sentence about the whole run that begins with a number: for the person, and for one recording. */
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
    const struct arena_header *header = arena->header;
    if (arena->slots_tight && arena_slot_high(arena) >= arena->slots_tight)
        note_if_any(session, say, arena->slots_tight,
                    "threads at a time could be recorded, for the cgroup of the program had no "
                    "memory for more: what others did is only in the totals");
    note_if_any(session, say, atomic_load(&header->unlisted_processes),
                "processes were not recorded: at most 1024 can be at the same time");
    note_if_any(session, say, atomic_load(&header->left_behind),
                "programs were not recorded: they ran where the recorder cannot be reached (in a "
                "container, a chroot, as another user, behind a seccomp filter), or cannot have "
                "our library "
                "(another libc, 32 bits, address sanitizer)");
    note_if_any(session, say, atomic_load(&header->unlisted_modules),
                "libraries found no place in the list of 8191: their functions have no names");
}
_Static_assert(ARENA_PROCESSES == 1024 && ARENA_MODULES == 8192, "the sentences above say so");

void note_confinement(const struct arena *arena, struct session *session,
                      const struct tick_clock *clock, say_fn say)
{
    const struct arena_process *process = arena_process_at(arena->memory, session_process(session));
    uint64_t const tsc = atomic_load(&process->confined_tsc);
    char text[256], at[HUMAN_MAX];
    if (tsc == 0)
        return;
    snprintf(text, sizeof(text),
             "the program forbade itself system calls (seccomp) %s after its start: nothing after "
             "that is recorded, and what it freed later counts as live",
             human_duration(session_time(session, tick_clock_ns(clock, tsc)), at));
    session_note(session, text);
    say_text(say, "%s", text);
}
