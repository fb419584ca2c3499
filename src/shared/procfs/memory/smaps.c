/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/smaps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "procfs/memory/smaps_fold.h"
#include "procfs/process/proc_open.h"

#define NAMES_BLOCK 16384u
#define KIB         1024u

/* In the order in which Linux writes them: then the next line's key is known before it is read.
 * Two keys may fill one field. */
static const struct {
    const char *key;
    size_t length, offset;
} keys[] = {
#define KEY(key, field)                                                                            \
    {                                                                                              \
        key ":", sizeof(key), offsetof(struct memory_bytes, field)                                 \
    }
    KEY("Rss", rss),
    KEY("Pss", pss),
    KEY("Shared_Clean", shared_clean),
    KEY("Shared_Dirty", shared_dirty),
    KEY("Private_Clean", private_clean),
    KEY("Private_Dirty", private_dirty),
    KEY("Anonymous", anonymous),
    KEY("LazyFree", lazy_free),
    KEY("AnonHugePages", huge),
    KEY("ShmemPmdMapped", huge),
    KEY("FilePmdMapped", huge),
    KEY("Shared_Hugetlb", shared_hugetlb),
    KEY("Private_Hugetlb", private_hugetlb),
    KEY("Swap", swap),
    KEY("SwapPss", swap_pss),
    KEY("Locked", locked),
#undef KEY
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

static const struct {
    char name[3];
    uint8_t flag;
} flag_names[] = {
    {"ac", REGION_ACCOUNTED}, {"nr", REGION_NO_RESERVE}, {"nh", REGION_NO_HUGE},
    {"dc", REGION_NO_FORK},   {"ht", REGION_HUGETLB},    {"pf", REGION_DEVICE},
    {"io", REGION_DEVICE},    {"gd", REGION_GROWS_DOWN},
};

static unsigned hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                                  : 16;
}

/* Parses a number off the front, and the one letter that must follow it. */
static bool parse_hex(const char **at, const char *end, char after, uint64_t *value)
{
    const char *from = *at;
    *value = 0;
    for (; *at < end && hex_digit(**at) < 16 && *at - from < 16; ++*at)
        *value = *value << 4 | hex_digit(**at);
    return *at > from && *at < end && *(*at)++ == after;
}

/* In smaps nothing is larger than 16 digits; more saturate. */
static uint64_t parse_decimal(const char **at, const char *end)
{
    uint64_t value = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
        value = value > UINT64_MAX / 20 / KIB ? value : value * 10 + (uint64_t)(**at - '0');
    return value;
}

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

static bool is_one_of(char c, const char *two)
{
    return c == two[0] || c == two[1];
}

static bool is_rights(const char *at, const char *end)
{
    return end - at > 5 && is_one_of(at[0], "r-") && is_one_of(at[1], "w-") &&
           is_one_of(at[2], "x-") && is_one_of(at[3], "ps") && at[4] == ' ';
}

/* START-END RIGHTS OFFSET MAJOR:MINOR INODE NAME; the name is all after one run of spaces. */
static bool parse_header(const char *at, const char *end, struct memory_region *region,
                         struct slice *name)
{
    uint64_t device;
    *region = (struct memory_region){.name = ""};
    if (!parse_hex(&at, end, '-', &region->start) || !parse_hex(&at, end, ' ', &region->end) ||
        region->end <= region->start || !is_rights(at, end))
        return false;
    memcpy(region->rights, at, 4);
    region->flags = at[3] == 's' ? REGION_SHARED : 0;
    at += 5;
    if (!parse_hex(&at, end, ' ', &region->offset) || !parse_hex(&at, end, ':', &device) ||
        !parse_hex(&at, end, ' ', &device))
        return false;
    region->inode = parse_decimal(&at, end);
    region->bytes.size = region->end - region->start;
    at = skip_spaces(at, end);
    *name = (struct slice){at, (size_t)(end - at)};
    return true;
}

/* A copy that ends with NUL and stays where it is; NULL when out of memory.  Neighbours mostly
 * have one name. */
static const char *keep_name(struct smaps *smaps, struct slice name)
{
    const struct memory_region *last =
        smaps->regions.count ? &smaps->regions.items[smaps->regions.count - 1] : NULL;
    if (name.size == 0)
        return "";
    if (last && strlen(last->name) == name.size && memcmp(last->name, name.data, name.size) == 0)
        return last->name;
    if (name.size >= smaps->names_left) {
        size_t const room = name.size < NAMES_BLOCK ? NAMES_BLOCK : name.size + 1;
        char *block = malloc(room);
        if (!block || !vec_push(&smaps->names, block)) {
            free(block);
            return NULL;
        }
        smaps->names_at = block;
        smaps->names_left = room;
    }
    char *copy = smaps->names_at;
    memcpy(copy, name.data, name.size);
    copy[name.size] = '\0';
    smaps->names_at += name.size + 1;
    smaps->names_left -= name.size + 1;
    return copy;
}

/* Before what was folded the list ends; a mapping that is told again there cannot be mended. */
static void check_folded(struct smaps *smaps, const struct memory_region *region)
{
    if (smaps->folded.count && smaps->folded.items[smaps->folded.count - 1].sum.end > region->start)
        smaps->is_torn = true;
}

static int open_region(struct smaps *smaps, struct memory_region *region, struct slice name)
{
    size_t *count = &smaps->regions.count;
    if (smaps->fold_top && smaps_fold(smaps, smaps->fold_top) < 0)
        return -ENOMEM;
    check_folded(smaps, region);
    region->name = keep_name(smaps, name);
    if (!region->name)
        return -ENOMEM;
    while (*count && smaps->regions.items[*count - 1].start >= region->start)
        --*count; /* it grew meanwhile, and is told again */
    if (*count && smaps->regions.items[*count - 1].end > region->start)
        smaps->regions.items[*count - 1].end = region->start;
    if (*count >= SMAPS_REGIONS_MAX)
        return -E2BIG;
    smaps->next_key = 0;
    return vec_push(&smaps->regions, *region) ? 0 : -ENOMEM;
}

static void parse_flags(struct memory_region *region, const char *at, const char *end)
{
    for (at = skip_spaces(at, end); end - at >= 2; at = skip_spaces(at + 2, end))
        for (size_t i = 0; i < sizeof(flag_names) / sizeof(flag_names[0]); i++)
            if (at[0] == flag_names[i].name[0] && at[1] == flag_names[i].name[1])
                region->flags |= flag_names[i].flag;
}

static void parse_count(struct smaps *smaps, const char *at, const char *end)
{
    struct memory_region *region = &smaps->regions.items[smaps->regions.count - 1];
    if (end - at > 8 && memcmp(at, "VmFlags:", 8) == 0) {
        parse_flags(region, at + 8, end);
        return;
    }
    for (size_t tried = 0; tried < KEYS; tried++) {
        size_t const i = (smaps->next_key + tried) % KEYS;
        if ((size_t)(end - at) <= keys[i].length || at[keys[i].length - 1] != ':' ||
            memcmp(at, keys[i].key, keys[i].length) != 0)
            continue;
        at = skip_spaces(at + keys[i].length, end);
        uint64_t *field = (uint64_t *)(void *)((char *)&region->bytes + keys[i].offset);
        *field += parse_decimal(&at, end) * KIB;
        smaps->next_key = (i + 1) % KEYS;
        return;
    }
}

ssize_t smaps_parse(struct smaps *smaps, struct slice text)
{
    const char *at = text.data, *const end = text.data + text.size;
    struct memory_region region;
    struct slice name;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end)
            break;
        if (hex_digit(*at) < 16 && parse_header(at, line_end, &region, &name)) {
            int const err = open_region(smaps, &region, name);
            if (err < 0)
                return err;
        } else if (smaps->regions.count) {
            parse_count(smaps, at, line_end);
        }
        at = line_end + 1;
    }
    return at - text.data;
}

static int read_regions(int fd, struct smaps *smaps)
{
    char text[SMAPS_LINE_MAX];
    size_t kept = 0;
    for (;;) {
        ssize_t const got = read(fd, text + kept, sizeof(text) - kept);
        if (got == 0 || (got < 0 && errno == ESRCH))
            return 0; /* it ended, or what is left has no room: no such line */
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        smaps->text_bytes += (uint64_t)got;
        kept += (size_t)got;
        ssize_t const used = smaps_parse(smaps, (struct slice){text, kept});
        if (used < 0)
            return (int)used;
        kept -= (size_t)used;
        memmove(text, text + used, kept);
    }
}

static int read_file(uint32_t pid, enum proc_file file, size_t fold_top, struct smaps *smaps)
{
    *smaps = (struct smaps){.fold_top = fold_top};
    int const fd = proc_open(pid, 0, file);
    if (fd < 0)
        return fd;
    int const err = read_regions(fd, smaps);
    close(fd);
    if (err < 0)
        smaps_fini(smaps);
    return err;
}

int smaps_read(uint32_t pid, struct smaps *smaps)
{
    return read_file(pid, PROC_SMAPS, 0, smaps);
}

int smaps_read_folded(uint32_t pid, size_t top, struct smaps *smaps)
{
    int const err = read_file(pid, PROC_SMAPS, top, smaps);
    if (err || !smaps->is_torn)
        return err;
    smaps_fini(smaps);
    return smaps_read(pid, smaps);
}

int smaps_read_maps(uint32_t pid, struct smaps *smaps)
{
    return read_file(pid, PROC_MAPS, 0, smaps);
}

void smaps_fini(struct smaps *smaps)
{
    vec_each (block, &smaps->names)
        free(*block);
    vec_free(&smaps->names);
    vec_free(&smaps->regions);
    vec_free(&smaps->folded);
    smaps->names_left = 0;
}

struct memory_region *smaps_find(const struct smaps *smaps, uint64_t address)
{
    size_t const at = vec_lower_bound(&smaps->regions, region, region->end <= address);
    return at < smaps->regions.count && smaps->regions.items[at].start <= address
               ? &smaps->regions.items[at]
               : NULL;
}
