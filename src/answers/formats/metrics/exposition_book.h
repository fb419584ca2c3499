/* exposition_book.h - inside the reader of metrics: the series and families that are known. */
#pragma once

#include "base/number_map.h"
#include "formats/metrics/exposition_line.h"

#define NO_SERIES UINT32_MAX

struct book_series {
    struct exposition_series series; /* its texts lie behind the labels, in one block */
    uint32_t next_same;              /* with the same hash, plus 1 */
    uint32_t line;                   /* where it stood in the answer before */
    uint64_t answer;                 /* it was last seen in, from 1 */
};
struct book_family {
    struct exposition_family family; /* its texts are its own */
    uint32_t next_same;
};

struct exposition_book { /* all zero to begin */
    VEC(struct book_series *) series;
    VEC(struct book_family) families;
    struct number_map series_by_hash, families_by_hash; /* to the index, plus 1 */
    VEC(char) identity;                                 /* scratch */
};

/* The series of these words, new or known.  Returns 0, -ENOMEM, -ENOSPC: there are too many. */
int book_find_series(struct exposition_book *book, const struct line_head *head, uint32_t *series);
/* What a comment tells of a family.  The first word counts.  Returns 0 or -ENOMEM. */
int book_add_comment(struct exposition_book *book, enum line_word word, struct slice name,
                     struct slice rest);
void book_fini(struct exposition_book *book);
