/* SPDX-License-Identifier: Apache-2.0 */
/* route_basics.c - the list of routes, and the health of the server. */
#include <string.h>

#include "base/json_out.h"
#include "serve/routes/page.h"
#include "serve/routes/routes.h"

void route_list(struct target *target, struct request *request, struct answer *answer)
{
    FILE *out = answer_begin(answer);
    (void)target, (void)request;
    if (out) {
        fputs("memoir " MEMOIR_VERSION "\n\n", out);
        if (page_html_size == 0)
            fputs("Built without the page: install node and npm, and run ./dev build.\n\n", out);
        for (const struct route *route = routes; route->path; route++)
            fprintf(out, "%-20s %s\n", route->path, route->help);
    }
    answer_finish(answer, out, TYPE_TEXT);
}

/* Works as long as it answers: a watched process that has ended is no fault of the server. */
void route_health(struct target *target, struct request *request, struct answer *answer)
{
    struct memory_status memory;
    bool const runs = target_pid(target) && target_memory(target, &memory, NULL) == 0;
    const struct recording *recording = target_recording(target, NULL, NULL);
    FILE *out = answer_begin(answer);
    const char *state = !recording ? "none" : recording->being_written ? "being written" : "ended";
    const char *process = !target_pid(target) ? "none" : runs ? "running" : "ended";
    if (out && request->wants_json) {
        struct json_out json;
        json_init(&json, out, false);
        json_object_begin(&json);
        json_text_field(&json, "status", "ok");
        json_text_field(&json, "process", process);
        json_text_field(&json, "recording", state);
        json_object_end(&json);
        json_finish(&json);
    } else if (out)
        fprintf(out, "ok\nprocess: %s\nrecording: %s\n", process, state);
    answer_finish(answer, out, request->wants_json ? TYPE_JSON : TYPE_TEXT);
}
