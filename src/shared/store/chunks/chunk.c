/* SPDX-License-Identifier: Apache-2.0 */
#include "store/chunks/chunk.h"

#include <errno.h>
#include <zstd.h>

#include "base/invariant.h"
#include "store/chunks/checksum.h"

#define COMPRESSION_LEVEL 3
/* A zstd block of 4 bytes can stand for 128 KiB; nothing honest or hostile unpacks to more. */
#define ZSTD_MOST_RATIO 32768

static const uint8_t file_magic[8] = {0x89, 'M', 'E', 'M', 'O', 'I', 'R', '\n'};

struct chunk_packer {
    ZSTD_CCtx *compressor;
    ZSTD_DCtx *decompressor;
    struct byte_buffer unpacked;
};

void file_header_put(uint8_t header[FILE_HEADER_BYTES])
{
    memcpy(header, file_magic, sizeof(file_magic));
    put_le(header + 8, FILE_VERSION, 4);
    put_le(header + 12, checksum64(header, 12), 4);
}

int file_header_check(const uint8_t *header)
{
    if (memcmp(header, file_magic, sizeof(file_magic)) != 0 ||
        get_le(header + 12, 4) != (uint32_t)checksum64(header, 12))
        return -EINVAL;
    return get_le(header + 8, 4) > FILE_VERSION ? -ENOTSUP : 0;
}

void chunk_header_put(uint8_t bytes[CHUNK_HEADER_BYTES], const struct chunk_header *header)
{
    INVARIANT(header->plain_bytes <= header->stored_bytes && header->raw_bytes <= CHUNK_RAW_MAX);
    memcpy(bytes, CHUNK_MAGIC, CHUNK_MAGIC_BYTES);
    bytes[4] = header->flags;
    bytes[5] = 0;
    put_le(bytes + 6, header->plain_bytes, 2);
    put_le(bytes + 8, header->stored_bytes, 4);
    put_le(bytes + 12, header->raw_bytes, 4);
    put_le(bytes + 16, header->begin_ns, 8);
    put_le(bytes + 24, header->end_ns, 8);
    put_le(bytes + 32, header->payload_checksum, 8);
    put_le(bytes + 40, checksum64(bytes, 40), 8);
}

bool chunk_header_parse(const uint8_t *bytes, struct chunk_header *header)
{
    if (memcmp(bytes, CHUNK_MAGIC, CHUNK_MAGIC_BYTES) != 0 ||
        get_le(bytes + 40, 8) != checksum64(bytes, 40))
        return false;
    *header = (struct chunk_header){
        .flags = bytes[4],
        .plain_bytes = (uint16_t)get_le(bytes + 6, 2),
        .stored_bytes = (uint32_t)get_le(bytes + 8, 4),
        .raw_bytes = (uint32_t)get_le(bytes + 12, 4),
        .begin_ns = get_le(bytes + 16, 8),
        .end_ns = get_le(bytes + 24, 8),
        .payload_checksum = get_le(bytes + 32, 8),
    };
    if (header->plain_bytes > header->stored_bytes || header->raw_bytes > CHUNK_RAW_MAX)
        return false;
    size_t packed = header->stored_bytes - header->plain_bytes;
    if (header->flags & CHUNK_ZSTD)
        return packed > 0 && header->raw_bytes / ZSTD_MOST_RATIO <= packed;
    return packed == header->raw_bytes;
}

void draft_clear(struct chunk_draft *draft)
{
    bytes_clear(&draft->plain);
    bytes_clear(&draft->raw);
    bytes_clear(&draft->section);
    draft->flags = 0;
    draft->begin_ns = draft->end_ns = 0;
}

void draft_free(struct chunk_draft *draft)
{
    bytes_free(&draft->plain);
    bytes_free(&draft->raw);
    bytes_free(&draft->section);
}

static void add_section(struct byte_buffer *part, struct byte_buffer *section, enum section tag)
{
    uint8_t byte = (uint8_t)tag;
    put_bytes(part, &byte, 1);
    put_varint(part, section->size);
    put_bytes(part, section->data, section->size);
    part->failed |= section->failed;
    bytes_clear(section);
}

void draft_plain_section(struct chunk_draft *draft, enum section tag)
{
    INVARIANT(tag < SECTION_STRINGS);
    add_section(&draft->plain, &draft->section, tag);
}

void draft_packed_section(struct chunk_draft *draft, enum section tag)
{
    INVARIANT(tag >= SECTION_STRINGS);
    add_section(&draft->raw, &draft->section, tag);
}

struct chunk_packer *chunk_packer_create(void)
{
    struct chunk_packer *packer = calloc(1, sizeof(*packer));
    if (!packer)
        return NULL;
    packer->compressor = ZSTD_createCCtx();
    packer->decompressor = ZSTD_createDCtx();
    if (!packer->compressor || !packer->decompressor) {
        chunk_packer_destroy(packer);
        return NULL;
    }
    return packer;
}

void chunk_packer_destroy(struct chunk_packer *packer)
{
    if (!packer)
        return;
    ZSTD_freeCCtx(packer->compressor);
    ZSTD_freeDCtx(packer->decompressor);
    bytes_free(&packer->unpacked);
    free(packer);
}

/* Appends the packed part to `out`; 0 bytes saved means that it stays as it is. */
static int pack(struct chunk_packer *packer, const struct byte_buffer *raw, struct byte_buffer *out,
                uint8_t *flags)
{
    if (raw->size == 0)
        return 0;
    size_t bound = ZSTD_compressBound(raw->size);
    if (!bytes_reserve(out, bound))
        return -ENOMEM;
    size_t packed = ZSTD_compressCCtx(packer->compressor, out->data + out->size, bound, raw->data,
                                      raw->size, COMPRESSION_LEVEL);
    if (ZSTD_isError(packed) || packed >= raw->size) {
        put_bytes(out, raw->data, raw->size);
        return out->failed ? -ENOMEM : 0;
    }
    INVARIANT(packed <= bound && out->size + packed <= out->room);
    out->size += packed;
    *flags |= CHUNK_ZSTD;
    return 0;
}

/* Begins a chunk in `out` with room for its header, and the plain part.  0, -ENOMEM, or -E2BIG. */
static int begin_chunk(const struct chunk_draft *draft, struct byte_buffer *out)
{
    if (draft->plain.failed || draft->raw.failed || draft->section.failed)
        return -ENOMEM;
    if (draft->plain.size > CHUNK_PLAIN_MAX || draft->raw.size > CHUNK_RAW_MAX)
        return -E2BIG;
    if (!bytes_reserve(out, CHUNK_HEADER_BYTES))
        return -ENOMEM;
    INVARIANT(draft->section.size == 0); /* it is in one of the parts */
    out->size += CHUNK_HEADER_BYTES;
    put_bytes(out, draft->plain.data, draft->plain.size);
    return out->failed ? -ENOMEM : 0;
}

/* Fills in the header of the chunk that began at `start`. */
static void end_chunk(const struct chunk_draft *draft, struct chunk_header header, size_t start,
                      struct byte_buffer *out)
{
    INVARIANT(out->size >= start + CHUNK_HEADER_BYTES + draft->plain.size);
    const uint8_t *payload = out->data + start + CHUNK_HEADER_BYTES;
    header.plain_bytes = (uint16_t)draft->plain.size;
    header.begin_ns = draft->begin_ns;
    header.end_ns = draft->end_ns;
    header.stored_bytes = (uint32_t)(out->size - start - CHUNK_HEADER_BYTES);
    header.payload_checksum = checksum64(payload, header.stored_bytes);
    chunk_header_put(out->data + start, &header);
}

int chunk_seal(struct chunk_packer *packer, const struct chunk_draft *draft,
               struct byte_buffer *out)
{
    struct chunk_header header = {.flags = draft->flags, .raw_bytes = (uint32_t)draft->raw.size};
    size_t start = out->size;
    int err = begin_chunk(draft, out);
    if (err == 0)
        err = pack(packer, &draft->raw, out, &header.flags);
    if (err == 0)
        end_chunk(draft, header, start, out);
    return err;
}

int chunk_seal_packed(const struct chunk_draft *draft, const struct chunk_header *packed_as,
                      const uint8_t *packed, struct byte_buffer *out)
{
    INVARIANT(packed_as->plain_bytes <= packed_as->stored_bytes);
    struct chunk_header header = {.flags = packed_as->flags, .raw_bytes = packed_as->raw_bytes};
    size_t start = out->size;
    int err = begin_chunk(draft, out);
    if (err < 0)
        return err;
    put_bytes(out, packed, packed_as->stored_bytes - packed_as->plain_bytes);
    if (out->failed)
        return -ENOMEM;
    end_chunk(draft, header, start, out);
    return 0;
}

int chunk_unpack(struct chunk_packer *packer, const struct chunk_header *header,
                 const uint8_t *payload, struct byte_reader *raw)
{
    INVARIANT(header->plain_bytes <= header->stored_bytes);
    const uint8_t *packed = payload + header->plain_bytes;
    size_t packed_bytes = header->stored_bytes - header->plain_bytes;
    if (!(header->flags & CHUNK_ZSTD)) {
        *raw = (struct byte_reader){.at = packed, .end = packed + packed_bytes};
        return 0;
    }
    bytes_clear(&packer->unpacked);
    if (!bytes_reserve(&packer->unpacked, header->raw_bytes + 1))
        return -ENOMEM;
    size_t size = ZSTD_decompressDCtx(packer->decompressor, packer->unpacked.data,
                                      header->raw_bytes, packed, packed_bytes);
    if (ZSTD_isError(size) || size != header->raw_bytes)
        return -EINVAL;
    *raw = (struct byte_reader){.at = packer->unpacked.data, .end = packer->unpacked.data + size};
    return 0;
}

bool section_next(struct byte_reader *parts, uint8_t *tag, struct byte_reader *body)
{
    INVARIANT(parts->failed || parts->at <= parts->end);
    if (parts->failed || parts->at == parts->end)
        return false;
    *tag = *parts->at++;
    size_t size = parse_count(parts, 1);
    const uint8_t *data = consume_bytes(parts, size);
    if (parts->failed)
        return false;
    *body = (struct byte_reader){.at = data, .end = data + size};
    return true;
}
