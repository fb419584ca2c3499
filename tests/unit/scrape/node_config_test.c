/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/node_inputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "scrape/watch/node_request.h"

static struct node_list read_config(const char *text)
{
    struct node_list list;
    struct fault fault = {.text = ""};
    CHECK(node_list_init(&list, &fault) == 0);
    if (node_config_parse(&list, slice_of(text), "c.yaml", NULL, &fault) != 0)
        fail_msg("%s", fault.text);
    return list;
}

static void check_wrong(const char *text, const char *words)
{
    struct node_list list;
    struct fault fault = {.text = ""};
    CHECK(node_list_init(&list, &fault) == 0);
    int const err = node_config_parse(&list, slice_of(text), "c.yaml", NULL, &fault);
    if (err >= 0 || !strstr(fault.text, words))
        fail_msg("%d: %s", err, fault.text);
    node_list_fini(&list);
}

TEST(what_is_asked_for_and_how_often)
{
    struct node_list list =
        read_config("every: 5m\nfor: 2h\ntimeout: 7s\ncaptures: [heap, metrics, cpu]\n"
                    "cpu: 90s\ncpu_after: 10m\nrounds: 40\nout: runs/one\n");
    assert_int_equal(list.wishes.every_ns, UINT64_C(300000000000));
    assert_int_equal(list.wishes.for_ns, UINT64_C(7200000000000));
    assert_int_equal(list.wishes.timeout_ns, UINT64_C(7000000000));
    assert_int_equal(list.wishes.captures, CAPTURE_HEAP | CAPTURE_METRICS | CAPTURE_CPU);
    assert_int_equal(list.wishes.rounds, 40);
    assert_string_equal(list.wishes.out, "runs/one");
    node_list_fini(&list);
}

TEST(one_address_with_other_headers_is_another_node)
{
    struct node_list list = read_config(
        "nodes:\n"
        "  - {name: a, metrics_url: 'http://10.0.0.1:9/m', headers: {X-Scope: one, X-Way: up}}\n"
        "  - {name: b, metrics_url: 'http://10.0.0.1:9/m', headers: {X-Scope: two, X-Way: up}}\n"
        "  - {name: c, metrics_url: 'http://10.0.0.1:9/m', headers: {X-Way: up, X-Scope: one}}\n"
        "  - {name: d, metrics_url: 'http://10.0.0.1:9/m'}\n"
        "  - {name: e, metrics_url: 'http://10.0.0.1:9/m'}\n");
    assert_int_equal(list.nodes.count, 3);
    assert_string_equal(list.nodes.items[1]->name, "b");
    assert_string_equal(list.nodes.items[2]->name, "d");
    assert_int_equal(list.doubts.count, 2);
    CHECK(strstr(list.doubts.items[0], "named twice: a and c"));
    node_list_fini(&list);
}

TEST(nodes_of_all_forms)
{
    struct node_list list = read_config(
        "nodes:\n"
        "  - http://10.0.0.9:1\n"
        "  - {name: e1, address: 10.0.0.1, class: etcd, role: relay}\n"
        "  - {name: e2, address: '10.0.0.1:2380', class: etcd}\n"
        "  - {name: sock, address: 'unix:/run/g.sock', class: pprof}\n"
        "  - {name: leaf, class: metrics, metrics_url: 'http://10.0.0.1:9/metrics'}\n"
        "  - {name: mine, pidfile: run/mine.pid, record: [heap, cpu]}\n"
        "  - {program: redis-server, captures: rss}\n"
        "  - {name: g, class: geth, base_url: 'http://10.0.0.5:8545', listens: 8545}\n");
    assert_int_equal(list.nodes.count, 8);
    struct node **nodes = list.nodes.items;
    assert_string_equal(nodes[0]->class->name, "auto");
    assert_string_equal(nodes[1]->base_url, "http://10.0.0.1:2379");
    assert_string_equal(nodes[1]->nick, "e1");
    assert_string_equal(nodes[1]->role, "relay");
    assert_string_equal(nodes[2]->pprof_url, "http://10.0.0.1:2380/debug/pprof/");
    assert_string_equal(nodes[3]->pprof_url, "unix:/run/g.sock:/debug/pprof/");
    assert_null(nodes[3]->metrics_url);
    assert_string_equal(nodes[4]->metrics_url, "http://10.0.0.1:9/metrics");
    assert_null(nodes[4]->base_url);
    assert_string_equal(nodes[5]->process.pid_file, "run/mine.pid");
    assert_int_equal(nodes[5]->recordings, RECORDING_HEAP | RECORDING_CPU);
    assert_string_equal(nodes[6]->nick, "redis-server");
    assert_int_equal(nodes[6]->captures, CAPTURE_RSS);
    assert_string_equal(nodes[7]->metrics_url, "http://10.0.0.5:6060/debug/metrics/prometheus");
    assert_int_equal(nodes[7]->process.port, 8545);
    node_list_fini(&list);
}

TEST(defaults_classes_and_roles_by_expression)
{
    struct node_list list = read_config(
        "classes:\n"
        "  mine: {like: etcd, port: 7000, height: my_height, tx_bytes: my_sent, pprof: none}\n"
        "defaults: {class: mine, timeout: 3s, headers: {X-Team: a, X-Env: test}, blocks: no}\n"
        "roles: {relay: '(r|relay)[0-9]+$', npn: [leaf, 'proxy']}\n"
        "nodes:\n"
        "  - {name: r1, address: 10.0.0.1}\n"
        "  - {name: leaf1, address: 10.0.0.2, headers: ['X-Env: real']}\n"
        "  - {name: other, address: 10.0.0.3, class: etcd, blocks: yes}\n"
        "  - {name: r9, address: 10.0.0.4, role: archive}\n");
    struct node **nodes = list.nodes.items;
    assert_string_equal(nodes[0]->base_url, "http://10.0.0.1:7000");
    assert_string_equal(nodes[0]->class->height, "my_height");
    assert_string_equal(nodes[0]->class->sent.items[0], "my_sent");
    assert_string_equal(nodes[0]->class->transactions, "etcd_server_proposals_applied_total");
    assert_null(nodes[0]->pprof_url);
    assert_int_equal(nodes[0]->timeout_ms, 3000);
    CHECK(!nodes[0]->gives_blocks && nodes[2]->gives_blocks);
    assert_string_equal(nodes[0]->role, "relay");
    assert_string_equal(nodes[1]->role, "npn");
    assert_string_equal(nodes[2]->role, "");
    assert_string_equal(nodes[3]->role, "archive");
    assert_int_equal(nodes[1]->headers.count, 2);
    assert_string_equal(nodes[1]->headers.items[1], "X-Env: real");
    assert_string_equal(nodes[2]->base_url, "http://10.0.0.3:2379");
    node_list_fini(&list);
}

TEST(every_wrong_key_and_value_has_its_line)
{
    check_wrong("evry: 5m\n",
                "c.yaml:1: `evry` is no key of a configuration; there are every, for");
    check_wrong("every: soon\n", "c.yaml:1: a time such as");
    check_wrong("every: 5m\nevery: 6m\n", "c.yaml:2: `every` is there twice");
    check_wrong("captures: [heap, heep]\n", "`heep` is none of heap, goroutine");
    check_wrong("nodes:\n  - {name: a, adress: b}\n", "c.yaml:2: `adress` is no key of a node");
    check_wrong("nodes:\n  - {name: a, address: b:99999}\n", "c.yaml:2: an address");
    check_wrong("nodes:\n  - {name: a}\n", "c.yaml:2: a node has an address");
    check_wrong("nodes:\n\n  - {name: a, address: b, class: odd}\n",
                "c.yaml:3: there is no class odd");
    check_wrong("nodes: {a: b}\n", "c.yaml:1: nodes are written as a list");
    check_wrong("nodes:\n  - {address: 'a:1', headers: 7}\n", "c.yaml:2: headers are lines");
    check_wrong("nodes:\n  - {address: 'a:1', headers: ['X: a', 'Y']}\n",
                "c.yaml:2: a header is written as");
    check_wrong("nodes:\n  - {pid: 1, program: x}\n", "keep only one");
    check_wrong("nodes:\n  - {pid: minus}\n", "c.yaml:2: a whole number");
    check_wrong("nodes:\n  - {listens: 70000}\n", "c.yaml:2: a port is");
    check_wrong("nodes:\n  - {address: 'a:1', blocks: maybe}\n", "c.yaml:2: yes or no");
    check_wrong("nodes:\n  - {address: 'a:1', token_file: /nowhere/t}\n",
                "c.yaml:2: cannot open /nowhere/t");
    check_wrong("nodes:\n  - {address: 'a:1', token_env: MEMOIR_NO_SUCH}\n",
                "c.yaml:2: the environment has no token");
    check_wrong("nodes:\n  - {name: x, address: 'a:1', folder: y}\n", "do not go together");
    check_wrong("nodes:\n  - folder: /nowhere/at/all\n", "c.yaml:2: /nowhere/at/all");
    check_wrong("roles: {relay: 'r['}\n", "c.yaml:1: \"r[\" is no regular expression");
    check_wrong("roles: {relay: 'r{999}{999}'}\n", "c.yaml:1: \"r{999}{999}\" is too large");
    check_wrong("classes: {mine: {like: theirs}}\n",
                "c.yaml:1: there is no class `theirs` before this one");
    check_wrong("classes: {mine: {metrics: metrics}}\n", "c.yaml:1: a path such as /metrics");
    check_wrong("classes: {mine: {chain: bitcoin}}\n", "`bitcoin` is none of");
    check_wrong("classes: {mine: 7}\n", "a class is written as lines");
    check_wrong("defaults: {name: x}\n", "c.yaml:1: `name` is no key of defaults");
    check_wrong("- a\n- b\n", "c.yaml:1: a configuration is written as");
    check_wrong("a: [\n", "c.yaml: line 2");
    check_wrong("", "c.yaml: there is nothing in it");
}

TEST(an_alias_bomb_ends_with_a_sentence)
{
    check_wrong("a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\n", "`a` is no key");
    check_wrong("nodes: &n\n  - *n\n", "is written as lines"); /* a list that contains itself */
    check_wrong("nodes:\n  - &m {headers: *m}\n", "headers are lines");
}

TEST(secrets_come_from_files_and_the_environment)
{
    char path[] = "/tmp/memoir-token-XXXXXX", text[512];
    int const fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, " filetoken \nrest\n", 17) == 17 && close(fd) == 0);
    setenv("MEMOIR_TEST_TOKEN", "envtoken", 1);
    snprintf(text, sizeof(text),
             "defaults: {token_file: %s}\nnodes:\n  - {address: 'a:1'}\n  - {address: 'b:1', "
             "token_env: MEMOIR_TEST_TOKEN}\n",
             path);
    struct node_list list = read_config(text);
    assert_string_equal(list.nodes.items[0]->token, "filetoken");
    assert_string_equal(list.nodes.items[1]->token, "envtoken");
    assert_int_equal(list.doubts.count, 0);
    node_list_fini(&list);
    unlink(path);
}

TEST(a_token_goes_into_one_header)
{
    struct node_headers headers;
    struct node_list list =
        read_config("nodes:\n  - {address: 'a:1', class: monero, token: tttt}\n"
                    "  - {address: 'http://me:word@b:1', token: tttt}\n"
                    "  - {address: 'c:1', class: algod, token: tttt, admin_token: aaaa}\n");
    CHECK(node_headers_init(&headers, list.nodes.items[0], false) && headers.items.count == 1);
    assert_string_equal(headers.items.items[0], "Authorization: Bearer tttt");
    node_headers_fini(&headers);
    CHECK(node_headers_init(&headers, list.nodes.items[1], false) && headers.items.count == 1);
    assert_string_equal(headers.items.items[0], "Authorization: Basic bWU6d29yZA==");
    node_headers_fini(&headers);
    CHECK(node_headers_init(&headers, list.nodes.items[2], true) && headers.items.count == 1);
    assert_string_equal(headers.items.items[0], "X-Algo-API-Token: aaaa");
    node_headers_fini(&headers);
    assert_null(strstr(list.nodes.items[1]->metrics_url, "word"));
    node_list_fini(&list);
}

TEST(a_secret_in_a_file_that_everybody_may_read_is_a_doubt)
{
    char path[] = "/tmp/memoir-conf-XXXXXX.yaml";
    int const fd = mkstemps(path, 5);
    const char *text = "nodes: [{address: 'a:1', token: inline}]\n";
    CHECK(fd >= 0 && write(fd, text, strlen(text)) > 0 && close(fd) == 0);
    for (int open = 0; open < 2; open++) {
        struct node_list list;
        struct fault fault;
        chmod(path, open ? 0644 : 0600);
        CHECK(node_list_init(&list, &fault) == 0 && node_list_add(&list, path, NULL, &fault) == 0);
        assert_string_equal(list.nodes.items[0]->token, "inline");
        CHECK((int)list.doubts.count == open);
        if (open)
            CHECK(strstr(list.doubts.items[0], "every user may read it") &&
                  !strstr(list.doubts.items[0], "inline"));
        node_list_fini(&list);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked_for_and_how_often),
        cmocka_unit_test(one_address_with_other_headers_is_another_node),
        cmocka_unit_test(nodes_of_all_forms),
        cmocka_unit_test(defaults_classes_and_roles_by_expression),
        cmocka_unit_test(every_wrong_key_and_value_has_its_line),
        cmocka_unit_test(an_alias_bomb_ends_with_a_sentence),
        cmocka_unit_test(secrets_come_from_files_and_the_environment),
        cmocka_unit_test(a_token_goes_into_one_header),
        cmocka_unit_test(a_secret_in_a_file_that_everybody_may_read_is_a_doubt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
