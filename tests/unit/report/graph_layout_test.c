/* SPDX-License-Identifier: Apache-2.0 */
#include "report/graph/graph_layout.h"

#include <math.h>

#include "check.h"

/* Graphviz keeps what it has read of its plug-ins until the process ends. */
const char *__lsan_default_suppressions(void); /* NOLINT: the sanitizer's name */
const char *__lsan_default_suppressions(void)  /* NOLINT */
{
    return "leak:libgvc.so\n";
}

static void add_box(struct graph_layout *layout)
{
    CHECK(vec_push(&layout->boxes, (struct graph_box){.width = 120, .height = 60}));
}

static void add_line(struct graph_layout *layout, uint32_t from, uint32_t to)
{
    CHECK(vec_push(&layout->lines, (struct graph_line_path){.from = from,
                                                            .to = to,
                                                            .label_width = 50,
                                                            .label_height = 24,
                                                            .arrow = 1,
                                                            .share = 0.5}));
}

static void check_inside(const struct graph_layout *layout)
{
    vec_each (box, &layout->boxes) {
        CHECK(box->x - 60 >= -0.5 && box->x + 60 <= layout->width + 0.5);
        CHECK(box->y - 30 >= -0.5 && box->y + 30 <= layout->height + 0.5);
    }
    vec_each (line, &layout->lines) {
        const struct graph_box *to = &layout->boxes.items[line->to];
        CHECK(line->points.count % 3 == 1 && line->points.count >= 4);
        CHECK(fabs(line->tip.x - to->x) <= 61 && fabs(line->tip.y - to->y) <= 31);
    }
}

TEST(callers_stand_above_what_they_call)
{
    struct graph_layout layout = {0};
    for (int i = 0; i < 5; i++)
        add_box(&layout);
    add_line(&layout, 0, 1);
    add_line(&layout, 0, 2);
    add_line(&layout, 1, 3);
    add_line(&layout, 2, 3);
    add_line(&layout, 3, 3); /* itself */
    add_line(&layout, 3, 1); /* a cycle */
    CHECK(graph_layout_run(&layout, NULL) == 0);
    check_inside(&layout);
    const struct graph_box *boxes = layout.boxes.items;
    CHECK(boxes[0].y < boxes[1].y && boxes[2].y < boxes[3].y);
    CHECK(fabs(boxes[1].x - boxes[2].x) >= 120 || fabs(boxes[1].y - boxes[2].y) >= 60);
    graph_layout_fini(&layout);
}

TEST(many_boxes_and_none)
{
    struct graph_layout layout = {0};
    CHECK(graph_layout_run(&layout, NULL) == 0);
    for (uint32_t i = 0; i < 300; i++) {
        add_box(&layout);
        if (i > 0)
            add_line(&layout, (i * 7) % i, i);
    }
    for (uint32_t i = 0; i < 100; i++)
        add_line(&layout, i, (i * 31 + 7) % 300);
    CHECK(graph_layout_run(&layout, NULL) == 0);
    check_inside(&layout);
    graph_layout_fini(&layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_stand_above_what_they_call),
        cmocka_unit_test(many_boxes_and_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
