/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the answer of a node: headers, or a sentence.  The first byte says which chain. */
#include <stdint.h>
#include <stdlib.h>

#include "scrape/chains/chain_forms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum chain_kind kinds[] = {CHAIN_ALGOD, CHAIN_MONERO, CHAIN_ETHEREUM};
    if (size == 0)
        return 0;
    const struct chain_form *form = chain_form_of(kinds[data[0] % 3]);
    struct slice const body = {(const char *)data + 1, size - 1};
    struct chain_headers headers = {0};
    struct chain_height height;
    struct fault fault = {0};
    if (form->read_height(200, body, &height, &fault) < 0 && !fault.text[0])
        abort();
    fault = (struct fault){0};
    if (form->read_headers(200, body, &headers, &fault) < 0 && !fault.text[0])
        abort();
    vec_each (header, &headers.items) {
        char *text = NULL;
        size_t text_size;
        if (chain_blockinfo_render(header, &text, &text_size) == 0 && text_size < 3)
            abort();
        free(text);
    }
    chain_headers_fini(&headers);
    return 0;
}
