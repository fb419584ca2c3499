/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/runs/inventory.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/text_file.h"
#include "cluster/runs/host_port.h"
#include "cluster/runs/inventory_build.h"

#define TEXT_MAX (8u << 20)

/* A key of a number_map, which is never 0. */
static uint64_t key_of(uint64_t hash)
{
    return hash ? hash : 1;
}

size_t inventory_add_group(struct inventory_build *build, struct slice name)
{
    struct inventory *inventory = build->inventory;
    uint32_t *first = number_map_at(&build->groups, key_of(hash_bytes(name.data, name.size)));
    size_t const count = inventory->groups.count;
    for (size_t i = first && *first ? *first - 1 : count; i < count; i++)
        if (slice_equals(slice_of(inventory->groups.items[i].name), name))
            return i;
    struct inventory_group group = {.name = first ? strndup(name.data, name.size) : NULL};
    if (!group.name || !vec_push(&inventory->groups, group)) {
        free(group.name);
        build->out_of_memory = true;
        return INVENTORY_NO_GROUP;
    }
    if (!*first)
        *first = (uint32_t)count + 1;
    return count;
}

static uint64_t host_key(size_t group, struct slice host)
{
    uint64_t hash = group;
    for (size_t i = 0; i < host.size; i++)
        hash = hash_mix(hash ^ (uint64_t)tolower((unsigned char)host.data[i])) + i;
    return key_of(hash_mix(hash));
}

static bool same_text(const char *text, struct slice other)
{
    return strlen(text) == other.size && strncasecmp(text, other.data, other.size) == 0;
}

void inventory_add_host(struct inventory_build *build, size_t group, struct slice host)
{
    struct host_port parsed;
    if (group == INVENTORY_NO_GROUP)
        return;
    if (host_port_parse(host, &parsed) != 0) {
        build->inventory->odd_lines++;
        return;
    }
    struct inventory_group *into = &build->inventory->groups.items[group];
    uint32_t *first = number_map_at(&build->hosts, host_key(group, host));
    for (size_t i = first && *first ? *first - 1 : into->hosts.count; i < into->hosts.count; i++)
        if (same_text(into->hosts.items[i], host))
            return;
    char *text = first ? strndup(host.data, host.size) : NULL;
    if (!text || !vec_push(&into->hosts, text)) {
        free(text);
        build->out_of_memory = true;
    } else if (!*first) {
        *first = (uint32_t)into->hosts.count;
    }
}

static bool looks_like_json(struct slice text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!isspace((unsigned char)text.data[i]))
            return text.data[i] == '{';
    return false;
}

int inventory_read(struct inventory *inventory, struct slice text, struct fault *fault)
{
    struct inventory_build build = {.inventory = inventory};
    *inventory = (struct inventory){.odd_lines = 0};
    if (text.size > TEXT_MAX)
        return fault_set(fault, -EFBIG, "the file is larger than 8 MiB, so it is not an inventory");
    bool const is_json = looks_like_json(text);
    bool is_whole = true;
    if (is_json)
        is_whole = inventory_parse_json(&build, text);
    else
        inventory_parse_ini(&build, text);
    number_map_fini(&build.groups);
    number_map_fini(&build.hosts);
    int err = 0;
    if (build.out_of_memory)
        err = fault_set(fault, -ENOMEM, "not enough memory for the inventory");
    else if (!is_whole)
        err = fault_set(fault, -EBADMSG,
                        "the inventory is invalid JSON; make it again with terraform-inventory "
                        "--list");
    else if (inventory->groups.count == 0)
        err = fault_set(fault, -EBADMSG,
                        "the inventory has no groups of hosts: it must have [sections] with one "
                        "host per line, or be JSON of groups");
    if (err)
        inventory_fini(inventory);
    return err;
}

int inventory_read_file(struct inventory *inventory, const char *path, struct fault *fault)
{
    struct slice text;
    struct fault inner = {.text = ""};
    *inventory = (struct inventory){.odd_lines = 0};
    int err = text_file_read(path, TEXT_MAX, &text, fault);
    if (err)
        return err;
    err = inventory_read(inventory, text, &inner);
    text_file_free(text);
    return err ? fault_set(fault, err, "%s: %s", path, inner.text) : 0;
}

void inventory_fini(struct inventory *inventory)
{
    vec_each (group, &inventory->groups) {
        free(group->name);
        vec_each (host, &group->hosts)
            free(*host);
        vec_free(&group->hosts);
    }
    vec_free(&inventory->groups);
}

/* How well a host of the inventory is the one of a nick: 2 with its port, 1 when only one of
 * them has a port, 0 not at all. */
static int closeness(const struct host_port *nick, const char *host_text)
{
    struct host_port host;
    if (!nick->is_ipv6 && strncasecmp(host_text, nick->host, strlen(nick->host)) != 0)
        return 0; /* most of thousands, at once */
    if (host_port_parse(slice_of(host_text), &host) != 0 || !host_equals(nick, &host))
        return 0;
    return nick->port == host.port ? 2 : nick->port == 0 || host.port == 0 ? 1 : 0;
}

static const char *group_of(const struct inventory *inventory, const struct host_port *nick,
                            const char *prefix, int *best)
{
    const char *found = NULL;
    size_t const skip = strlen(prefix);
    vec_each (group, &inventory->groups) {
        if (strncasecmp(group->name, prefix, skip) != 0 || !group->name[skip])
            continue;
        vec_each (host, &group->hosts) {
            int const close = closeness(nick, *host);
            if (close > *best) {
                *best = close;
                found = group->name + skip;
            }
        }
    }
    return found;
}

/* "2001:db8::1:8580" is an address by itself, or one with a port: who wrote it did not use
 * brackets. */
static bool without_last_part(const char *nick, struct host_port *out)
{
    const char *colon = strrchr(nick, ':');
    struct host_port port;
    char number[16];
    if (!colon || strlen(colon) >= sizeof(number) - 1)
        return false;
    number[0] = 'x';
    strcpy(number + 1, colon);
    if (host_port_parse(slice_of(number), &port) != 0 ||
        host_port_parse((struct slice){nick, (size_t)(colon - nick)}, out) != 0 || !out->is_ipv6)
        return false;
    out->port = port.port;
    return true;
}

static const char *find_group(const struct inventory *inventory, const char *nick,
                              const char *prefix)
{
    struct host_port host;
    int best = 0;
    const char *found = NULL;
    if (host_port_parse(slice_of(nick), &host) == 0)
        found = group_of(inventory, &host, prefix, &best);
    if (!found && without_last_part(nick, &host))
        found = group_of(inventory, &host, prefix, &best);
    return found;
}

const char *inventory_name_of(const struct inventory *inventory, const char *nick)
{
    return find_group(inventory, nick, "name_");
}

const char *inventory_role_of(const struct inventory *inventory, const char *nick)
{
    static const char *const known[][2] = {
        {"relay", "relay"}, {"node", "node"}, {"npn", "npn"}, {"nonparticipatingnode", "npn"}};
    const char *role = find_group(inventory, nick, "role_");
    for (size_t i = 0; role && i < sizeof(known) / sizeof(known[0]); i++)
        if (strcasecmp(role, known[i][0]) == 0)
            return known[i][1];
    return role;
}

const char *role_of_name(const char *name)
{
    if (strncasecmp(name, "npn", 3) == 0)
        return "npn";
    return name[0] == 'r' || name[0] == 'R' ? "relay" : "node";
}
