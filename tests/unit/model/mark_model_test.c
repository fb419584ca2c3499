/* SPDX-License-Identifier: Apache-2.0 */
/* Marks and phases against an array of everything that was ever told: what is left of it is
 * true. */
#include "model/mark.h"

#include <stdlib.h>

#include "check.h"
#include "random.h"

#define LABELS 5u
#define TOLD   30000u

struct told {
    enum mark_kind kind;
    string_id label;
    uint64_t time_ns;
    uint32_t partner; /* of a beginning: its end; of an end: its beginning; 0: none */
};

/* Numbers are those of the list: an end of nothing has none. */
struct model {
    struct told told[TOLD + 1];
    uint32_t count;
    uint32_t open[LABELS][TOLD], depth[LABELS];
};

static bool model_add(struct model *model, enum mark_kind kind, string_id label, uint64_t time_ns)
{
    if (kind == MARK_END && model->depth[label] == 0)
        return false;
    struct told *told = &model->told[++model->count];
    *told = (struct told){kind, label, time_ns, 0};
    if (kind == MARK_BEGIN)
        model->open[label][model->depth[label]++] = model->count;
    if (kind == MARK_END) {
        told->partner = model->open[label][--model->depth[label]];
        model->told[told->partner].partner = model->count;
    }
    return true;
}

/* What the list has is what was told, in order; a phase is there with both its ends. */
static void compare(struct mark_list *marks, const struct model *model)
{
    CHECK(marks->count + marks->left_out == model->count && marks->count <= MARKS_MAX);
    for (size_t i = 0; i < marks->count; i++) {
        const struct mark *mark = &marks->items[i];
        const struct told *told = &model->told[mark->number];
        CHECK(i == 0 || marks->items[i - 1].number < mark->number);
        CHECK(mark->number <= model->count && mark->kind == told->kind);
        CHECK(mark->label == told->label && mark->time_ns == told->time_ns);
        CHECK(mark->begin == (told->kind == MARK_END ? told->partner : 0));
        CHECK(!told->partner || marks_find(marks, told->partner));
        CHECK(marks_find(marks, mark->number) == mark && marks_have(marks, mark->time_ns));
        CHECK(!mark->has_sums || mark->sums.calls == mark->number);
    }
    for (uint32_t label = 0; label < LABELS; label++)
        CHECK(marks_is_open(marks, label) == (model->depth[label] > 0));
}

static void compare_span(const struct mark_list *marks, const struct model *model, size_t at)
{
    const struct mark *mark = &marks->items[at];
    struct mark_span const span = marks_span(marks, at, UINT64_MAX);
    if (mark->kind != MARK_BEGIN)
        return;
    uint32_t const end = model->told[mark->number].partner;
    CHECK(span.from_ns == mark->time_ns && span.is_open == (end == 0));
    CHECK(span.to_ns == (end ? model->told[end].time_ns : UINT64_MAX));
}

static void tell(struct mark_list *marks, struct model *model, struct random *random, uint64_t *now)
{
    enum mark_kind const kind = (enum mark_kind)(MARK_INSTANT + random_below(random, 3));
    string_id const label = (string_id)random_below(random, LABELS);
    uint64_t const behind = random_below(random, 20) ? 0 : random_below(random, *now + 1);
    *now += random_below(random, 3);
    /* Open phases are never thinned out: more than a few are another test. */
    if (kind == MARK_BEGIN && model->depth[label] > 20)
        return;
    uint64_t const last = marks->count ? marks->items[marks->count - 1].time_ns : 0;
    uint64_t const time_ns = *now - behind < last ? last : *now - behind;
    CHECK(marks_add(marks, kind, label, *now - behind) == 0);
    if (model_add(model, kind, label, time_ns) && random_below(random, 2))
        marks_set_sums(marks, time_ns, &(struct mark_sums){.calls = model->count});
}

TEST(what_is_left_of_many_marks_is_true)
{
    struct random random = random_from(1);
    struct model *model = calloc(1, sizeof(*model));
    struct mark_list marks = {.items = NULL};
    uint64_t now = 1;
    CHECK(model);
    for (uint32_t i = 0; i < TOLD; i++) {
        tell(&marks, model, &random, &now);
        if (i % 1500 == 0)
            compare(&marks, model);
        if (i % 10 == 0 && marks.count)
            compare_span(&marks, model, random_below(&random, marks.count));
    }
    compare(&marks, model);
    CHECK(marks.thinned > 0 && marks.left_out > 0);
    marks_fini(&marks);
    free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_left_of_many_marks_is_true)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
