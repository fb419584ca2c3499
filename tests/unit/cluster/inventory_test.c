/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/runs/inventory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static const char terraform_ini[] =
    "[all]\n203.0.113.11\n203.0.113.12\n203.0.113.21\n203.0.113.31\n\n"
    "[all:vars]\nregion=\"us-east-2\"\nzones=[\"a\",\"b\"]\n\n"
    "[name_n1]\n203.0.113.21\n\n[name_npn1]\n203.0.113.31\n\n"
    "[name_r1]\n203.0.113.11\n\n[name_r2]\n203.0.113.12\n\n"
    "[role_node]\n203.0.113.21\n\n"
    "[role_nonparticipatingnode]\n203.0.113.31\n\n"
    "[role_relay]\n203.0.113.11\n203.0.113.12\n";

static struct inventory read_text(const char *text)
{
    struct inventory inventory;
    struct fault fault = {.text = ""};
    int const err = inventory_read(&inventory, slice_of(text), &fault);
    if (err)
        fail_msg("%s", fault.text);
    return inventory;
}

static const struct inventory_group *group(const struct inventory *inventory, const char *name)
{
    vec_each (one, &inventory->groups)
        if (strcmp(one->name, name) == 0)
            return one;
    return NULL;
}

static void check_name(const struct inventory *inventory, const char *nick, const char *name)
{
    const char *got = inventory_name_of(inventory, nick);
    if (!name)
        assert_null(got);
    else
        assert_string_equal(got ? got : "none", name);
}

TEST(ini_as_terraform_inventory_writes_it)
{
    struct inventory inventory = read_text(terraform_ini);
    assert_int_equal(inventory.groups.count, 8);
    assert_int_equal(inventory.odd_lines, 0);
    assert_int_equal(group(&inventory, "all")->hosts.count, 4);
    check_name(&inventory, "203.0.113.11:8580", "r1");
    check_name(&inventory, "203.0.113.31", "npn1");
    check_name(&inventory, "203.0.113.99", NULL);
    assert_string_equal(inventory_role_of(&inventory, "203.0.113.12:8580"), "relay");
    assert_string_equal(inventory_role_of(&inventory, "203.0.113.31:8580"), "npn");
    assert_string_equal(inventory_role_of(&inventory, "203.0.113.21"), "node");
    assert_null(inventory_role_of(&inventory, "Primary"));
    inventory_fini(&inventory);
}

TEST(w12_an_address_is_compared_whole)
{
    struct inventory inventory = read_text("[name_r2]\n10.0.0.11\n[name_r1]\n10.0.0.1\n");
    check_name(&inventory, "10.0.0.11:8580", "r2");
    check_name(&inventory, "10.0.0.1:8580", "r1");
    check_name(&inventory, "10.0.0.1", "r1");
    check_name(&inventory, "110.0.0.1", NULL);
    check_name(&inventory, "10.0.0.111:8580", NULL);
    inventory_fini(&inventory);
}

TEST(sections_in_pieces_and_hosts_twice_are_one)
{
    struct inventory inventory =
        read_text("[role_relay]\na.example\nb.example\na.example\n"
                  "[name_r1]\na.example\n[role_relay]\nc.example\nB.example\n");
    const struct inventory_group *relays = group(&inventory, "role_relay");
    assert_int_equal(inventory.groups.count, 2);
    assert_int_equal(relays->hosts.count, 3);
    assert_string_equal(relays->hosts.items[2], "c.example");
    inventory_fini(&inventory);
}

TEST(ipv6_and_ports_are_not_cut_at_a_colon)
{
    struct inventory inventory =
        read_text("[name_r1]\n2001:db8::1\n[name_r2]\n[2001:db8::2]:8580\n[name_n1]\n"
                  "10.0.0.1:4001\n[name_n2]\n10.0.0.1:4002\n[name_n3]\n10.0.0.1\n");
    assert_int_equal(inventory.groups.count, 5);
    check_name(&inventory, "[2001:DB8:0::1]:8580", "r1");
    check_name(&inventory, "2001:db8::1", "r1");
    check_name(&inventory, "2001:db8::1:8580", "r1"); /* host:port literally */
    check_name(&inventory, "[2001:db8::2]:8580", "r2");
    check_name(&inventory, "[2001:db8::2]:8581", NULL);
    check_name(&inventory, "10.0.0.1:4002", "n2");
    check_name(&inventory, "10.0.0.1:4001", "n1");
    check_name(&inventory, "10.0.0.1:9", "n3"); /* any other port of the host */
    inventory_fini(&inventory);
}

TEST(comments_variables_blanks_and_odd_lines)
{
    struct inventory inventory = read_text(
        "\xef\xbb\xbf# made by hand\r\nlone.example\r\n[ name_R1 ]  # the first\r\n; no host\r\n"
        "  Host.Example  ansible_user=me\r\nnot a=host\r\n[r:children]\r\nname_R1\r\n"
        "[DEFAULT]\r\n10.0.0.9\r\nx=y\r\n[]\r\n10.0.0.7\r\n[role_archive]\r\nHost.Example\r\n");
    assert_int_equal(inventory.odd_lines, 2); /* "x=y" and "[]"; "not" may be a host */
    assert_string_equal(inventory.groups.items[0].name, "ungrouped");
    assert_string_equal(group(&inventory, "name_R1")->hosts.items[0], "Host.Example");
    assert_int_equal(group(&inventory, "name_R1")->hosts.count, 2);
    assert_int_equal(group(&inventory, "DEFAULT")->hosts.count, 1);
    check_name(&inventory, "10.0.0.9", NULL); /* DEFAULT leaks into nobody */
    check_name(&inventory, "host.example:8580", "R1");
    assert_string_equal(inventory_role_of(&inventory, "host.example"), "archive");
    inventory_fini(&inventory);
}

TEST(json_has_the_same_groups)
{
    struct inventory inventory = read_text(
        " {\"name_r1\":[\"203.0.113.11\"],\"name_r2\":[\"203.0.113.12\",7],\n"
        "\"all\":{\"hosts\":[\"203.0.113.11\",\"203.0.113.12\"],\"vars\":{\"a\":[1,{\"hosts\":2}]}}"
        ","
        "\"role_relay\":{\"hosts\":{\"203.0.113.11\":{\"port\":1},\"203.0.113.12\":null}},"
        "\"_meta\":{\"hostvars\":{}},\"odd\":null}");
    check_name(&inventory, "203.0.113.11:8580", "r1");
    check_name(&inventory, "203.0.113.12:8580", "r2");
    assert_string_equal(inventory_role_of(&inventory, "203.0.113.12"), "relay");
    assert_int_equal(group(&inventory, "all")->hosts.count, 2);
    assert_int_equal(inventory.odd_lines, 2);
    inventory_fini(&inventory);
}

static void check_refused(const char *text, const char *word)
{
    struct inventory inventory;
    struct fault fault = {.text = ""};
    CHECK(inventory_read(&inventory, slice_of(text), &fault) == -EBADMSG);
    CHECK(strstr(fault.text, word));
    assert_int_equal(inventory.groups.count, 0);
}

TEST(what_is_no_inventory_is_refused_with_a_sentence)
{
    struct inventory inventory;
    struct fault fault = {.text = ""};
    check_refused("", "[sections]");
    check_refused("{\"a\":[\"b\"]", "JSON");
    check_refused("{\"a\":[\"b\"]} x", "JSON");
    check_refused("{}", "[sections]");
    CHECK(inventory_read_file(&inventory, "/nowhere/at.host", &fault) == -ENOENT);
    CHECK(strstr(fault.text, "/nowhere/at.host"));
}

TEST(many_hosts_are_read_in_one_go)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fprintf(file, "[all]\n");
    for (unsigned i = 0; i < 100000; i++)
        fprintf(file, "10.%u.%u.%u\n", i >> 16, i >> 8 & 255, i & 255);
    for (unsigned i = 0; i < 50000; i++)
        fprintf(file, "[name_n%u]\n10.%u.%u.%u\n", i, i >> 16, i >> 8 & 255, i & 255);
    fclose(file);
    struct inventory inventory = read_text(text);
    assert_int_equal(inventory.groups.count, 50001);
    assert_int_equal(inventory.groups.items[0].hosts.count, 100000);
    check_name(&inventory, "10.0.195.79:8580", "n49999");
    inventory_fini(&inventory);
    free(text);
}

TEST(roles_follow_from_names)
{
    assert_string_equal(role_of_name("r1"), "relay");
    assert_string_equal(role_of_name("R1"), "relay");
    assert_string_equal(role_of_name("npn3"), "npn");
    assert_string_equal(role_of_name("n1"), "node");
    assert_string_equal(role_of_name("Primary"), "node");
    assert_string_equal(role_of_name(""), "node");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ini_as_terraform_inventory_writes_it),
        cmocka_unit_test(w12_an_address_is_compared_whole),
        cmocka_unit_test(sections_in_pieces_and_hosts_twice_are_one),
        cmocka_unit_test(ipv6_and_ports_are_not_cut_at_a_colon),
        cmocka_unit_test(comments_variables_blanks_and_odd_lines),
        cmocka_unit_test(json_has_the_same_groups),
        cmocka_unit_test(what_is_no_inventory_is_refused_with_a_sentence),
        cmocka_unit_test(many_hosts_are_read_in_one_go),
        cmocka_unit_test(roles_follow_from_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
