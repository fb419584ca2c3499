/* SPDX-License-Identifier: Apache-2.0 */
/* route_document.c - all routes, described for programs: the fragments of api/, put together by
 * scripts/merge-api. */
#include "serve/routes/openapi.h"
#include "serve/routes/routes.h"

void route_document(struct target *target, struct request *request, struct answer *answer)
{
    FILE *out = answer_begin(answer);
    (void)target, (void)request;
    if (out)
        fwrite(api_document, 1, api_document_size, out);
    answer_finish(answer, out, TYPE_JSON);
}
