/* SPDX-License-Identifier: Apache-2.0 */
/* inventory_json.c - reads an inventory of hosts: {"name_r1":["203.0.113.11"],
 * "all":{"hosts":[...],"vars":{...}}}.  A group is a list of hosts, or an object with a list of
 * hosts. */
#include <string.h>

#include "base/json_in.h"
#include "cluster/runs/inventory_build.h"

#define TEXT_MAX 1024u

static char next_letter(const struct json_in *json)
{
    for (size_t i = 0; i < json->text.size; i++)
        if (!strchr(" \t\r\n", json->text.data[i]))
            return json->text.data[i];
    return '\0';
}

static void parse_hosts(struct inventory_build *build, struct json_in *json, size_t group)
{
    char host[TEXT_MAX];
    char const form = next_letter(json);
    if (form == '[') {
        for (json_in_array(json); json_in_item(json);) {
            if (next_letter(json) != '"') {
                build->inventory->odd_lines++;
                json_in_skip(json);
            } else if (json_in_text(json, host, sizeof(host))) {
                inventory_add_host(build, group, slice_of(host));
            }
        }
    } else if (form == '{') { /* hosts with variables of their own */
        for (json_in_object(json); json_in_key(json, host, sizeof(host)); json_in_skip(json))
            inventory_add_host(build, group, slice_of(host));
    } else {
        build->inventory->odd_lines++;
        json_in_skip(json);
    }
}

/* An object with `hosts`; variables and names of other groups are not ours. */
static void parse_object(struct inventory_build *build, struct json_in *json, const char *name)
{
    char key[TEXT_MAX];
    for (json_in_object(json); json_in_key(json, key, sizeof(key));) {
        if (strcmp(key, "hosts") == 0)
            parse_hosts(build, json, inventory_add_group(build, slice_of(name)));
        else
            json_in_skip(json);
    }
}

bool inventory_parse_json(struct inventory_build *build, struct slice text)
{
    struct json_in json = {.text = text};
    char name[TEXT_MAX];
    for (json_in_object(&json); json_in_key(&json, name, sizeof(name)) && !build->out_of_memory;) {
        if (strcmp(name, "_meta") == 0 || strchr(name, ':') || !name[0])
            json_in_skip(&json);
        else if (next_letter(&json) == '{')
            parse_object(build, &json, name);
        else
            parse_hosts(build, &json, inventory_add_group(build, slice_of(name)));
    }
    return build->out_of_memory || json_in_ended(&json);
}
