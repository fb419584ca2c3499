/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/pprof_text.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sample_recording.h"

static char *render_top(bool by_allocated, bool hides, size_t top)
{
    struct pprof_text_view const view = {by_allocated, hides, top};
    struct sample sample = sample_create();
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    CHECK(pprof_text_write(sample.recording, &view, out, NULL) == 0);
    fclose(out);
    sample_destroy(&sample);
    return text;
}

static char *render(bool by_allocated, bool hides)
{
    return render_top(by_allocated, hides, 1000);
}

TEST(what_is_left_out_is_told)
{
    char *text = render_top(false, false, 2);
    CHECK(strstr(text, "\n# 3 smaller stacks are left out; ask for more with top=N\n"));
    CHECK(strncmp(text, "heap profile: 5: 2625540", 24) == 0 && !strstr(text, "[1: 4000]"));
    free(text);
}

TEST(the_first_line_has_the_totals_and_the_largest_comes_first)
{
    char *text = render(false, false);
    static const char head[] =
        "heap profile: 5: 2625540 [3014: 11730436] @ heapprofile\n2: 2097152 [10: 10485760] @ 0x";
    CHECK(strncmp(text, head, strlen(head)) == 0);
    CHECK(strstr(text, "#\tcache_insert (inlined)\t"));
    CHECK(strstr(text, "\n0: 0 [3000: 192000] @ 0x"));
    free(text);
}

TEST(by_allocated_the_order_is_another)
{
    char *text = render(true, false);
    const char *parse = strstr(text, "[3000: 192000]"), *plugin = strstr(text, "[1: 4000]");
    CHECK(parse && plugin && parse < plugin);
    free(text);
}

TEST(hidden_addresses_are_those_in_the_files)
{
    char *shown = render(false, false), *hidden = render(false, true);
    CHECK(strstr(shown, "0x140") && !strstr(hidden, "0x140")); /* where the program was mapped */
    CHECK(strstr(hidden, "libplugin.so+0x1234"));
    free(shown);
    free(hidden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_has_the_totals_and_the_largest_comes_first),
        cmocka_unit_test(what_is_left_out_is_told),
        cmocka_unit_test(by_allocated_the_order_is_another),
        cmocka_unit_test(hidden_addresses_are_those_in_the_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
