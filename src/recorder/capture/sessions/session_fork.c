/* SPDX-License-Identifier: Apache-2.0 */
/* session_fork.c - what a process that began by fork inherits from its parent. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/human.h"
#include "capture/sessions/session_parts.h"

#define INHERITED "inherited from the parent"

int session_fork(struct session *session, uint32_t id, uint64_t now_ns)
{
    return heap_book_fork(session->books->heap, id, session_time(session, now_ns));
}

bool session_has_forked(const struct session *parent, const struct session *session)
{
    return heap_book_has_forked(parent->books->heap, session->books->process.fork_id);
}

uint32_t session_parent(const struct session *session)
{
    uint32_t index = session->books->process.parent;
    if (session->books->process.fork_id == 0 || index >= ARENA_PROCESSES)
        return PROCESS_NONE;
    struct shared_process *parent = shared_process_at(session->books->arena->memory, index);
    return shared_get(parent, state) == PROCESS_RUNNING &&
                   shared_get(parent, serial) == session->books->process.parent_serial
               ? index
               : PROCESS_NONE;
}

bool session_waits_for_parent(const struct session *session)
{
    return session->books->process.forked && !session->books->has_inherited;
}

struct inheriting {
    struct session *child;
    const struct session *parent;
    string_id label;
    uint32_t *sites; /* the child's, plus one, by the parent's */
    uint32_t site_count;
    int err;
};

static int find_site(struct inheriting *inheriting, uint32_t theirs, uint32_t *site)
{
    struct session *child = inheriting->child;
    const struct imported_site *known =
        stack_import_describe(inheriting->parent->books->stacks, theirs);
    int err = known->rate ? session_site(child, known->node, known->rate, site)
                          : stack_import_site_under(child->books->stacks, known->node,
                                                    inheriting->label, site);
    return err < 0 ? err : heap_book_reserve(child->books->heap, *site + 1, 1);
}

static void inherit_block(void *context, const struct block *block)
{
    struct inheriting *inheriting = context;
    struct block own = *block;
    if (block->site >= inheriting->site_count || inheriting->err < 0)
        return;
    uint32_t *known = &inheriting->sites[block->site];
    if (*known == 0) {
        inheriting->err = find_site(inheriting, block->site, &own.site);
        if (inheriting->err < 0)
            return;
        *known = own.site + 1;
    }
    own.site = *known - 1;
    own.thread = 0; /* the one that was forked */
    own.time_ns = 0;
    int replaced = heap_book_alloc(inheriting->child->books->heap, &own);
    if (replaced == -ENOMEM)
        inheriting->err = replaced;
}

static void note_inheritance(struct session *session, bool known)
{
    char text[256], bytes[HUMAN_MAX];
    if (!known) {
        session_note(session, "the process began by fork: the blocks that it inherited from its "
                              "parent are not known, and frees of these blocks count as unknown");
        return;
    }
    heap_book_totals(session->books->heap, &session->books->inherited);
    if (session->books->inherited.calls == 0)
        return;
    human_bytes((int64_t)session->books->inherited.bytes, bytes);
    snprintf(text, sizeof(text),
             "the process began by fork with %" PRIu64
             " blocks (%s) of its parent, which are listed under '" INHERITED
             "', as if allocated at the beginning",
             session->books->inherited.calls, bytes);
    session_note(session, text);
}

void session_inherit(struct session *session, const struct session *parent)
{
    struct inheriting inheriting = {.child = session, .parent = parent};
    bool known = false;
    if (!session_waits_for_parent(session))
        return;
    session->books->has_inherited = true;
    if (parent && parent->books->heap) {
        inheriting.site_count = stack_import_site_count(parent->books->stacks);
        inheriting.sites = calloc(inheriting.site_count + 1, sizeof(uint32_t));
        inheriting.label = recording_intern(session->recording, INHERITED);
    }
    if (inheriting.sites)
        known = heap_book_visit_fork(parent->books->heap, session->books->process.fork_id,
                                     inherit_block, &inheriting) &&
                inheriting.err == 0;
    free(inheriting.sites);
    session_begin_limits(session);
    note_inheritance(session, known);
}
