/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/gate.h"

#include <string.h>
#include <strings.h>

#include "serve/http/request_text.h"

static struct gate_verdict refuse(unsigned status, const char *sentence)
{
    return (struct gate_verdict){.status = status, .sentence = sentence};
}

/* DNS rebinding: a foreign page can make its own host name resolve to us; then Host has that name.
 * Where a token is needed anyway, such a page has none. */
static bool knows_host(const struct server_options *options, const char *host)
{
    struct slice name;
    if (!host || !host_parse(slice_of(host), &name))
        return false;
    if (!options->address.is_loopback || host_is_loopback(name))
        return true;
    for (size_t i = 0; i < options->host_count; i++)
        if (strlen(options->hosts[i]) == name.size &&
            strncasecmp(options->hosts[i], name.data, name.size) == 0)
            return true;
    return false;
}

static bool has_token(const struct server_options *options, const char *authorization)
{
    struct slice given;
    return options->token && authorization && bearer_parse(slice_of(authorization), &given) &&
           token_equals(given, slice_of(options->token));
}

static bool is_known(const struct server_options *options, const struct visitor *visitor)
{
    return (options->trusts_own_user && visitor->owner.is_own) ||
           has_token(options, visitor->authorization);
}

/* The page asks for the token; there is nothing in it that it would protect. */
static bool is_page(const struct visitor *visitor)
{
    if (strcmp(visitor->path, "/") == 0)
        return visitor->accept && accepts_type(slice_of(visitor->accept), "text/html");
    return strcmp(visitor->path, "/page.js") == 0 || strcmp(visitor->path, "/page.css") == 0;
}

/* "http://" or "https://" and the Host that it calls us by. */
static bool is_ours(const char *origin, const char *host)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        size_t const size = strlen(schemes[i]);
        if (strncmp(origin, schemes[i], size) == 0 && strcasecmp(origin + size, host) == 0)
            return true;
    }
    return false;
}

/* The user follows a link, in a chat or a mail, to the page: in a window, not in a frame. */
static bool follows_link(const struct visitor *visitor)
{
    return strcmp(visitor->path, "/") == 0 && is_page(visitor) && !visitor->origin &&
           visitor->fetch_mode && strcmp(visitor->fetch_mode, "navigate") == 0 &&
           visitor->fetch_dest && strcmp(visitor->fetch_dest, "document") == 0 &&
           strcmp(visitor->method, "GET") == 0;
}

/* Referer tells nothing more: a page may leave it out. */
static bool is_of_another_page(const struct visitor *visitor)
{
    const char *site = visitor->fetch_site;
    if (visitor->origin && !is_ours(visitor->origin, visitor->host))
        return true;
    return site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0 &&
           !follows_link(visitor);
}

struct gate_verdict gate_judge(const struct server_options *options, const struct visitor *visitor)
{
    bool const shares = options->allow_origin && visitor->origin &&
                        strcmp(options->allow_origin, visitor->origin) == 0;
    if (!knows_host(options, visitor->host))
        return refuse(421, "The Host header has another host name: use localhost or 127.0.0.1, or "
                           "start memoir serve with --allow-host NAME.");
    if (!shares && is_of_another_page(visitor))
        return refuse(403, "This request comes from a page of another site: open the address "
                           "yourself, or start memoir serve with --allow-origin and the site.");
    if (shares && strcmp(visitor->method, "OPTIONS") == 0) /* browsers send no token with it */
        return (struct gate_verdict){
            .status = 204, .sentence = "", .preflight = true, .shares = true};
    if (!is_known(options, visitor) && !options->token)
        return refuse(403, "This server answers only the user who started it, and this connection "
                           "is of another user: ask that user to start memoir serve with "
                           "--token-file.");
    if (!is_known(options, visitor) && !is_page(visitor))
        return refuse(401, "This server needs its token: open the link that memoir serve printed, "
                           "or send \"Authorization: Bearer TOKEN\" with the token of that link or "
                           "of --token-file.");
    if (strcmp(visitor->method, "GET") != 0 && strcmp(visitor->method, "HEAD") != 0)
        return refuse(405, "Only GET and HEAD are served: nothing here can be changed.");
    return (struct gate_verdict){.shares = shares};
}

bool gate_is_here(const struct visitor *visitor)
{
    return visitor->owner.is_local && !visitor->forwarded;
}

bool gate_shows_addresses(const struct server_options *options, const struct visitor *visitor)
{
    return options->show_addresses || gate_is_here(visitor);
}
