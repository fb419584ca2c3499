/* SPDX-License-Identifier: Apache-2.0 */
#include "store/read/chunk_scan.h"

#include "base/invariant.h"
#include "store/chunks/checksum.h"

#define SEARCH_BYTES ((size_t)64 * 1024)

static bool header_at(struct source *source, uint64_t offset, struct chunk_header *header)
{
    const uint8_t *bytes = source_view(source, offset, CHUNK_HEADER_BYTES);
    return bytes && chunk_header_parse(bytes, header) &&
           header->stored_bytes <= source->size - offset - CHUNK_HEADER_BYTES;
}

/* Where the next undamaged header is, from `offset` on; the end of the source when there is none.
 */
static uint64_t find_header(struct source *source, uint64_t offset)
{
    struct chunk_header header;
    while (offset + CHUNK_HEADER_BYTES <= source->size) {
        uint64_t left = source->size - offset;
        size_t size = left < SEARCH_BYTES ? (size_t)left : SEARCH_BYTES;
        const uint8_t *bytes = source_view(source, offset, size);
        if (!bytes)
            return source->size;
        const uint8_t *magic = memmem(bytes, size, CHUNK_MAGIC, CHUNK_MAGIC_BYTES);
        if (!magic) {
            offset += size - (CHUNK_MAGIC_BYTES - 1);
            continue;
        }
        offset += (uint64_t)(magic - bytes);
        INVARIANT(offset < source->size);
        if (header_at(source, offset, &header))
            return offset;
        offset++;
    }
    return source->size;
}

bool chunk_at(struct source *source, uint64_t offset, struct found_chunk *found)
{
    found->offset = offset;
    if (!header_at(source, offset, &found->header))
        return false;
    found->payload = source_view(source, offset + CHUNK_HEADER_BYTES, found->header.stored_bytes);
    return found->payload &&
           checksum64(found->payload, found->header.stored_bytes) == found->header.payload_checksum;
}

/* Where to go on after a chunk whose header is whole and whose payload is not.  Its length is
 * believed when another chunk or the end follows there; otherwise bytes are missing, and any chunk
 * inside its reach is looked for, unless a hostile file has made us do that too often. */
static uint64_t after_damage(struct chunk_scanner *scanner, const struct found_chunk *bad)
{
    struct chunk_header next;
    uint64_t end = bad->offset + CHUNK_HEADER_BYTES + bad->header.stored_bytes;
    INVARIANT(end <= scanner->source->size);
    if (end == scanner->source->size || header_at(scanner->source, end, &next) ||
        scanner->hashed / 4 > scanner->source->size)
        return end;
    return find_header(scanner->source, bad->offset + 1);
}

bool chunk_scan_next(struct chunk_scanner *scanner, struct found_chunk *found)
{
    struct source *source = scanner->source;
    uint64_t unread = scanner->at; /* nothing whole from here to scanner->at */
    while (scanner->at + CHUNK_HEADER_BYTES <= source->size) {
        if (!header_at(source, scanner->at, &found->header)) {
            scanner->at = find_header(source, scanner->at + 1);
            continue;
        }
        scanner->damaged += unread < scanner->at;
        scanner->hashed += found->header.stored_bytes;
        uint64_t end = scanner->at + CHUNK_HEADER_BYTES + found->header.stored_bytes;
        if (chunk_at(source, scanner->at, found)) {
            scanner->at = end;
            return true;
        }
        scanner->damaged++;
        scanner->at = after_damage(scanner, found);
        unread = scanner->at < source->size ? scanner->at : end;
    }
    INVARIANT(unread <= source->size);
    scanner->torn_bytes = source->size - unread;
    scanner->at = source->size;
    return false;
}
