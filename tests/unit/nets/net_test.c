/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/net.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "nets/process.h"

static void make(struct net *net, const char *dir)
{
    *net = (struct net){
        .state = NET_UP, .keeper = 77, .keeper_born = 5, .fresh = true, .grace_seconds = 9};
    text_set(&net->dir, dir);
    text_set(&net->template_name, "mine");
    text_set(&net->id, "abc");
    struct net_part *part = net_add(net, "m\"0", PART_NODE);
    struct net_port const port = {strdup("client"), 2379};
    CHECK(vec_push(&part->ports, port));
    text_list_add(&part->argv, "one");
    text_list_add(&part->argv, "two\nlines");
    text_list_add(&part->env, "A=b");
    text_set(&part->ready.url, "http://x/");
    part->ready.port = 1;
    part->ready.seconds = 2;
    part->state = PART_CRASHED;
    part->pid = 4711;
    part->born = 1234567890123;
    text_set(&part->why, "it fell");
}

TEST(what_is_written_is_read)
{
    char dir[] = "/tmp/net_test.XXXXXX", path[64];
    struct net net, back;
    CHECK(mkdtemp(dir));
    make(&net, dir);
    CHECK(net_write(&net, NULL) == 0 && net_read(&back, dir, NULL) == 0);
    CHECK(back.state == NET_UP && back.keeper == 77 && back.keeper_born == 5 && back.fresh &&
          !back.restart && back.grace_seconds == 9 && back.parts.count == 1);
    const struct net_part *part = &back.parts.items[0];
    assert_string_equal(part->name, "m\"0");
    assert_string_equal(part->argv.items[1], "two\nlines");
    assert_string_equal(part->env.items[0], "A=b");
    assert_string_equal(part->ready.url, "http://x/");
    assert_string_equal(part->why, "it fell");
    CHECK(part->ready.port == 1 && part->ready.seconds == 2 && part->state == PART_CRASHED &&
          part->pid == 4711 && part->born == 1234567890123 && net_port_of(part, "client") == 2379);
    net_fini(&net);
    net_fini(&back);
    snprintf(path, sizeof(path), "%s/net.json", dir);
    unlink(path);
    rmdir(dir);
}

TEST(what_is_no_network_is_refused)
{
    struct net net;
    struct fault fault = {0};
    CHECK(net_parse(&net, slice_of("{}"), &fault) == -EINVAL);
    CHECK(net_parse(&net, slice_of("{\"id\":\"a\",\"template\":\"b\",\"parts\":[{}]}"), &fault) ==
          -EINVAL);
    CHECK(net_parse(&net, slice_of("{\"id\":\"a\",\"template\":\"b\"} x"), &fault) == -EINVAL);
    CHECK(net_read(&net, "/there/is/none", &fault) == -ENOENT &&
          strstr(fault.text, "memoir net up"));
}

TEST(a_process_is_known_by_when_it_began)
{
    uint32_t const own = (uint32_t)getpid();
    uint64_t const born = process_born(own);
    CHECK(born && process_is(own, born) && !process_is(own, born + 1) && !process_is(own, 0));
    CHECK(program_find("sh") && !program_find("there-is-no-such-program"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_no_network_is_refused),
        cmocka_unit_test(a_process_is_known_by_when_it_began),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
