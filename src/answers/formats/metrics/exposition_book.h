/* exposition_book.h - inside the reader of metrics: the known series and families. */
#pragma once

#include "base/number_map.h"
#include "formats/metrics/exposition_line.h"

#define NO_SERIES UINT32_MAX

struct book_series {
    struct exposition_series series; /* one block of memory has its labels, then its texts */
    uint32_t next_same;              /* next series with an equal hash, plus 1 */
    uint32_t line;                   /* line number in the last answer */
    uint64_t answer;                 /* number of the last answer that had it, from 1 */
};
struct book_family {
    struct exposition_family family; /* owns its texts */
    uint32_t next_same;
};

struct exposition_book { /* all zero to begin */
    VEC(struct book_series *) series;
    VEC(struct book_family) families;
    struct number_map series_by_hash, families_by_hash; /* index plus 1 */
    VEC(char) identity;                                 /* scratch */
};

/* Finds the series with this name and these labels, which is added if it is new.  Returns 0,
 * -ENOMEM, or -ENOSPC if there are too many. */
int book_find_series(struct exposition_book *book, const struct line_head *head, uint32_t *series);
/* Stores what a comment says about a family; if there are several, the first counts.  Returns 0 or
 * -ENOMEM. */
int book_add_comment(struct exposition_book *book, enum line_word word, struct slice name,
                     struct slice rest);
void book_fini(struct exposition_book *book);
