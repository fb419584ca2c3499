/* SPDX-License-Identifier: Apache-2.0 */
/* node_folder.c - reads the data folder of a node, where the node writes its address, its tokens
 * and its PID. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text_file.h"
#include "cluster/runs/host_port.h"
#include "scrape/nodes/node_address.h"
#include "scrape/nodes/node_inputs.h"
#include "scrape/nodes/node_make.h"
#include "scrape/nodes/node_secret.h"

#define ADDRESS_FILE_MAX 4096u

static int no_memory(struct fault *fault)
{
    return fault_set(fault, -ENOMEM, "not enough memory for the nodes");
}

/* The class whose address_file is in the folder; the newest of several. */
static const struct node_class *class_of_folder(const struct node_list *list, const char *path,
                                                const char *wanted)
{
    for (size_t i = list->classes.count; i > 0; i--) {
        const struct node_class *class = list->classes.items[i - 1];
        char *file = NULL;
        if (!class->address_file || (wanted && strcmp(class->name, wanted) != 0))
            continue;
        if (asprintf(&file, "%s/%s", path, class->address_file) < 0)
            return NULL;
        bool const is_there = access(file, F_OK) == 0;
        free(file);
        if (is_there)
            return class;
    }
    return NULL;
}

/* The text without blanks around it; the caller's. */
static char *read_trimmed(const char *folder, const char *name, struct fault *fault)
{
    struct slice text, rest;
    char *path = NULL, *trimmed = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0) {
        no_memory(fault);
        return NULL;
    }
    if (text_file_read(path, ADDRESS_FILE_MAX, &text, fault) == 0) {
        rest = text;
        while (rest.size > 0 && isspace((unsigned char)rest.data[rest.size - 1]))
            rest.size--;
        while (rest.size > 0 && isspace((unsigned char)rest.data[0]))
            rest = (struct slice){rest.data + 1, rest.size - 1};
        trimmed = strndup(rest.data, rest.size);
        if (!trimmed)
            no_memory(fault);
        text_file_free(text);
    }
    free(path);
    return trimmed;
}

/* A node that listens on all addresses is asked at the loopback one. */
static void mend_unspecified(char **text)
{
    struct host_port host;
    char shown[HOST_PORT_TEXT_MAX];
    if (host_port_parse(slice_of(*text), &host) != 0)
        return;
    if (strcmp(host.host, "0.0.0.0") == 0)
        strcpy(host.host, "127.0.0.1");
    else if (strcmp(host.host, "::") == 0)
        strcpy(host.host, "::1");
    else
        return;
    char *mended = strdup(host_port_render(&host, shown));
    if (mended) {
        free(*text);
        *text = mended;
    }
}

static int read_token(struct node_list *list, const char *folder, const char *name, char **token)
{
    char *path = NULL, *found = NULL;
    struct fault why = {.text = ""};
    if (!name)
        return 0;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return -ENOMEM;
    int err = node_secret_read_file(path, &found, &why);
    if (err == 0) {
        free(*token);
        *token = found;
    } else if (!*token) {
        err = node_list_doubt(list, "%s: requests that need this token will be refused", why.text);
    } else {
        err = 0;
    }
    free(path);
    return err;
}

static int read_address(struct node *node, const char *folder, struct fault *fault)
{
    struct fault why = {.text = ""};
    char *address = read_trimmed(folder, node->class->address_file, fault);
    if (!address)
        return -EINVAL;
    mend_unspecified(&address);
    int err = node_set_address(node, address, node->class->port, &why);
    if (err)
        fault_set(fault, err, "%s/%s: %s", folder, node->class->address_file, why.text);
    free(address);
    return err;
}

static int fill(struct node_list *list, struct node *node, const char *folder, struct fault *fault)
{
    const struct node_class *class = node->class;
    const char *slash = strrchr(folder, '/');
    if (!node->nick && !node_set(&node->nick, slash ? slash + 1 : folder))
        return no_memory(fault);
    int err =
        node_set(&node->folder, folder) ? read_address(node, folder, fault) : no_memory(fault);
    if (!err && (read_token(list, folder, class->token_file, &node->token) != 0 ||
                 read_token(list, folder, class->admin_token_file, &node->admin_token) != 0))
        err = no_memory(fault);
    if (!err && class->pid_file && !node->has_process) {
        node->has_process = true;
        if (asprintf(&node->process.pid_file, "%s/%s", folder, class->pid_file) < 0)
            err = no_memory(fault);
    }
    return err;
}

static bool reread_token(const char *folder, const char *name, char **token)
{
    char *path = NULL, *found = NULL;
    bool is_new = false;
    if (!name || asprintf(&path, "%s/%s", folder, name) < 0)
        return false;
    if (node_secret_read_file(path, &found, NULL) == 0 && (!*token || strcmp(found, *token) != 0)) {
        char *const old = *token;
        *token = found;
        found = old;
        is_new = true;
    }
    free(found);
    free(path);
    return is_new;
}

bool node_reread(struct node *node)
{
    /* Its paths are put behind the new address, so what was made of the old one must go; it
     * comes back if there is no new one. */
    char *const base = node->base_url, *const metrics = node->metrics_url,
                *const pprof = node->pprof_url;
    bool is_new;

    if (!node->folder || !node->class)
        return false;
    node->base_url = node->metrics_url = node->pprof_url = NULL;
    if (read_address(node, node->folder, NULL) == 0) {
        is_new = !base || strcmp(base, node->base_url) != 0;
        free(base);
        free(metrics);
        free(pprof);
    } else {
        free(node->base_url);
        free(node->metrics_url);
        free(node->pprof_url);
        node->base_url = base;
        node->metrics_url = metrics;
        node->pprof_url = pprof;
        is_new = false;
    }
    is_new |= reread_token(node->folder, node->class->token_file, &node->token);
    return reread_token(node->folder, node->class->admin_token_file, &node->admin_token) || is_new;
}

/* Without slashes at its end, and "." and ".." by their names. */
static char *plain_path(const char *path)
{
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--;
    char *plain = strndup(path, size);
    const char *slash = plain ? strrchr(plain, '/') : NULL;
    const char *last = slash ? slash + 1 : plain;
    if (plain && (strcmp(last, ".") == 0 || strcmp(last, "..") == 0 || !last[0])) {
        char *real = realpath(plain, NULL);
        if (real) {
            free(plain);
            plain = real;
        }
    }
    return plain;
}

int node_folder_read(struct node_list *list, const char *path, const struct node_pattern *pattern,
                     struct fault *fault)
{
    const char *wanted = pattern->options ? pattern->options->class_name : NULL;
    char *folder = plain_path(path);
    if (!folder)
        return no_memory(fault);
    const struct node_class *class = class_of_folder(list, folder, wanted);
    int err = 0;
    if (!class) {
        const struct node_class *named = wanted ? node_class_find(list, wanted) : NULL;
        err = node_list_doubt(
            list, "%s is left out: the folder has no %s, which a node writes when it starts", path,
            named && named->address_file ? named->address_file : "algod.net");
        free(folder);
        return err ? no_memory(fault) : 0;
    }
    struct node *node = node_of_pattern(list, pattern, class->name, fault);
    err = node ? fill(list, node, folder, fault) : -ENOMEM;
    if (err)
        node_destroy(node);
    else
        err = node_list_take(list, node, fault);
    free(folder);
    return err;
}
