/* SPDX-License-Identifier: Apache-2.0 */
#include "store/chunks/chunk.h"

#include <errno.h>
#include <stdlib.h>

#include "store/chunks/checksum.h"
#include "store/read/chunk_scan.h"

#include "check.h"

static void the_checksum_is_the_published_one(void **state)
{
    (void)state;
    CHECK(checksum64("", 0) == 0xef46db3751d8e999u);
    CHECK(checksum64("a", 1) == 0xd24ec4f1a98c6e5bu);
    CHECK(checksum64("abc", 3) == 0x44bc2cf5ad770999u);
    CHECK(checksum64("Nobody inspects the spammish repetition", 39) == 0xfbcea83c8a378bf1u);
}

static void numbers_of_any_size_come_back(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX};
    struct byte_buffer buffer = {0};
    for (size_t i = 0; i < 8; i++) {
        put_varint(&buffer, values[i]);
        put_signed(&buffer, (int64_t)values[i]);
        put_step(&buffer, values[i], values[7 - i]);
    }
    struct byte_reader reader = {.at = buffer.data, .end = buffer.data + buffer.size};
    for (size_t i = 0; i < 8; i++) {
        CHECK(parse_varint(&reader) == values[i]);
        CHECK(parse_signed(&reader) == (int64_t)values[i]);
        CHECK(parse_step(&reader, values[i]) == values[7 - i]);
    }
    CHECK(!reader.failed && bytes_left(&reader) == 0);
    CHECK(parse_varint(&reader) == 0 && reader.failed);
    bytes_free(&buffer);
}

/* Three chunks: one plain, one that compresses, one empty. */
static struct byte_buffer three_chunks(struct chunk_packer *packer)
{
    struct byte_buffer out = {0};
    struct chunk_draft draft = {.begin_ns = 5, .end_ns = 6};
    put_varint(&draft.section, 42);
    draft_plain_section(&draft, SECTION_STATE);
    CHECK(chunk_seal(packer, &draft, &out) == 0);
    draft_clear(&draft);
    for (int i = 0; i < 10000; i++)
        put_varint(&draft.section, 7);
    draft_packed_section(&draft, SECTION_CELLS);
    CHECK(chunk_seal(packer, &draft, &out) == 0);
    draft_clear(&draft);
    CHECK(chunk_seal(packer, &draft, &out) == 0);
    draft_free(&draft);
    return out;
}

static unsigned scan(struct byte_buffer *bytes, struct chunk_scanner *scanner)
{
    struct source source = {.fd = -1, .size = bytes->size, .window = *bytes};
    struct found_chunk found;
    unsigned chunks = 0;
    *scanner = (struct chunk_scanner){.source = &source};
    while (chunk_scan_next(scanner, &found))
        chunks++;
    return chunks;
}

static void chunks_come_back_and_pack_when_that_helps(void **state)
{
    (void)state;
    struct chunk_packer *packer = chunk_packer_create();
    struct byte_buffer bytes = three_chunks(packer);
    struct source source = {.fd = -1, .size = bytes.size, .window = bytes};
    struct found_chunk found;
    struct byte_reader raw, body;
    uint8_t tag;
    CHECK(bytes.size < 300);
    CHECK(chunk_at(&source, 0, &found) && found.header.begin_ns == 5 && found.header.end_ns == 6);
    CHECK(!(found.header.flags & CHUNK_ZSTD));
    uint64_t second = CHUNK_HEADER_BYTES + found.header.stored_bytes;
    CHECK(chunk_at(&source, second, &found) && found.header.flags & CHUNK_ZSTD);
    CHECK(chunk_unpack(packer, &found.header, found.payload, &raw) == 0);
    CHECK(section_next(&raw, &tag, &body) && tag == SECTION_CELLS && bytes_left(&body) == 10000);
    CHECK(!section_next(&raw, &tag, &body) && !raw.failed);
    bytes_free(&bytes);
    chunk_packer_destroy(packer);
}

static void a_flipped_byte_costs_one_chunk_and_is_counted(void **state)
{
    (void)state;
    struct chunk_packer *packer = chunk_packer_create();
    struct byte_buffer bytes = three_chunks(packer);
    struct chunk_scanner scanner;
    size_t last_chunk = bytes.size - CHUNK_HEADER_BYTES;
    CHECK(scan(&bytes, &scanner) == 3 && scanner.damaged == 0 && scanner.torn_bytes == 0);
    for (size_t i = 0; i < bytes.size; i++) {
        bytes.data[i] ^= 0x10;
        CHECK(scan(&bytes, &scanner) == 2);
        CHECK(scanner.damaged == (i < last_chunk));
        CHECK((scanner.torn_bytes > 0) == (i >= last_chunk));
        bytes.data[i] ^= 0x10;
    }
    bytes_free(&bytes);
    chunk_packer_destroy(packer);
}

static void missing_and_extra_bytes_cost_only_their_chunk(void **state)
{
    (void)state;
    struct chunk_packer *packer = chunk_packer_create();
    struct byte_buffer bytes = three_chunks(packer);
    struct chunk_scanner scanner;
    bytes.size--;
    memmove(bytes.data + 60, bytes.data + 61, bytes.size - 60); /* in the second chunk's header */
    CHECK(scan(&bytes, &scanner) == 2 && scanner.damaged == 1 && scanner.torn_bytes == 0);
    bytes_free(&bytes);
    bytes = three_chunks(packer);
    bytes_reserve(&bytes, 100);
    memmove(bytes.data + 150, bytes.data + 50, bytes.size - 50); /* inside the first payload */
    memset(bytes.data + 50, 0, 100);
    bytes.size += 100;
    CHECK(scan(&bytes, &scanner) == 2 && scanner.damaged == 1);
    bytes_free(&bytes);
    chunk_packer_destroy(packer);
}

static void the_header_of_a_later_version_is_told_from_damage(void **state)
{
    (void)state;
    uint8_t header[FILE_HEADER_BYTES];
    file_header_put(header);
    CHECK(file_header_check(header) == 0);
    header[8]++;
    CHECK(file_header_check(header) == -EINVAL);
    put_le(header + 12, checksum64(header, 12), 4);
    CHECK(file_header_check(header) == -ENOTSUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checksum_is_the_published_one),
        cmocka_unit_test(numbers_of_any_size_come_back),
        cmocka_unit_test(chunks_come_back_and_pack_when_that_helps),
        cmocka_unit_test(a_flipped_byte_costs_one_chunk_and_is_counted),
        cmocka_unit_test(missing_and_extra_bytes_cost_only_their_chunk),
        cmocka_unit_test(the_header_of_a_later_version_is_told_from_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
