/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/yaml_in.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

TEST(maps_lists_and_texts_are_found)
{
    struct yaml_in yaml;
    const char *key;
    CHECK(yaml_in_open(&yaml, slice_of("name: x\nports: [1, two]\nenv: {A: b}\nnone:\n"), NULL) ==
          0);
    const yaml_node_t *root = yaml_in_root(&yaml);
    CHECK(yaml_in_is_map(root) && yaml_in_count(root) == 4);
    assert_string_equal(yaml_in_text(yaml_in_get(&yaml, root, "name")), "x");
    const yaml_node_t *ports = yaml_in_get(&yaml, root, "ports");
    CHECK(yaml_in_is_list(ports) && yaml_in_count(ports) == 2 && yaml_in_line(ports) == 2);
    assert_string_equal(yaml_in_text(yaml_in_item(&yaml, ports, 1)), "two");
    CHECK(yaml_in_item(&yaml, ports, 2) == NULL && yaml_in_text(ports) == NULL);
    const yaml_node_t *value = yaml_in_pair(&yaml, yaml_in_get(&yaml, root, "env"), 0, &key);
    assert_string_equal(key, "A");
    assert_string_equal(yaml_in_text(value), "b");
    assert_string_equal(yaml_in_text(yaml_in_get(&yaml, root, "none")), "");
    CHECK(yaml_in_get(&yaml, root, "absent") == NULL && yaml_in_get(&yaml, ports, "name") == NULL);
    CHECK(yaml_in_get(&yaml, NULL, "name") == NULL && yaml_in_count(NULL) == 0);
    yaml_in_close(&yaml);
}

TEST(what_is_no_yaml_is_told_with_its_line)
{
    struct yaml_in yaml;
    struct fault fault = {0};
    CHECK(yaml_in_open(&yaml, slice_of("a: b\nc: [1\n"), &fault) == -EINVAL);
    CHECK(fault.offset == 3 && strncmp(fault.text, "line 3: ", 8) == 0);
    CHECK(yaml_in_open(&yaml, slice_of(""), &fault) == -ENODATA);
    CHECK(yaml_in_open(&yaml, slice_of("a: \"b\\0c\"\n"), &fault) == -EINVAL);
    char *large = calloc(1, YAML_IN_BYTES_MAX + 1);
    CHECK(yaml_in_open(&yaml, (struct slice){large, YAML_IN_BYTES_MAX + 1}, &fault) == -EFBIG);
    free(large);
    CHECK(yaml_in_open_file(&yaml, "/there/is/none.yaml", &fault) == -ENOENT);
    CHECK(strstr(fault.text, "/there/is/none.yaml") != NULL);
}

struct heap {
    const char *head, *piece, *what; /* %d in a piece is its number */
    size_t count;
};

static const struct heap heaps[] = {
    {"", "[", "levels", 200000},           {"", "- ", "levels", 400000},
    {"", "? ", "levels", 400000},          {"", "{?:", "levels", 300000},
    {"{", "a,", "parts", 400000},          {"[", "&a%d x,", "anchors", 50000},
    {"[&a x,", "*a ,", "aliases", 200000}, {"", "%TAG !a%d! tag:x\n", "directives", 30000},
};

static char *pile_up(const struct heap *heap, size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    assert_non_null(file);
    fputs(heap->head, file);
    const char *number = strstr(heap->piece, "%d");
    int const before = number ? (int)(number - heap->piece) : (int)strlen(heap->piece);
    for (size_t i = 0; i < heap->count; i++) {
        fprintf(file, "%.*s", before, heap->piece);
        if (number)
            fprintf(file, "%zu%s", i, number + 2);
    }
    fclose(file);
    return text;
}

/* Each would take libyaml alone seconds or minutes. */
TEST(what_would_take_for_ever_is_refused)
{
    for (size_t i = 0; i < sizeof(heaps) / sizeof(heaps[0]); i++) {
        struct yaml_in yaml;
        struct fault fault = {0};
        size_t size;
        char *text = pile_up(&heaps[i], &size);
        CHECK(size <= YAML_IN_BYTES_MAX);
        CHECK(yaml_in_open(&yaml, (struct slice){text, size}, &fault) == -E2BIG);
        CHECK(strstr(fault.text, heaps[i].what) != NULL);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_lists_and_texts_are_found),
        cmocka_unit_test(what_is_no_yaml_is_told_with_its_line),
        cmocka_unit_test(what_would_take_for_ever_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
