/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/node_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/memoir-nodes-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

/* Writes a file below the folder; its path. */
static const char *file(const char *name, const char *text)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    CHECK(out && fputs(text, out) >= 0 && fclose(out) == 0);
    return path;
}

static const char *data_folder(const char *name, const char *address)
{
    static char path[256];
    char inner[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    mkdir(path, 0700);
    static const char *const files[][2] = {{"algod.token", "  aaaatoken \n"},
                                           {"algod.admin.token", "bbbbadmin\n"},
                                           {"algod.pid", "1\n"}};
    for (size_t i = 0; i < 3; i++) {
        snprintf(inner, sizeof(inner), "%s/%s", name, files[i][0]);
        file(inner, files[i][1]);
    }
    snprintf(inner, sizeof(inner), "%s/algod.net", name);
    file(inner, address);
    return path;
}

static struct node_list new_list(void)
{
    struct node_list list;
    struct fault fault = {.text = ""};
    if (node_list_init(&list, &fault) != 0)
        fail_msg("%s", fault.text);
    return list;
}

static void add(struct node_list *list, const char *input, const struct node_list_options *options)
{
    struct fault fault = {.text = ""};
    if (node_list_add(list, input, options, &fault) != 0)
        fail_msg("%s: %s", input, fault.text);
}

static const char *doubts(const struct node_list *list)
{
    return list->doubts.count ? list->doubts.items[0] : "";
}

TEST(the_shipped_classes_are_read)
{
    static const char *const names[] = {"algod",    "etcd", "etcd-proxy", "prometheus", "monero",
                                        "ethereum", "geth", "cometbft",   "pprof",      "metrics",
                                        "memoir",   "auto", "go",         "process"};
    struct node_list list = new_list();
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!node_class_find(&list, names[i]))
            fail_msg("no class %s", names[i]);
    assert_string_equal(node_class_find(&list, "etcd")->pprof, "/debug/pprof/");
    assert_null(node_class_find(&list, "etcd-proxy")->metrics);
    assert_string_equal(node_class_find(&list, "etcd-proxy")->sent.items[0],
                        "memoir_process_tcp_sent_bytes_total");
    assert_int_equal(node_class_find(&list, "geth")->chain, CHAIN_ETHEREUM);
    assert_string_equal(node_class_find(&list, "algod")->heap_metrics.items[0],
                        "inuse=algod_go_memory_classes_heap_objects_bytes");
    assert_null(node_class_find(&list, "nothing"));
    node_list_fini(&list);
}

TEST(c14_a_data_folder_with_a_slash_at_its_end_has_a_nick)
{
    struct node_list list = new_list();
    char with_slash[300];
    snprintf(with_slash, sizeof(with_slash), "%s//", data_folder("Primary", " 127.0.0.1:8080\n\n"));
    add(&list, with_slash, NULL);
    const struct node *node = list.nodes.items[0];
    assert_string_equal(node->nick, "Primary");
    assert_string_equal(node->base_url, "http://127.0.0.1:8080");
    assert_string_equal(node->metrics_url, "http://127.0.0.1:8080/metrics");
    assert_string_equal(node->pprof_url, "http://127.0.0.1:8080/debug/pprof/");
    assert_string_equal(node->token, "aaaatoken");
    assert_string_equal(node->admin_token, "bbbbadmin");
    CHECK(node->has_process && strstr(node->process.pid_file, "/Primary/algod.pid"));
    assert_int_equal(list.doubts.count, 0);
    node_list_fini(&list);
}

TEST(data_folders_of_all_forms)
{
    struct node_list list = new_list();
    add(&list, data_folder("a", "http://127.0.0.1:8081"), NULL);
    add(&list, data_folder("b", "[::]:8082\n"), NULL);
    add(&list, data_folder("c", "0.0.0.0:8083"), NULL);
    assert_string_equal(list.nodes.items[0]->base_url, "http://127.0.0.1:8081");
    assert_string_equal(list.nodes.items[1]->base_url, "http://[::1]:8082");
    assert_string_equal(list.nodes.items[2]->base_url, "http://127.0.0.1:8083");
    add(&list, data_folder("again", "127.0.0.1:8083"), NULL);
    CHECK(list.nodes.count == 3 && strstr(doubts(&list), "named twice"));
    add(&list, folder, NULL); /* no data folder */
    CHECK(list.nodes.count == 3 && strstr(list.doubts.items[1], "algod.net"));
    node_list_fini(&list);
}

TEST(folders_of_one_name_get_different_nicks)
{
    struct node_list list = new_list();
    char inner[300];
    snprintf(inner, sizeof(inner), "%s/x", folder);
    mkdir(inner, 0700);
    snprintf(inner, sizeof(inner), "%s/y", folder);
    mkdir(inner, 0700);
    add(&list, data_folder("x/node", "127.0.0.1:1"), NULL);
    add(&list, data_folder("y/node", "127.0.0.1:2"), NULL);
    assert_string_equal(list.nodes.items[0]->nick, "node");
    assert_string_equal(list.nodes.items[1]->nick, "node-2");
    CHECK(strstr(doubts(&list), "several nodes are called node"));
    node_list_fini(&list);
}

static const char inventory_text[] =
    "[name_r1]\n203.0.113.11\n[name_r2]\n203.0.113.12\n[name_n1]\n203.0.113.21\n"
    "[name_npn1]\n2001:db8::31\n[role_relay]\n203.0.113.11\n203.0.113.12\n"
    "[role_node]\n203.0.113.21\n[role_nonparticipatingnode]\n2001:db8::31\n";

TEST(inventories_give_relays_unless_told_otherwise)
{
    struct node_list list = new_list();
    add(&list, file("i.host", inventory_text), NULL);
    assert_int_equal(list.nodes.count, 2);
    assert_string_equal(list.nodes.items[1]->nick, "203.0.113.12:8580");
    assert_string_equal(list.nodes.items[1]->name, "r2");
    assert_string_equal(list.nodes.items[1]->role, "relay");
    assert_string_equal(list.nodes.items[1]->base_url, "http://203.0.113.12:8580");
    CHECK(strstr(list.inventory_path, "i.host"));
    node_list_fini(&list);
}

TEST(inventories_by_roles_and_names_with_ports)
{
    struct node_list list = new_list();
    char *roles[] = {"nonParticipatingNode", "relay"}, *names[] = {"name_n[0-9]"};
    struct node_list_options const options = {
        .roles = {roles, 2, 2}, .name_res = {names, 1, 1}, .port = 4160};
    add(&list, file("i.host", inventory_text), &options);
    assert_int_equal(list.nodes.count, 4);
    assert_string_equal(list.nodes.items[0]->nick,
                        "203.0.113.21:4160"); /* in the order of the file */
    assert_string_equal(list.nodes.items[3]->nick, "[2001:db8::31]:4160");
    assert_string_equal(list.nodes.items[3]->role, "npn");
    node_list_fini(&list);
}

TEST(c3_the_expression_for_block_headers_selects)
{
    static const char *const expressions[] = {"name_r1", "r1$", "203[.]0[.]113[.]11:"};
    for (size_t i = 0; i < 3; i++) {
        struct node_list list = new_list();
        char *names[] = {"name_r"};
        struct node_list_options const options = {.name_res = {names, 1, 1},
                                                  .block_re = expressions[i]};
        add(&list, file("i.host", inventory_text), &options);
        assert_int_equal(list.nodes.count, 2);
        CHECK(list.nodes.items[0]->gives_blocks && !list.nodes.items[1]->gives_blocks);
        node_list_fini(&list);
    }
    struct node_list list = new_list();
    struct node_list_options const bad = {.block_re = "r["};
    struct fault fault = {.text = ""};
    CHECK(node_list_add(&list, "http://h:1", &bad, &fault) == -EINVAL &&
          strstr(fault.text, "regular expression"));
    node_list_fini(&list);
}

TEST(an_inventory_without_the_role_says_which_there_are)
{
    struct node_list list = new_list();
    char *roles[] = {"archiver"};
    struct node_list_options const options = {.roles = {roles, 1, 1}};
    add(&list, file("i.host", inventory_text), &options);
    CHECK(list.nodes.count == 0 && strstr(doubts(&list), "relay, node, nonparticipatingnode"));
    add(&list, file("genesis.json", "{\"alloc\":[{\"a\":1}],\"id\":\"v1\"}"), &options);
    CHECK(list.nodes.count == 0 && !list.inventory_path);
    add(&list, file("plain.host", "[mine]\na.example\nb.example:7\n"), NULL);
    assert_int_equal(list.nodes.count, 2); /* nobody says which: all */
    assert_string_equal(list.nodes.items[1]->base_url, "http://b.example:7");
    node_list_fini(&list);
}

TEST(addresses_and_tokens_of_the_command_line)
{
    struct node_list list = new_list();
    char *headers[] = {"X-Team: a"};
    struct node_list_options const options = {
        .class_name = "etcd", .token = "tttt", .headers = {headers, 1, 1}};
    add(&list, "http://me:word@h.example:2379/", &options);
    add(&list, "unix:/run/go.sock", NULL);
    const struct node *node = list.nodes.items[0];
    assert_string_equal(node->nick, "h.example:2379");
    assert_string_equal(node->class->name, "etcd");
    assert_string_equal(node->pprof_url, "http://h.example:2379/debug/pprof/");
    assert_string_equal(node->token, "tttt");
    assert_int_equal(node->headers.count, 2); /* and the password of the address */
    assert_string_equal(node->headers.items[1], "Authorization: Basic bWU6d29yZA==");
    assert_string_equal(list.nodes.items[1]->class->name, "auto");
    assert_string_equal(list.nodes.items[1]->metrics_url, "unix:/run/go.sock:/metrics");
    node_list_fini(&list);
}

TEST(a_missing_input_is_told)
{
    struct node_list list = new_list();
    struct fault fault = {.text = ""};
    CHECK(node_list_add(&list, "/nowhere/at/all", NULL, &fault) == -ENOENT &&
          strstr(fault.text, "an input is"));
    CHECK(node_list_add(&list, "/nowhere/at.yaml", NULL, &fault) == -ENOENT);
    CHECK(node_list_add(&list, "pid:none", NULL, &fault) == -EINVAL);
    CHECK(node_list_add(&list, "pid:2147483646", NULL, &fault) == -ESRCH);
    CHECK(node_list_add(&list, "name:", NULL, &fault) == -EINVAL);
    CHECK(node_list_add(&list, "http://h", &(struct node_list_options){.class_name = "odd"},
                        &fault) == -EINVAL);
    CHECK(strstr(fault.text, "no class odd"));
    assert_int_equal(list.nodes.count, 0);
    node_list_fini(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shipped_classes_are_read),
        cmocka_unit_test(c14_a_data_folder_with_a_slash_at_its_end_has_a_nick),
        cmocka_unit_test(data_folders_of_all_forms),
        cmocka_unit_test(folders_of_one_name_get_different_nicks),
        cmocka_unit_test(inventories_give_relays_unless_told_otherwise),
        cmocka_unit_test(inventories_by_roles_and_names_with_ports),
        cmocka_unit_test(c3_the_expression_for_block_headers_selects),
        cmocka_unit_test(an_inventory_without_the_role_says_which_there_are),
        cmocka_unit_test(addresses_and_tokens_of_the_command_line),
        cmocka_unit_test(a_missing_input_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
