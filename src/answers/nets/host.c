/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/host.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS_MAX 64

/* What runs there.  Each takes its arguments by read, from its input. */
static const char script_make[] =
    "umask 077; d=$(mktemp -d \"${TMPDIR:-/tmp}/memoir-net.XXXXXXXX\") && mkdir \"$d/bin\" && echo "
    "\"$d\" && tar -xzf - -C \"$d/bin\" && "
    "\"$d/bin/memoir\" --version >/dev/null && \"$d/bin/memoir\" net --help >/dev/null";
static const char script_template[] = "read -r d && exec cat >\"$d/template.yaml\"";
static const char script_up[] = "read -r d && set -- && while read -r w; do set -- \"$@\" \"$w\"; "
                                "done; cd \"$d\" && exec bin/memoir net up \"$@\" </dev/null";
static const char script_down[] =
    "read -r d && cd \"$d\" && exec bin/memoir net down net </dev/null";
static const char script_collect[] =
    "read -r d && cd \"$d/net\" && exec tar -czf - --exclude=./data .";
static const char script_clean[] =
    "read -r d && case $d in *..*) exit 1 ;; */memoir-net.*) rm -rf -- \"$d\" ;; *) exit 1 ;; esac";

static int call_simple(struct remote *remote, const char *script, const char *const *source,
                       struct fault *fault)
{
    char answer[4096];
    const char *const arguments[] = {remote->folder, NULL};
    struct ssh_call const call = {.script = script,
                                  .arguments = arguments,
                                  .source = source,
                                  .answer = answer,
                                  .size = sizeof(answer)};
    return ssh_run(&remote->target, &call, fault);
}

/* tar -chf - -C folder name -C folder name …; what is copied is named without its folder. */
static int pack_words(const char *const *files, text_list *words)
{
    bool good = text_list_add(words, "tar") && text_list_add(words, "-I") &&
                text_list_add(words, "gzip -1") && text_list_add(words, "-chf") &&
                text_list_add(words, "-");
    for (; good && *files; files++) {
        char *folder = strdup(*files), *name = strdup(*files);
        good = folder && name && text_list_add(words, "-C") &&
               text_list_add(words, dirname(folder)) && text_list_add(words, basename(name));
        free(folder);
        free(name);
    }
    return good && vec_push(words, NULL) ? 0 : -ENOMEM;
}

/* The folder is used in scripts, quoted; still it must look like what mktemp makes. */
static int make_folder(struct remote *remote, const text_list *pack, struct fault *fault)
{
    static const char *const none[] = {NULL};
    struct fault why = {0};
    struct ssh_call const call = {.script = script_make,
                                  .arguments = none,
                                  .source = (const char *const *)pack->items,
                                  .answer = remote->folder,
                                  .size = sizeof(remote->folder)};
    int const err = ssh_run(&remote->target, &call, &why);
    remote->folder[strcspn(remote->folder, "\r\n")] = '\0';
    bool const made = remote->folder[0] == '/' && strstr(remote->folder, "/memoir-net.");
    if (!made)
        remote->folder[0] = '\0';
    if (err == -EHOSTUNREACH)
        return fault_set(fault, err, "%s", why.text);
    if (err && made)
        return fault_set(
            fault, err,
            "memoir was copied but does not run there: %.300s; install the missing libraries on "
            "that host",
            why.text);
    if (err || !made)
        return fault_set(fault, -EIO, "no folder could be made there: %.300s", why.text);
    return 0;
}

int remote_prepare(struct remote *remote, const char *const *files, unsigned tries,
                   struct fault *fault)
{
    text_list pack = {0};
    int err = pack_words(files, &pack);
    if (err)
        fault_set(fault, err, "out of memory");
    else
        err = make_folder(remote, &pack, fault);
    for (; err == -EHOSTUNREACH && tries > 1; tries--) {
        sleep(3);
        err = make_folder(remote, &pack, fault);
    }
    text_list_fini(&pack);
    return err;
}

int remote_up(struct remote *remote, const char *template_file, const char *const *words,
              struct fault *fault)
{
    char answer[4096];
    const char *arguments[WORDS_MAX + 8];
    const char *const source[] = {"cat", "--", template_file, NULL};
    size_t count = 0;
    int err = template_file ? call_simple(remote, script_template, source, fault) : 0;
    arguments[count++] = remote->folder;
    if (template_file)
        arguments[count++] = "template.yaml";
    arguments[count++] = "-o";
    arguments[count++] = "net";
    for (; *words && count < WORDS_MAX + 7; words++)
        arguments[count++] = *words;
    arguments[count] = NULL;
    struct ssh_call const call = {
        .script = script_up, .arguments = arguments, .answer = answer, .size = sizeof(answer)};
    if (!err)
        err = ssh_run(&remote->target, &call, fault);
    remote->is_up = !err;
    return err;
}

int remote_down(struct remote *remote, struct fault *fault)
{
    int const err = remote->is_up ? call_simple(remote, script_down, NULL, fault) : 0;
    remote->is_up = remote->is_up && err;
    return err;
}

int remote_collect(struct remote *remote, const char *into, struct fault *fault)
{
    const char *const arguments[] = {remote->folder, NULL};
    const char *const sink[] = {"tar", "-xzf", "-", "--no-same-owner", "-C", into, NULL};
    struct ssh_call const call = {.script = script_collect, .arguments = arguments, .sink = sink};
    return ssh_run(&remote->target, &call, fault);
}

int remote_clean(struct remote *remote, struct fault *fault)
{
    int const err = remote->folder[0] ? call_simple(remote, script_clean, NULL, fault) : 0;
    if (!err)
        remote->folder[0] = '\0';
    return err;
}
