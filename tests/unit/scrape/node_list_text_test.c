/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/node_list_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "scrape/nodes/node_inputs.h"

static char *text_of(const char *config, enum node_list_form form)
{
    struct node_list list;
    struct fault fault = {.text = ""};
    char *text = NULL;
    size_t size = 0;
    CHECK(node_list_init(&list, &fault) == 0);
    if (node_config_parse(&list, slice_of(config), "c.yaml", NULL, &fault) != 0)
        fail_msg("%s", fault.text);
    FILE *out = open_memstream(&text, &size);
    CHECK(node_list_write(&list, CAPTURE_HEAP | CAPTURE_METRICS | CAPTURE_RSS, form, out) == 0 &&
          fclose(out) == 0);
    node_list_fini(&list);
    return text;
}

static const char config[] =
    "nodes:\n"
    "  - {name: r1, role: relay, class: algod, address: 'http://me:sesame@10.0.0.1:8580', token: "
    "hush}\n"
    "  - {name: 'a,b', class: metrics, address: 'unix:/run/x.sock', token_env: PATH}\n"
    "  - {name: gone, pid: 2147483646, record: cpu}\n"
    "  - {address: 'http://me:sesame@10.0.0.1:8580', class: algod, token: hush}\n";

TEST(the_table_has_all_nodes_and_no_secret)
{
    char *text = text_of(config, NODE_LIST_TABLE);
    CHECK(strstr(text, "name  nick  role   class    address"));
    CHECK(strstr(text,
                 "r1    r1    relay  algod    http://10.0.0.1:8580  yes          heap metrics"));
    CHECK(strstr(text,
                 "gone  gone         process                               gone  rss memoir:cpu"));
    CHECK(strstr(text, "\n3 nodes\n"));
    CHECK(strstr(text, "note: http://10.0.0.1:8580 is named twice"));
    CHECK(!strstr(text, "hush") && !strstr(text, "sesame") && !strstr(text, "c2VzYW1l"));
    free(text);
}

TEST(csv_and_json_have_the_same)
{
    char *text = text_of(config, NODE_LIST_CSV);
    CHECK(strncmp(text,
                  "name,nick,role,class,address,token,pid,asked_for\nr1,r1,relay,algod,http://"
                  "10.0.0.1:8580,",
                  80) == 0);
    CHECK(strstr(text, "\n\"a,b\",\"a,b\",,metrics,unix:/run/x.sock:,yes,,metrics\n"));
    CHECK(!strstr(text, "hush"));
    free(text);
    text = text_of(config, NODE_LIST_JSON);
    CHECK(strstr(text, "\"name\": \"r1\"") && strstr(text, "\"token\": true") &&
          strstr(text, "\"pid\": null"));
    CHECK(strstr(text, "\"captures\": [\"heap\", \"metrics\"]"));
    CHECK(strstr(text, "\"recordings\": [\"cpu\"]") && !strstr(text, "hush") &&
          !strstr(text, "sesame"));
    free(text);
}

TEST(an_empty_list_is_told)
{
    char *text = text_of("every: 1s\n", NODE_LIST_TABLE);
    assert_string_equal(text, "0 nodes\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_all_nodes_and_no_secret),
        cmocka_unit_test(csv_and_json_have_the_same),
        cmocka_unit_test(an_empty_list_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
