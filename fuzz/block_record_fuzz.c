/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a line of a history of blocks, and as a header: read, or refused with a sentence;
 * what is read can be written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/blocks/block_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read(const struct block_record *record)
{
    struct msgpack_out line = {0}, scratch = {0};
    struct block_record back;
    block_record_write(&line, record);
    if (line.failed ||
        block_record_parse((struct slice){line.data, line.size - 1}, &scratch, &back, NULL) != 1)
        abort();
    if (back.header.height != record->header.height || back.arrival_ns != record->arrival_ns)
        abort();
    msgpack_fini(&line);
    msgpack_fini(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice const text = {(const char *)data, size};
    struct msgpack_out scratch = {0};
    struct block_record record = {.within_ns = -1};
    struct fault fault = {0};
    int const got = block_record_parse(text, &scratch, &record, &fault);
    if (got < 0 && !fault.text[0])
        abort();
    if (got == 1)
        write_and_read(&record);
    record = (struct block_record){.within_ns = -1};
    if (block_header_parse(text, &record.header, &fault) == 0)
        write_and_read(&record);
    msgpack_fini(&scratch);
    return 0;
}
