/* SPDX-License-Identifier: Apache-2.0 */
/* session_asked.c - does a look that is requested from another terminal, for a recording from
 * outside. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "capture/sessions/control.h"
#include "capture/sessions/session_core.h"

#define NAMES_WAIT_NS 3000000000ull

static void on_request(void *context, const char *request, char answer[CONTROL_TEXT_MAX])
{
    if (strcmp(request, "look") == 0)
        session_ask_pages(context);
    else
        snprintf(
            answer, CONTROL_TEXT_MAX,
            "the process is recorded from outside, without a hook: this recording only accepts a "
            "request for a snapshot");
}

void session_listen(struct session *session)
{
    if (session->proved_pid)
        session->control = control_open((pid_t)session->proved_pid, on_request, session);
}

/* What is found is of a bucket of its own. */
static int look(struct session *session, uint64_t now)
{
    const struct cell_source *cells = session->options.cells;
    session->is_asked = false;
    session->looked_ns = now;
    if (cells && cells->look)
        cells->look(cells->self, session->pid);
    session->ticked_ns = session_time(session, monotonic_ns()); /* after it */
    return session_close_bucket(session, session->ticked_ns, false);
}

int session_answer(struct session *session, uint64_t now_ns)
{
    uint64_t const now = session_time(session, now_ns);
    int err = 0;
    control_look(session->control, now_ns);
    if (session->is_asked && !session->looked_ns && now > session->begin_ns)
        err = look(session, now);
    if (err == 0 && !session->looked_ns)
        return 0;
    /* Whoever asked waits for this: the names of what was found should be there as well, unless
     * they take long. */
    if (err == 0 && !session_name(session, false) && now < session->looked_ns + NAMES_WAIT_NS)
        return -EAGAIN;
    session->looked_ns = 0;
    return err < 0 ? err : 1;
}
