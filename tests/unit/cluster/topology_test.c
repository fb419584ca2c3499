/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of small graphs are worked out by hand in the comments. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "cluster/topology/topology_measures.h"

#define ID(letter)                                                                                 \
    "12D3KooW" letter letter letter letter letter letter letter letter letter letter letter letter \
        letter letter letter letter letter letter letter letter letter letter letter letter letter \
            letter letter letter letter letter letter letter letter letter letter letter letter    \
                letter letter letter letter letter letter letter

static void read_graph(struct topology *topology, const char *text)
{
    struct fault fault = {.text = ""};
    topology_init(topology, TOPOLOGY_BY_LOGS, NULL);
    if (topology_read_json(topology, slice_of(text), &fault))
        fail_msg("%s", fault.text);
    assert_int_equal(topology_finish(topology), 0);
}

static int near(double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

/* a -> b -> c -> d, a chain. */
TEST(a_chain)
{
    struct topology topology;
    struct topology_measures measures;
    read_graph(&topology, "{\"nodes\":[\"a\",\"b\",\"c\",\"d\"],"
                          "\"edges\":[[\"a\",\"b\"],[\"b\",\"c\"],[\"c\",\"d\"],[\"a\",\"b\"]]}");
    assert_int_equal(topology_measure(&topology, &measures), 0);
    CHECK(measures.edges == 3 && measures.apart == 0);
    CHECK(measures.transitivity == 0 && measures.mean_clustering == 0);
    /* pairs: 1+2+3+1+2+1 = 10 over 6 */
    CHECK(near(measures.mean_path, 10.0 / 6));
    CHECK(measures.nodes[0].in == 0 && measures.nodes[0].out == 1);
    CHECK(near(measures.nodes[1].degree_centrality, 2.0 / 3));
    /* through b: a>c, a>d; of (n-1)(n-2) = 6 */
    CHECK(near(measures.nodes[0].load_centrality, 0));
    CHECK(near(measures.nodes[1].load_centrality, 2.0 / 6));
    CHECK(near(measures.nodes[2].load_centrality, 2.0 / 6));
    CHECK(near(measures.nodes[3].load_centrality, 0));
    topology_measures_fini(&measures);
    topology_fini(&topology);
}

/* A triangle a, b, c and a tail d at c, and e alone. */
TEST(a_triangle_with_a_tail)
{
    struct topology topology;
    struct topology_measures measures;
    read_graph(&topology,
               "{\"nodes\":[\"a\",\"b\",\"c\",\"d\",\"e\"],\"edges\":[[\"a\",\"b\"],[\"b\",\"c\"],"
               "[\"c\",\"a\"],[\"c\",\"d\"],[\"a\",\"a\"]]}");
    assert_int_equal(topology_measure(&topology, &measures), 0);
    /* pairs of neighbours: a 1, b 1, c 3, d 0: 5; of them linked 1+1+1 */
    CHECK(near(measures.transitivity, 3.0 / 5));
    /* (1 + 1 + 1/3 + 0 + 0) / 5 */
    CHECK(near(measures.mean_clustering, (2 + 1.0 / 3) / 5));
    /* ab bc ca cd: 1; ad bd: 2: 8 over 6; e from four others */
    CHECK(near(measures.mean_path, 8.0 / 6) && measures.apart == 4);
    topology_measures_fini(&measures);
    topology_fini(&topology);
}

/* a -> b -> d and a -> c -> d: two ways of the same length, each half. */
TEST(a_fork_is_split_evenly)
{
    struct topology topology;
    struct topology_measures measures;
    read_graph(&topology, "{\"nodes\":[\"a\",\"b\",\"c\",\"d\"],\"edges\":[[\"a\",\"b\"],[\"a\","
                          "\"c\"],[\"b\",\"d\"],[\"c\",\"d\"]]}");
    assert_int_equal(topology_measure(&topology, &measures), 0);
    CHECK(near(measures.nodes[1].load_centrality, 0.5 / 6));
    CHECK(near(measures.nodes[2].load_centrality, 0.5 / 6));
    CHECK(near(measures.nodes[3].load_centrality, 0));
    topology_measures_fini(&measures);
    topology_fini(&topology);
}

static void read_logs(struct topology *topology, const char *node, const char *text)
{
    struct log_reading reading = {.handle = topology_handle, .context = topology};
    assert_int_equal(node_log_read_bytes(&reading, slice_of(text), node), 0);
}

static void check_edge(const struct topology *topology, size_t edge, const char *from,
                       const char *to)
{
    assert_string_equal(topology->nodes.items[topology->edges.items[edge].from].name, from);
    assert_string_equal(topology->nodes.items[topology->edges.items[edge].to].name, to);
}

TEST(peers_by_their_ids)
{
    struct topology topology;
    topology_init(&topology, TOPOLOGY_BY_LOGS, NULL);
    read_logs(
        &topology, "node3",
        "{\"msg\":\"P2P host created: peer ID " ID(
            "b") " addrs [x]\"}\n"
                 "{\"msg\":\"Made outgoing connection to peer " ID(
                     "a") "\",\"local\":\"/ip4/1.2.3.4/tcp/1/p2p/" ID("b") "\"}\n"
                                                                           "{\"msg\":\"Accepted "
                                                                           "incoming connection "
                                                                           "from peer " ID(
                                                                               "a") "\"}\n");
    read_logs(&topology, "relay1",
              "{\"msg\":\"P2P host created: peer ID " ID("a") " addrs [x]\"}\n");
    assert_int_equal(topology_finish(&topology), 0);
    CHECK(topology.nodes.count == 2 && topology.edges.count == 1 && topology.incoming == 1);
    check_edge(&topology, 0, "N3", "R1");
    assert_string_equal(topology.nodes.items[1].id, ID("a"));
    topology_fini(&topology);
}

TEST(addresses_by_the_inventory_and_names_by_their_first_label)
{
    struct topology topology;
    struct inventory inventory = {0};
    assert_int_equal(inventory_read(&inventory, slice_of("{\"name_r2\":[\"203.0.113.12\"]}"), NULL),
                     0);
    topology_init(&topology, TOPOLOGY_WS, &inventory);
    read_logs(&topology, "nonParticipatingNode12",
              "{\"msg\":\"Made outgoing connection to peer 203.0.113.12:4560\",\"remote\":"
              "\"203.0.113.12:4560\"}\n{\"msg\":\"Made outgoing connection to peer x\",\"remote\":"
              "\"r1.example.org:4560\",\"time\":\"2026-05-28T00:00:00Z\"}\n");
    assert_int_equal(topology_finish(&topology), 0);
    assert_int_equal(topology.edges.count, 2);
    check_edge(&topology, 0, "NPN12", "R1");
    check_edge(&topology, 1, "NPN12", "R2");
    CHECK(topology.edges.items[0].time_us == INT64_C(1779926400000000));
    topology_fini(&topology);
    inventory_fini(&inventory);
}

TEST(a_test_log_by_its_headings)
{
    struct topology topology;
    topology_init(&topology, TOPOLOGY_WS_E2E, NULL);
    read_logs(&topology, "test",
              "Node/node.log:\n{\"msg\":\"Made outgoing connection to peer\",\"remote\":"
              "\"127.0.0.1:4161\"}\n{\"msg\":\"Made outgoing connection to peer\",\"remote\":"
              "\"127.0.0.1:9\"}\n  Primary/node.log:\n{\"msg\":\"serving genesisID=v1 on "
              "\\\"http://127.0.0.1:4161\\\" with RandomID=x\"}\n");
    assert_int_equal(topology_finish(&topology), 0);
    CHECK(topology.edges.count == 1 && topology.dropped == 1 && topology.nodes.count == 2);
    check_edge(&topology, 0, "Node", "Primary");
    topology_fini(&topology);
}

TEST(what_is_written_is_read_again)
{
    struct topology topology, again;
    char text[1000] = "";
    read_graph(&topology, "{\"mapping\":{\"id1\":\"R1\",\"id2\":\"N1\"},\"nodes\":[\"id1\",\"id2\","
                          "\"R1\"],\"edges\":[[\"id2\",\"id1\",{\"dt\":\"2026-05-28T00:00:00.5Z\"}"
                          "]]}");
    assert_int_equal(topology.nodes.count, 2);
    check_edge(&topology, 0, "N1", "R1");
    FILE *out = fmemopen(text, sizeof(text), "w");
    assert_int_equal(topology_json_write(&topology, true, out), 0);
    fclose(out);
    assert_non_null(strstr(text, "[\"N1\", \"R1\", {\"dt\": \"2026-05-28T00:00:00.500000Z\"}]"));
    read_graph(&again, text);
    check_edge(&again, 0, "N1", "R1");
    CHECK(again.edges.items[0].time_us == topology.edges.items[0].time_us);
    topology_fini(&again);
    topology_fini(&topology);
}

TEST(what_is_no_topology_is_told)
{
    static const char *const wrong[] = {"", "[]", "{\"nodes\":[1]}", "{\"edges\":[[\"a\"]]}",
                                        "{\"edges\":[[\"a\",\"b\"]"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct topology topology;
        struct fault fault = {.text = ""};
        topology_init(&topology, TOPOLOGY_BY_LOGS, NULL);
        CHECK(topology_read_json(&topology, slice_of(wrong[i]), &fault) < 0 && fault.text[0]);
        topology_fini(&topology);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain),
        cmocka_unit_test(a_triangle_with_a_tail),
        cmocka_unit_test(a_fork_is_split_evenly),
        cmocka_unit_test(peers_by_their_ids),
        cmocka_unit_test(addresses_by_the_inventory_and_names_by_their_first_label),
        cmocka_unit_test(a_test_log_by_its_headings),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(what_is_no_topology_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
