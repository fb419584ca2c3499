/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "cluster/runs/host_port.h"
#include "cluster/runs/inventory_build.h"

static struct slice trim(struct slice text)
{
    while (text.size > 0 && isspace((unsigned char)text.data[0]))
        text = (struct slice){text.data + 1, text.size - 1};
    while (text.size > 0 && isspace((unsigned char)text.data[text.size - 1]))
        text.size--;
    return text;
}

static struct slice first_word(struct slice text)
{
    size_t size = 0;
    while (size < text.size && !isspace((unsigned char)text.data[size]))
        size++;
    return (struct slice){text.data, size};
}

/* A section's name; an address of IPv6 may stand in brackets as well, and is none. */
static bool section_name(struct slice line, struct slice *name)
{
    struct host_port host;
    const char *end = memchr(line.data, ']', line.size);
    if (line.data[0] != '[' || !end || host_port_parse(first_word(line), &host) == 0)
        return false;
    *name = trim((struct slice){line.data + 1, (size_t)(end - line.data) - 1});
    return true;
}

struct inventory_section {
    bool holds_hosts;
    size_t group;
};

static void begin_section(struct inventory_build *build, struct inventory_section *section,
                          struct slice name)
{
    bool const is_odd = name.size == 0 || memchr(name.data, '\0', name.size);
    section->holds_hosts = !is_odd && !memchr(name.data, ':', name.size);
    section->group = INVENTORY_NO_GROUP;
    build->inventory->odd_lines += is_odd;
    if (section->holds_hosts)
        section->group = inventory_add_group(build, name);
}

static void parse_line(struct inventory_build *build, struct inventory_section *section,
                       struct slice line)
{
    struct slice name;
    if (line.size == 0 || line.data[0] == '#' || line.data[0] == ';')
        return;
    if (section_name(line, &name)) {
        begin_section(build, section, name);
    } else if (section->holds_hosts) {
        if (section->group == INVENTORY_NO_GROUP) /* hosts before the first section */
            section->group = inventory_add_group(build, slice_of("ungrouped"));
        inventory_add_host(build, section->group, first_word(line));
    }
}

void inventory_parse_ini(struct inventory_build *build, struct slice text)
{
    struct inventory_section section = {.holds_hosts = true, .group = INVENTORY_NO_GROUP};
    if (text.size >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0)
        text = (struct slice){text.data + 3, text.size - 3};
    while (text.size > 0 && !build->out_of_memory) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t const size = end ? (size_t)(end - text.data) : text.size;
        parse_line(build, &section, trim((struct slice){text.data, size}));
        size_t const used = end ? size + 1 : size;
        text = (struct slice){text.data + used, text.size - used};
    }
}
