/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/template.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "nets/fill.h"

static struct fill_options options = {.dir = "/there/is/none", .cluster = "/bin/cluster"};

static int fill(const char *text, struct net *net, struct fault *fault)
{
    struct net_template plan;
    int err = template_parse(&plan, "mine", slice_of(text), fault);
    if (err)
        return err;
    template_set(&plan, "relay=10.0.0.1:2379", NULL); /* where there is one */
    err = net_fill(net, &plan, &options, fault);
    template_fini(&plan);
    return err;
}

static void refused(const char *text, const char *sentence)
{
    struct net net = {0};
    struct fault fault = {0};
    if (fill(text, &net, &fault) == 0 || !strstr(fault.text, sentence))
        fail_msg("expected a refusal with \"%s\", got \"%s\"", sentence, fault.text);
}

static bool has_word(const struct net_part *part, const char *word)
{
    vec_each (text, &part->argv)
        if (strcmp(*text, word) == 0)
            return true;
    return false;
}

TEST(every_shipped_template_can_be_filled)
{
    const char *name, *text;
    for (size_t i = 0; (name = template_shipped(i, &text)); i++) {
        struct net net = {0};
        struct fault fault = {0};
        if (fill(text, &net, &fault) != 0)
            fail_msg("%s: %s", name, fault.text);
        CHECK(net_count(&net, PART_NODE, PART_PLANNED) >= 2);
        CHECK(net_count(&net, PART_LOAD, PART_PLANNED) >= 1);
        net_fini(&net);
    }
}

TEST(members_know_each_other_by_the_ports_chosen)
{
    const char *text;
    char peers[200], url[100];
    struct net net = {0};
    template_shipped(0, &text);
    CHECK(fill(text, &net, NULL) == 0);
    const struct net_part *m0 = net_find(&net, "m0"), *m2 = net_find(&net, "m2");
    snprintf(peers, sizeof(peers),
             "m0=http://127.0.0.1:%u,m1=http://127.0.0.1:%u,m2=http://127.0.0.1:%u",
             net_port_of(m0, "peer"), net_port_of(net_find(&net, "m1"), "peer"),
             net_port_of(m2, "peer"));
    CHECK(has_word(m2, peers));
    snprintf(url, sizeof(url), "http://127.0.0.1:%u", net_port_of(m0, "client"));
    assert_string_equal(m0->url, url);
    CHECK(has_word(net_find(&net, "load1"), url)); /* a list without join is a word each */
    assert_string_equal(m2->folder, "/there/is/none/data/m2");
    CHECK(net_port_of(m0, "peer") != net_port_of(m0, "client"));
    net_fini(&net);
}

TEST(nodes_and_rates_can_be_others)
{
    const char *text;
    struct net net = {0};
    template_shipped(0, &text);
    options.nodes = 5;
    options.tps = 100;
    CHECK(fill(text, &net, NULL) == 0);
    CHECK(net_count(&net, PART_NODE, PART_PLANNED) == 5 && has_word(net_find(&net, "load0"), "50"));
    options.nodes = 0;
    options.tps = 0;
    net_fini(&net);
}

TEST(others_leaves_out_the_node_itself)
{
    struct net net = {0};
    CHECK(fill("lists: {peers: {of: n, item: 'p{port.a}', others: yes}}\n"
               "nodes: {n: {count: 2, ports: [a], command: [x, '{list.peers}', '{{i}{i}/{n}', 'a{ "
               "b}']}}\n",
               &net, NULL) == 0);
    char peer[20];
    const struct net_part *n0 = net_find(&net, "n0");
    snprintf(peer, sizeof(peer), "p%u", net_port_of(net_find(&net, "n1"), "a"));
    CHECK(n0->argv.count == 4);
    assert_string_equal(n0->argv.items[1], peer);
    assert_string_equal(n0->argv.items[2], "{i}0/2");
    assert_string_equal(n0->argv.items[3], "a{ b}");
    net_fini(&net);
}

TEST(ports_are_kept_and_a_busy_one_is_told)
{
    static const char text[] = "nodes: {n: {ports: [a], command: [x]}}\n";
    struct net first = {0}, second = {0};
    struct fault fault = {0};
    CHECK(fill(text, &first, NULL) == 0);
    options.old = &first;
    CHECK(fill(text, &second, NULL) == 0);
    uint16_t const port = net_port_of(net_find(&first, "n"), "a");
    CHECK(port && net_port_of(net_find(&second, "n"), "a") == port);
    net_fini(&second);
    struct sockaddr_in const address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int const fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 1) == 0);
    CHECK(fill(text, &second, &fault) == -EADDRINUSE);
    CHECK(strstr(fault.text, "the a port of n") && strstr(fault.text, "--fresh"));
    close(fd);
    options.old = NULL;
    net_fini(&first);
}

TEST(what_is_wrong_is_told_with_its_line)
{
    refused("nodes: {n: {command: [x]}}\nnode: 1\n", "line 2: a template has no node");
    refused("nodes:\n  n:\n    comand: [x]\n", "line 3: a group of nodes has no comand");
    refused("nodes: {n: {ports: [a]}}\n", "nodes need a command");
    refused("nodes: {n: {command: [x, '{port.b}'], ports: [a]}}\n", "n has no port called b");
    refused("nodes: {n: {command: [x, '{nme}']}}\n", "no placeholder {nme}");
    refused("nodes: {n: {command: [x, '{node.z.port.a}']}}\n", "no node for {node.z.port.a}");
    refused("nodes: {n: {command: [x, '{list.l}']}}\n", "no list l");
    refused("lists: {l: {of: n, item: '{list.l}', join: ' '}}\nnodes: {n: {command: [x, "
            "'{list.l}']}}\n",
            "contains itself");
    refused("nodes: {n: {count: 0, command: [x]}}\n", "not one that can be: 0");
    refused("nodes: {n: {count: 2, name: same, command: [x]}}\n", "two nodes are called same");
    refused("nodes: {n: {name: a/b, command: [x]}}\n", "cannot be called");
    refused("load: {l: {kind: etcd, tps: 1, targets: [x]}}\n", "begins with nodes");
    refused("nodes: {n: {command: [x]}}\nload: {l: {kind: other, tps: 1, targets: [x]}}\n",
            "load needs");
    refused("set: {a: ''}\nnodes: {n: {command: [x, '{set.a}']}}\n", "needs --set a=");
    refused("- a\n", "a template is a map");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_template_can_be_filled),
        cmocka_unit_test(members_know_each_other_by_the_ports_chosen),
        cmocka_unit_test(nodes_and_rates_can_be_others),
        cmocka_unit_test(others_leaves_out_the_node_itself),
        cmocka_unit_test(ports_are_kept_and_a_busy_one_is_told),
        cmocka_unit_test(what_is_wrong_is_told_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
