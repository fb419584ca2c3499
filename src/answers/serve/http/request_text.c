/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/request_text.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "base/human.h"

#define NAME_MOST 255

static bool is_port(struct slice text)
{
    if (text.size == 0 || text.size > 5)
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (!isdigit((unsigned char)text.data[i]))
            return false;
    return true;
}

static bool is_name(struct slice text, const char *also)
{
    if (text.size == 0 || text.size > NAME_MOST)
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (!isalnum((unsigned char)text.data[i]) && (!text.data[i] || !strchr(also, text.data[i])))
            return false;
    return true;
}

/* What follows the name: nothing, or a colon and a port. */
static bool is_rest(struct slice rest)
{
    return rest.size == 0 ||
           (rest.data[0] == ':' && is_port((struct slice){rest.data + 1, rest.size - 1}));
}

bool host_parse(struct slice host, struct slice *name)
{
    bool const bracketed = host.size > 0 && host.data[0] == '[';
    const char *from = host.data + (bracketed ? 1 : 0);
    size_t const size = host.size - (bracketed ? 1 : 0);
    const char *end = size ? memchr(from, bracketed ? ']' : ':', size) : NULL;
    if (bracketed && !end)
        return false;
    *name = (struct slice){from, end ? (size_t)(end - from) : size};
    if (bracketed)
        end++;
    struct slice const rest = {end, end ? (size_t)(host.data + host.size - end) : 0};
    return is_name(*name, bracketed ? ":." : "-._") && is_rest(rest);
}

bool host_is_loopback(struct slice name)
{
    char text[64];
    struct in_addr v4;
    struct in6_addr v6;
    if (name.size == 0 || name.size >= sizeof(text))
        return false;
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
    if (strlen(text) != name.size)
        return false;
    if (strcasecmp(text, "localhost") == 0)
        return true;
    if (inet_pton(AF_INET, text, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, text, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool bearer_parse(struct slice authorization, struct slice *token)
{
    static const char scheme[] = "Bearer ";
    size_t at = sizeof(scheme) - 1;
    if (authorization.size < at || strncasecmp(authorization.data, scheme, at) != 0)
        return false;
    while (at < authorization.size && authorization.data[at] == ' ')
        at++;
    *token = (struct slice){authorization.data + at, authorization.size - at};
    return token->size > 0;
}

bool token_equals(struct slice given, struct slice known)
{
    unsigned char volatile differs = (unsigned char)(given.size != known.size || !known.size);
    for (size_t i = 0; i < given.size && known.size; i++)
        differs =
            (unsigned char)(differs | (unsigned char)(given.data[i] ^ known.data[i % known.size]));
    return !differs;
}

static struct slice trim(struct slice text)
{
    while (text.size && (text.data[0] == ' ' || text.data[0] == '\t'))
        text.data++, text.size--;
    while (text.size && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t'))
        text.size--;
    return text;
}

/* Consumes what is before `mark` (or all) at the front of `text`. */
static struct slice consume_part(struct slice *text, char mark)
{
    const char *end = text->size ? memchr(text->data, mark, text->size) : NULL;
    struct slice const part = {text->data, end ? (size_t)(end - text->data) : text->size};
    size_t const used = part.size + (end ? 1 : 0);
    if (used)
        *text = (struct slice){text->data + used, text->size - used};
    return trim(part);
}

static bool is_text(struct slice part, const char *text)
{
    return part.size == strlen(text) && strncasecmp(part.data, text, part.size) == 0;
}

/* Thousandths of "0.25"; anything odd is the 1 that a missing weight is. */
static unsigned weight_parse(struct slice text)
{
    unsigned weight, digit = 100;
    if (text.size == 0 || (text.data[0] != '0' && text.data[0] != '1'))
        return 1000;
    weight = text.data[0] == '1' ? 1000 : 0;
    for (size_t i = 2; i < text.size && digit && isdigit((unsigned char)text.data[i]); i++) {
        weight += (unsigned)(text.data[i] - '0') * digit;
        digit /= 10;
    }
    return weight > 1000 ? 1000 : weight;
}

/* The weight, in thousandths, that an Accept header gives to a type; 0 when it is not in it. */
static unsigned accept_weight(struct slice accept, const char *type)
{
    unsigned most = 0;
    while (accept.size) {
        struct slice item = consume_part(&accept, ',');
        bool const is_meant = is_text(consume_part(&item, ';'), type);
        unsigned weight = 1000;
        while (is_meant && item.size) {
            struct slice const parameter = consume_part(&item, ';');
            if (parameter.size >= 2 && strncasecmp(parameter.data, "q=", 2) == 0)
                weight = weight_parse((struct slice){parameter.data + 2, parameter.size - 2});
        }
        if (is_meant && weight > most)
            most = weight;
    }
    return most;
}

bool accepts_openmetrics(struct slice accept)
{
    unsigned const weight = accept_weight(accept, "application/openmetrics-text");
    return weight > 0 && weight >= accept_weight(accept, "text/plain");
}

bool accepts_type(struct slice accept, const char *type)
{
    return accept_weight(accept, type) > 0;
}

int number_parse(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
    uint64_t found;
    int const err = human_parse_count(text, &found);
    if (err)
        return err;
    if (found < least || found > most)
        return -ERANGE;
    *number = found;
    return 0;
}
