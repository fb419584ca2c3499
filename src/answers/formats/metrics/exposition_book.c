/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/metrics/exposition_book.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

#define FAMILIES_MAX (1u << 20)

static uint64_t key_of(struct slice text)
{
    uint64_t const hash = hash_bytes(text.data, text.size);
    return hash ? hash : 1;
}

static uint32_t find_family(const struct exposition_book *book, struct slice name)
{
    uint32_t at = number_map_get(&book->families_by_hash, key_of(name));
    while (at && !slice_equals(slice_of(book->families.items[at - 1].family.name), name))
        at = book->families.items[at - 1].next_same;
    return at;
}

static char *copy(struct slice text)
{
    char *made = malloc(text.size + 1);
    if (made) {
        memcpy(made, text.data, text.size);
        made[text.size] = '\0';
    }
    return made;
}

/* The index of a family that is there from now on, plus 1; 0: out of memory. */
static uint32_t add_family(struct exposition_book *book, struct slice name)
{
    uint32_t const known = find_family(book, name);
    if (known || book->families.count >= FAMILIES_MAX)
        return known;
    uint32_t *at = number_map_at(&book->families_by_hash, key_of(name));
    char *text = copy(name);
    struct book_family const family = {.family = {.name = text}, .next_same = at ? *at : 0};
    if (!at || !text || !vec_push(&book->families, family)) {
        free(text);
        return 0;
    }
    return *at = (uint32_t)book->families.count;
}

/* Which endings belong to a family of which type, and whether they count up. */
static const struct {
    const char *ending;
    enum exposition_type type;
    bool is_cumulative;
} endings[] = {{"_total", EXPOSITION_COUNTER, true},
               {"_created", EXPOSITION_COUNTER, false},
               {"_created", EXPOSITION_HISTOGRAM, false},
               {"_created", EXPOSITION_SUMMARY, false},
               {"_bucket", EXPOSITION_HISTOGRAM, true},
               {"_count", EXPOSITION_HISTOGRAM, true},
               {"_sum", EXPOSITION_HISTOGRAM, true},
               {"_count", EXPOSITION_SUMMARY, true},
               {"_sum", EXPOSITION_SUMMARY, true},
               {"_bucket", EXPOSITION_GAUGE_HISTOGRAM, false},
               {"_gcount", EXPOSITION_GAUGE_HISTOGRAM, false},
               {"_gsum", EXPOSITION_GAUGE_HISTOGRAM, false},
               {"_info", EXPOSITION_INFO, false}};

/* The family a sample belongs to, by what was declared. */
static uint32_t family_of(struct exposition_book *book, struct slice name, bool *is_cumulative)
{
    uint32_t const exact = find_family(book, name);
    *is_cumulative = exact && book->families.items[exact - 1].family.type == EXPOSITION_COUNTER;
    for (size_t i = 0; !exact && i < sizeof(endings) / sizeof(endings[0]); i++) {
        struct slice const ending = slice_of(endings[i].ending);
        if (name.size <= ending.size ||
            memcmp(name.data + name.size - ending.size, ending.data, ending.size) != 0)
            continue;
        uint32_t const base = find_family(book, (struct slice){name.data, name.size - ending.size});
        if (base && book->families.items[base - 1].family.type == endings[i].type) {
            *is_cumulative = endings[i].is_cumulative;
            return base;
        }
    }
    return exact ? exact : add_family(book, name);
}

static struct slice scratch_part(const struct line_head *head, size_t at, size_t size)
{
    return (struct slice){head->scratch.items + at, size};
}

static bool add_part(struct exposition_book *book, struct slice part)
{
    if (!vec_reserve(&book->identity, part.size + 1))
        return false;
    memcpy(book->identity.items + book->identity.count, part.data, part.size);
    book->identity.count += part.size;
    book->identity.items[book->identity.count++] = '\0';
    return true;
}

/* name NUL label NUL value NUL …: no text has a NUL, so it stands for one series only. */
static bool make_identity(struct exposition_book *book, const struct line_head *head)
{
    book->identity.count = 0;
    bool fits = add_part(book, scratch_part(head, head->name, head->name_size));
    for (uint32_t i = 0; fits && i < head->label_count; i++) {
        const struct line_label *label = &head->labels[i];
        fits = add_part(book, scratch_part(head, label->name, label->name_size)) &&
               add_part(book, scratch_part(head, label->value, label->value_size));
    }
    return fits;
}

/* The series of the identity in the scratch, in one block. */
static struct book_series *make_series(const struct exposition_book *book, uint32_t label_count)
{
    size_t const text_size = book->identity.count;
    struct book_series *made =
        malloc(sizeof(*made) + label_count * sizeof(struct exposition_label) + text_size);
    if (!made)
        return NULL;
    struct exposition_label *labels = (struct exposition_label *)(made + 1);
    char *text = (char *)(labels + label_count);
    memcpy(text, book->identity.items, text_size);
    *made = (struct book_series){.series = {.name = text,
                                            .labels = labels,
                                            .label_count = label_count,
                                            .identity = {text, text_size}},
                                 .line = NO_SERIES};
    for (uint32_t i = 0; i < label_count; i++) {
        text += strlen(text) + 1;
        labels[i].name = text;
        text += strlen(text) + 1;
        labels[i].value = text;
    }
    return made;
}

static int add_series(struct exposition_book *book, const struct line_head *head, uint64_t key)
{
    bool is_cumulative;
    uint32_t const family =
        family_of(book, scratch_part(head, head->name, head->name_size), &is_cumulative);
    uint32_t *at = number_map_at(&book->series_by_hash, key);
    struct book_series *made = family && at ? make_series(book, head->label_count) : NULL;
    if (!made || !vec_push(&book->series, made)) {
        free(made);
        return -ENOMEM;
    }
    made->series.family = family - 1;
    made->series.is_cumulative = is_cumulative;
    made->next_same = *at;
    *at = (uint32_t)book->series.count;
    return 0;
}

int book_find_series(struct exposition_book *book, const struct line_head *head, uint32_t *series)
{
    if (!make_identity(book, head))
        return -ENOMEM;
    struct slice const identity = {book->identity.items, book->identity.count};
    uint64_t const key = key_of(identity);
    uint32_t at = number_map_get(&book->series_by_hash, key);
    while (at && !slice_equals(book->series.items[at - 1]->series.identity, identity))
        at = book->series.items[at - 1]->next_same;
    if (!at) {
        if (book->series.count >= EXPOSITION_SERIES_MAX)
            return -ENOSPC;
        if (add_series(book, head, key) < 0)
            return -ENOMEM;
        at = (uint32_t)book->series.count;
    }
    *series = at - 1;
    return 0;
}

/* Help without its escapes. */
static char *plain_help(struct slice text)
{
    char *made = copy(text);
    size_t used = 0;
    for (size_t i = 0; made && i < text.size; i++) {
        bool const is_escape = text.data[i] == '\\' && i + 1 < text.size &&
                               strchr("\\n\"", text.data[i + 1]) && text.data[i + 1];
        i += is_escape;
        made[used++] = (char)(is_escape && text.data[i] == 'n' ? '\n' : text.data[i]);
    }
    if (made)
        made[used] = '\0';
    return made;
}

int book_add_comment(struct exposition_book *book, enum line_word word, struct slice name,
                     struct slice rest)
{
    if (word == LINE_COMMENT || word == LINE_EOF || name.size == 0 ||
        memchr(name.data, '\0', name.size))
        return 0;
    uint32_t const at = add_family(book, name);
    if (!at)
        return book->families.count >= FAMILIES_MAX ? 0 : -ENOMEM;
    struct exposition_family *family = &book->families.items[at - 1].family;
    if (word == LINE_TYPE && family->type == EXPOSITION_UNKNOWN)
        family->type = line_parse_type(rest);
    const char **text = word == LINE_HELP ? &family->help : &family->unit;
    if (word != LINE_TYPE && !*text && !(*text = plain_help(rest)))
        return -ENOMEM;
    return 0;
}

void book_fini(struct exposition_book *book)
{
    vec_each (series, &book->series)
        free(*series);
    vec_each (family, &book->families) {
        free((char *)family->family.name);
        free((char *)family->family.help);
        free((char *)family->family.unit);
    }
    vec_free(&book->series);
    vec_free(&book->families);
    vec_free(&book->identity);
    number_map_fini(&book->series_by_hash);
    number_map_fini(&book->families_by_hash);
}
