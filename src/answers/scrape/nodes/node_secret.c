/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/node_secret.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text_file.h"

#define TOKEN_FILE_MAX 65536u

bool node_secret_is_clean(const char *text)
{
    for (const char *letter = text; *letter; letter++)
        if ((unsigned char)*letter < ' ' || *letter == 0x7f)
            return false;
    return text[0] != '\0';
}

bool node_secret_is_open(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (about.st_mode & S_IROTH);
}

static char *first_line(struct slice text)
{
    const char *end = memchr(text.data, '\n', text.size);
    size_t size = end ? (size_t)(end - text.data) : text.size;
    while (size > 0 && strchr(" \t\r", text.data[size - 1]) && text.data[size - 1])
        size--;
    while (size > 0 && (text.data[0] == ' ' || text.data[0] == '\t')) {
        text.data++;
        size--;
    }
    char *line = memchr(text.data, '\0', size) ? strdup("\n") : strndup(text.data, size);
    return line;
}

int node_secret_read_file(const char *path, char **token, struct fault *fault)
{
    struct slice text;
    *token = NULL;
    int const err = text_file_read(path, TOKEN_FILE_MAX, &text, fault);
    if (err)
        return err;
    char *line = first_line(text);
    explicit_bzero((char *)text.data, text.size);
    text_file_free(text);
    if (!line)
        return fault_set(fault, -ENOMEM, "not enough memory for a token");
    if (!node_secret_is_clean(line)) {
        free(line);
        return fault_set(fault, -EINVAL, "%s has no token in its first line", path);
    }
    *token = line;
    return 0;
}

int node_secret_read(const struct node_secret *secret, char **token, struct fault *fault)
{
    *token = NULL;
    if (secret->file)
        return node_secret_read_file(secret->file, token, fault);
    const char *text = secret->variable ? getenv(secret->variable) : secret->text;
    if (secret->variable && (!text || !node_secret_is_clean(text)))
        return fault_set(
            fault, -ENOENT,
            "the environment has no token in the variable %s; export it, or use token_file",
            secret->variable);
    if (text && !(*token = strdup(text)))
        return fault_set(fault, -ENOMEM, "not enough memory for a token");
    return 0;
}

void node_secret_fini(struct node_secret *secret)
{
    free(secret->file);
    free(secret->variable);
    free(secret->text);
    *secret = (struct node_secret){.file = NULL};
}
