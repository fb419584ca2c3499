/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/eh_frame.h"

#include <errno.h>
#include <string.h>

#include "unwind/row_program.h"

#define PROGRAM_MAX 65536 /* bytes; the longest of real files have three thousand */

static uint64_t read_encoded(struct byte_cursor *cursor, uint8_t encoding,
                             const struct eh_view *view)
{
    uint64_t here = (uint64_t)(uintptr_t)cursor->at + view->slide;
    uint64_t value;

    switch (encoding & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c:
        value = cursor_u64(cursor);
        break;
    case 0x01:
        value = cursor_uleb(cursor);
        break;
    case 0x02:
        value = cursor_u16(cursor);
        break;
    case 0x03:
        value = cursor_u32(cursor);
        break;
    case 0x09:
        value = (uint64_t)cursor_sleb(cursor);
        break;
    case 0x0a:
        value = (uint64_t)(int64_t)(int16_t)cursor_u16(cursor);
        break;
    case 0x0b:
        value = (uint64_t)(int64_t)(int32_t)cursor_u32(cursor);
        break;
    default:
        cursor->failed = true;
        return 0;
    }
    if ((encoding & 0x70) == 0x10)
        value += here;
    else if ((encoding & 0x70) == 0x30)
        value += (uint64_t)(uintptr_t)view->header + view->slide;
    else if ((encoding & 0x70) != 0x00)
        cursor->failed = true;
    return value;
}

/* The FDE whose range may hold `pc`, by the sorted table of .eh_frame_hdr; NULL when none. */
static const uint8_t *find_fde(const struct eh_view *view, uint64_t pc)
{
    struct byte_cursor cursor = {view->header, view->high, false};
    uint8_t version = cursor_u8(&cursor), frame_enc = cursor_u8(&cursor);
    uint8_t count_enc = cursor_u8(&cursor), table_enc = cursor_u8(&cursor);

    if (version != 1 || table_enc != 0x3b) /* data-relative, four signed bytes: all linkers do */
        return NULL;
    read_encoded(&cursor, frame_enc, view);
    uint64_t count = read_encoded(&cursor, count_enc, view);
    if (cursor.failed || count == 0 || count > (size_t)(view->high - cursor.at) / 8)
        return NULL;

    const uint8_t *table = cursor.at;
    uint64_t base = (uint64_t)(uintptr_t)view->header + view->slide;
    uint64_t low = 0, high = count;
    while (low + 1 < high) {
        uint64_t middle = (low + high) / 2;
        int32_t start;
        memcpy(&start, table + 8 * middle, 4);
        if (base + (uint64_t)(int64_t)start <= pc)
            low = middle;
        else
            high = middle;
    }
    int32_t entry[2];
    memcpy(entry, table + 8 * low, 8);
    if (base + (uint64_t)(int64_t)entry[0] > pc)
        return NULL;
    return view->header + entry[1];
}

/* Enters the length-prefixed record at `at`; the cursor then ends where the record does. */
static bool enter_record(const struct eh_view *view, const uint8_t *at, struct byte_cursor *cursor)
{
    if (at < view->low || at >= view->high)
        return false;
    *cursor = (struct byte_cursor){at, view->high, false};
    uint64_t size = cursor_u32(cursor);
    if (size == 0xffffffff)
        size = cursor_u64(cursor);
    if (cursor->failed || size == 0 || size > (size_t)(view->high - cursor->at))
        return false;
    cursor->end = cursor->at + size;
    return true;
}

static bool parse_augmentation(struct byte_cursor *cursor, const char *letters,
                               const struct eh_view *view, struct cie *cie)
{
    if (letters[0] == '\0')
        return true;
    if (letters[0] != 'z')
        return false;
    cie->has_augmentation_size = true;
    uint64_t size = cursor_uleb(cursor);
    if (cursor->failed || size > (size_t)(cursor->end - cursor->at))
        return false;
    const uint8_t *after = cursor->at + size;
    for (const char *letter = letters + 1; *letter; letter++) {
        if (*letter == 'R') {
            cie->pointer_encoding = cursor_u8(cursor);
        } else if (*letter == 'P') {
            uint8_t encoding = cursor_u8(cursor);
            read_encoded(cursor, encoding & 0x7f, view);
        } else if (*letter == 'L') {
            cursor_u8(cursor);
        } else if (*letter == 'S') {
            cie->signal_frame = true;
        } else if (*letter != 'B') {
            break; /* unknown data is skipped through its size */
        }
    }
    cursor->at = after;
    return true;
}

static bool parse_cie(const struct eh_view *view, const uint8_t *at, struct cie *cie)
{
    struct byte_cursor cursor;
    if (!enter_record(view, at, &cursor) ||
        cursor_u32(&cursor) != (view->is_debug_frame ? UINT32_MAX : 0))
        return false;
    uint8_t version = cursor_u8(&cursor);
    const char *letters = (const char *)cursor.at;
    const void *zero = memchr(cursor.at, 0, (size_t)(cursor.end - cursor.at));
    if ((version != 1 && version != 3 && version != 4) || !zero)
        return false;
    cursor.at = (const uint8_t *)zero + 1;
    if (version == 4 && cursor_u16(&cursor) != 8) /* addresses of 8 bytes, no segments */
        return false;

    *cie = (struct cie){.pointer_encoding = 0};
    cie->code_align = cursor_uleb(&cursor);
    cie->data_align = cursor_sleb(&cursor);
    cie->return_column = version == 1 ? cursor_u8(&cursor) : cursor_uleb(&cursor);
    if (!parse_augmentation(&cursor, letters, view, cie))
        return false;
    cie->program = cursor.at;
    cie->program_end = cursor.end;
    return !cursor.failed && cie->return_column == REG_IP && cursor.end - cursor.at <= PROGRAM_MAX;
}

/* One function's entry. */
struct fde {
    struct cie cie;
    uint64_t start, size;
    struct byte_cursor program;
};

/* Where the entry says its common part is; NULL when that cannot be. */
static const uint8_t *find_cie(const struct eh_view *view, const uint8_t *id_at, uint32_t id)
{
    if (view->is_debug_frame)
        return id < (size_t)(view->high - view->low) ? view->low + id : NULL;
    return id != 0 && id <= (size_t)(id_at - view->low) ? id_at - id : NULL;
}

static int parse_fde(const struct eh_view *view, const uint8_t *at, struct fde *fde)
{
    struct byte_cursor cursor;
    if (!at || !enter_record(view, at, &cursor))
        return -ENOENT;
    const uint8_t *id_at = cursor.at;
    uint32_t const id = cursor_u32(&cursor);
    const uint8_t *cie_at = find_cie(view, id_at, id);
    if (cursor.failed || !cie_at || !parse_cie(view, cie_at, &fde->cie))
        return -EINVAL;
    fde->start = read_encoded(&cursor, fde->cie.pointer_encoding, view);
    fde->size = read_encoded(&cursor, fde->cie.pointer_encoding & 0x0f, view);
    if (fde->cie.has_augmentation_size)
        cursor_skip(&cursor, cursor_uleb(&cursor));
    fde->program = cursor;
    return cursor.failed || cursor.end - cursor.at > PROGRAM_MAX ? -EINVAL : 0;
}

static int find_row(const struct eh_view *view, const uint8_t *at, uint64_t pc,
                    struct row_state *state)
{
    struct fde fde;
    int err = parse_fde(view, at, &fde);
    if (err < 0)
        return err;
    if (pc < fde.start || pc - fde.start >= fde.size)
        return -ENOENT;
    memset(&state->row, 0, sizeof(state->row));
    state->initial = state->row;
    state->depth = 0;
    state->location = 0;
    if (!row_program_run(state, &fde.cie,
                         (struct byte_cursor){fde.cie.program, fde.cie.program_end, false},
                         UINT64_MAX))
        return -EINVAL;
    state->initial = state->row;
    state->location = fde.start;
    if (!row_program_run(state, &fde.cie, fde.program, pc))
        return -EINVAL;
    state->row.signal_frame = fde.cie.signal_frame;
    return 0;
}

int eh_frame_row_in(const struct eh_view *view, uint64_t pc, struct row_state *state)
{
    return find_row(view, find_fde(view, pc), pc, state);
}

int eh_frame_row(const struct eh_view *view, uint64_t pc, struct unwind_row *row)
{
    struct row_state state;
    int const err = eh_frame_row_in(view, pc, &state);
    if (err == 0)
        *row = state.row;
    return err;
}

int eh_frame_row_at(const struct eh_view *view, uint32_t offset, uint64_t pc,
                    struct unwind_row *row)
{
    if (offset >= (size_t)(view->high - view->low))
        return -ENOENT;
    struct row_state state;
    int const err = find_row(view, view->low + offset, pc, &state);
    if (err == 0)
        *row = state.row;
    return err;
}

int eh_frame_function(const struct eh_view *view, uint64_t pc, struct eh_entry *entry)
{
    struct fde fde;
    int const err = parse_fde(view, find_fde(view, pc), &fde);
    if (err < 0)
        return err;
    if (pc < fde.start || pc - fde.start >= fde.size)
        return -ENOENT;
    *entry = (struct eh_entry){.start = fde.start, .end = fde.start + fde.size};
    return 0;
}

bool eh_frame_next(const struct eh_view *view, uint32_t *offset, struct eh_entry *entry)
{
    struct byte_cursor record;
    struct fde fde;
    while (*offset + 4ull <= (size_t)(view->high - view->low)) {
        uint32_t const at = *offset;
        if (!enter_record(view, view->low + at, &record)) {
            uint32_t size;
            memcpy(&size, view->low + at, sizeof(size));
            *offset =
                size == 0 ? at + 4 : UINT32_MAX; /* padding, or nothing more to be made of it */
            continue;
        }
        *offset = (uint32_t)(record.end - view->low);
        if (parse_fde(view, view->low + at, &fde) == 0 && fde.size > 0 &&
            fde.start + fde.size > fde.start) {
            *entry = (struct eh_entry){fde.start, fde.start + fde.size, at};
            return true;
        }
    }
    return false;
}
