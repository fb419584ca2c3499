/* SPDX-License-Identifier: Apache-2.0 */
#include "report/graph/graph_svg.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "folded_recording.h"
#include "xml_check.h"

static struct recording *recording;
static struct weights weights;
static struct call_graph graph;
static struct graph_options options;
static struct graph_scene scene;
static struct svg_out out;

static void add(const char *stack, int64_t value)
{
    folded_add(recording, stack, COL_CPU_NS, value);
    folded_add(recording, stack, COL_CPU_SAMPLES, 1);
}

static void make(const char *metric, const struct graph_rules *rules)
{
    CHECK(weigh_stacks(recording, metric_find(metric), TIME_ALL, &weights, NULL) == 0);
    CHECK(call_graph_build(recording, &weights, rules, &graph, NULL) == 0);
    scene = (struct graph_scene){recording, &weights, &graph, &options, 0, false};
    graph_scene_init(&scene);
}

static const struct graph_rules everything = {.max_nodes = UINT32_MAX, .max_edges = UINT32_MAX};

/* Boxes in a row, straight lines between their middles: graphviz is tried elsewhere. */
static void place(struct graph_layout *layout)
{
    CHECK(graph_measure(&scene, layout) == 0);
    vec_each (box, &layout->boxes) {
        box->x = layout->width + box->width / 2;
        box->y = box->height / 2;
        layout->width += box->width + 20;
        layout->height = box->height > layout->height ? box->height : layout->height;
    }
    vec_each (line, &layout->lines) {
        const struct graph_box *from = &layout->boxes.items[line->from];
        const struct graph_box *to = &layout->boxes.items[line->to];
        for (int i = 0; i < 4; i++)
            CHECK(vec_push(&line->points, (struct graph_point){from->x + i, from->y + i}));
        line->tip = (struct graph_point){to->x, to->y};
        line->label = (struct graph_point){from->x, from->y};
    }
}

static void draw(void (*write)(const struct graph_scene *, const struct graph_layout *,
                               struct svg_out *))
{
    struct graph_layout layout = {0};
    place(&layout);
    svg_out_fini(&out);
    write(&scene, &layout, &out);
    graph_layout_fini(&layout);
    CHECK(!out.failed);
}

static bool contains(const char *text)
{
    return memmem(out.data, out.size, text, strlen(text)) != NULL;
}

static void check_well_formed(void)
{
    size_t offset = 0;
    const char *fault = xml_fault(out.data, out.size, &offset);
    if (fault)
        fail_msg("%s at byte %zu: %.60s", fault, offset, out.data + offset);
}

static int begin(void **state)
{
    (void)state;
    recording = folded_create();
    options = (struct graph_options){.theme = graph_themes, .skew = 1};
    return 0;
}

static int end(void **state)
{
    (void)state;
    svg_out_fini(&out);
    call_graph_fini(&graph);
    weights_fini(&weights);
    recording_destroy(recording);
    return 0;
}

TEST(labels_tell_module_name_total_self_and_count)
{
    struct graph_label label;
    add("main;/lib/libz.so.1`inflate", 750000000);
    add("main", 250000000);
    make("cpu.on", &everything);
    graph_node_label(&scene, &graph.nodes.items[0], &label);
    CHECK(label.count == 5 && strcmp(label.lines[0].text, "program") == 0);
    CHECK(strcmp(label.lines[1].text, "main") == 0);
    CHECK(strcmp(label.lines[2].text, "100.0 %  1.00 s") == 0);
    CHECK(strcmp(label.lines[3].text, "(self 25.0 %  250 ms)") == 0);
    CHECK(strcmp(label.lines[4].text, "2 samples") == 0);
    graph_node_label(&scene, &graph.nodes.items[1], &label);
    CHECK(strcmp(label.lines[0].text, "libz.so.1") == 0);
    graph_edge_label(&scene, &graph.edges.items[0], &label);
    CHECK(label.count == 2 && strcmp(label.lines[0].text, "75.0 %") == 0);
    CHECK(strcmp(label.lines[1].text, "1×") == 0);
}

TEST(long_names_are_wrapped_and_cut)
{
    char stack[6000] = "main;";
    struct graph_label label;
    for (int i = 0; i < 500; i++)
        strcat(stack, "space::na");
    add(stack, 1);
    make("cpu.on", &everything);
    graph_node_label(&scene, &graph.nodes.items[0], &label);
    CHECK(label.count == 7 && label.cells <= 37);
    CHECK(strstr(label.lines[3].text, "…") && !strstr(label.lines[2].text, "…"));
    draw(graph_svg_write);
    check_well_formed();
}

TEST(hostile_names_stay_names)
{
    static const char *const names[] = {"\"];n0 -> evil [label=\"",
                                        "a\\",
                                        "</title><script>alert(1)</script>",
                                        "a -> b;{}[]",
                                        "&lt;&quot;&#x3c;",
                                        "]]>",
                                        "<TABLE><TR><TD>x</TD></TR></TABLE>",
                                        "\xff\xfe\xc0",
                                        "\xe2\x80\xae"
                                        "right",
                                        "new\nline\ttab",
                                        "\\N\\G\\l"};
    char stack[200];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        /* folded stacks are split at semicolons, which make no difference here */
        snprintf(stack, sizeof(stack), "main;%s", names[i]);
        add(stack, 1 + (int64_t)i);
    }
    options.title = "<b>\"title\\";
    make("cpu.on", &everything);
    draw(graph_svg_write);
    check_well_formed();
    CHECK(!contains("<script>alert") && !contains("<b>\"") && !contains("<TABLE"));
    draw(graph_html_write);
    CHECK(!contains("<script>alert") && !contains("<b>\"") && !contains("<TABLE"));

    svg_out_fini(&out);
    graph_dot_write(&scene, &out);
    CHECK(contains("\\\"]") && !contains("\"];n0 -> evil") && contains("a\\\\\\n"));
    CHECK(contains("&amp;lt") && contains("\\\\N\\\\G\\\\l"));
}

TEST(what_is_left_out_is_told_with_its_sum)
{
    struct picture_text text;
    struct graph_rules rules = everything;
    rules.node_share = 0.01;
    add("main;big", 9960000000);
    add("main;small", 30000000);
    add("main;tiny", 10000000);
    make("cpu.on", &rules);
    graph_left_out(&scene, &text);
    CHECK(strcmp(text.text, "not shown: 2 functions, which themselves have 40.0 ms (0.4 %)") == 0);
    draw(graph_svg_write);
    CHECK(contains(text.text));
    check_well_formed();
}

TEST(indirect_calls_are_dashed_and_cycles_marked)
{
    struct pattern *path;
    struct graph_rules rules = everything;
    CHECK(pattern_compile("^(main|leaf|a|b)$", PATTERN_ANYWHERE, NULL, &path, NULL) == 0);
    rules.path = path;
    add("main;between;leaf", 10);
    add("main;a;b;a", 10);
    make("cpu.on", &rules);
    draw(graph_svg_write);
    CHECK(contains("class=\"e i\"") && contains("class=\"e\"") && contains("cycle 1"));
    svg_out_fini(&out);
    graph_dot_write(&scene, &out);
    CHECK(contains("style=\"dashed\"") && contains("cycle 1"));
    pattern_destroy(path);
}

TEST(nothing_to_show_says_so)
{
    make("cpu.on", &everything);
    draw(graph_svg_write);
    check_well_formed();
    CHECK(contains("nothing is left to show"));
}

TEST(what_shrank_has_another_colour)
{
    folded_add(recording, "main;grew", COL_HEAP_BYTES, 300);
    folded_add(recording, "main;shrank", COL_HEAP_FREED, 100);
    make("heap.live", &everything);
    CHECK(scene.has_both);
    uint32_t const main_color = graph_node_color(&scene, &graph.nodes.items[1]);
    CHECK((main_color >> 16) > (main_color & 0xff)); /* red */
    uint32_t const shrunk = graph_node_color(&scene, &graph.nodes.items[2]);
    CHECK((shrunk >> 16) < (shrunk & 0xff)); /* blue */
}

/* As gprof2dot 2024 colours its boxes at these weights. */
TEST(themes_have_the_known_colours)
{
    const struct graph_theme *color = graph_theme_find("color"), *pink = graph_theme_find("pink");
    const struct graph_theme *gray = graph_theme_find("gray"), *print = graph_theme_find("print");
    CHECK(graph_theme_color(color, 0, 1) == 0x0d0d73 && graph_theme_color(color, 1, 1) == 0xff0000);
    CHECK(graph_theme_color(color, 0.5, 1) == 0x0ab60a);
    CHECK(graph_theme_color(gray, 1, 1) == 0 && graph_theme_color(pink, 1, 1) == 0xff0000);
    CHECK(graph_theme_color(color, 0.5, 0.1) != graph_theme_color(color, 0.5, 1));
    CHECK(graph_theme_color(color, -7, 1) == graph_theme_color(color, 0, 1));
    CHECK(graph_theme_pen(color, 0.5) == 2 && graph_theme_pen(color, 0) == 0.5);
    CHECK(print->is_outlined && graph_theme_font(print, 1) == 30 && !graph_theme_find("neon"));
    CHECK(graph_color_is_light(0xffffff) && !graph_color_is_light(0x0d0d73));
}

TEST(self_time_colours_by_the_heaviest_self)
{
    add("main;half", 50);
    add("main;half2", 50);
    options.color_by_self = true;
    make("cpu.on", &everything);
    CHECK(graph_node_color(&scene, &graph.nodes.items[1]) == 0xff0000);
    CHECK(graph_node_color(&scene, &graph.nodes.items[0]) == 0x0d0d73);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(labels_tell_module_name_total_self_and_count, begin, end),
        cmocka_unit_test_setup_teardown(long_names_are_wrapped_and_cut, begin, end),
        cmocka_unit_test_setup_teardown(hostile_names_stay_names, begin, end),
        cmocka_unit_test_setup_teardown(what_is_left_out_is_told_with_its_sum, begin, end),
        cmocka_unit_test_setup_teardown(indirect_calls_are_dashed_and_cycles_marked, begin, end),
        cmocka_unit_test_setup_teardown(nothing_to_show_says_so, begin, end),
        cmocka_unit_test_setup_teardown(what_shrank_has_another_colour, begin, end),
        cmocka_unit_test_setup_teardown(themes_have_the_known_colours, begin, end),
        cmocka_unit_test_setup_teardown(self_time_colours_by_the_heaviest_self, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
