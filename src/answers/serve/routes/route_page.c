/* SPDX-License-Identifier: Apache-2.0 */
/* route_page.c - the web page.  It contains no data: its script asks for data, with the token. */
#include "serve/routes/page.h"
#include "serve/routes/routes.h"

/* Nothing but our own files, nothing inside the document, nobody around it. */
#define POLICY                                                                                     \
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' " \
    "data:; "                                                                                      \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

static void send_file(struct answer *answer, const char *data, size_t size, const char *type)
{
    FILE *out = answer_begin(answer);
    if (out)
        fwrite(data, 1, size, out);
    answer_finish(answer, out, type);
    answer->policy = POLICY;
}

void route_home(struct target *target, struct request *request, struct answer *answer)
{
    if (request->wants_html && page_html_size > 0)
        send_file(answer, page_html, page_html_size, TYPE_HTML);
    else
        route_list(target, request, answer);
}

static void send_part(struct request *request, struct answer *answer, const char *data, size_t size,
                      const char *type)
{
    if (size > 0)
        send_file(answer, data, size, type);
    else
        answer_error(
            answer, request, 404,
            "This memoir was built without the page: install node and npm, and run ./dev build.");
}

void route_page_script(struct target *target, struct request *request, struct answer *answer)
{
    (void)target;
    send_part(request, answer, page_js, page_js_size, "text/javascript; charset=utf-8");
}

void route_page_style(struct target *target, struct request *request, struct answer *answer)
{
    (void)target;
    send_part(request, answer, page_css, page_css_size, "text/css; charset=utf-8");
}
