/* SPDX-License-Identifier: Apache-2.0 */
/* route_document.c - the OpenAPI description of all routes: the fragments of api/, joined by
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
