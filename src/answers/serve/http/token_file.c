/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/token_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int parse_line(char *text, size_t size, const char *path, char *token, struct fault *fault)
{
    text[size] = '\0';
    char *from = text + strspn(text, " \t");
    size_t length = strcspn(from, "\r\n");
    while (length && (from[length - 1] == ' ' || from[length - 1] == '\t'))
        length--;
    if (length < TOKEN_LEAST || length > TOKEN_MOST)
        return fault_set(fault, -EINVAL,
                         "the token in %.200s has %zu characters, and must have %d to %d: make one "
                         "with head -c 32 /dev/urandom | base64",
                         path, length, TOKEN_LEAST, TOKEN_MOST);
    for (size_t i = 0; i < length; i++)
        if (from[i] <= ' ' || from[i] > '~')
            return fault_set(fault, -EINVAL,
                             "the token in %.200s has a blank or another character in it that "
                             "cannot be sent in a header",
                             path);
    memcpy(token, from, length);
    token[length] = '\0';
    return 0;
}

int token_file_read(const char *path, char token[TOKEN_MOST + 1], bool *others_may_read,
                    struct fault *fault)
{
    char text[2 * TOKEN_MOST + 1];
    struct stat status;
    int const fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fault_set(fault, -errno, "cannot read the token from %.200s: %s", path,
                         strerror(errno));
    ssize_t const size = read(fd, text, sizeof(text) - 1);
    int err = size < 0 ? -errno : 0;
    *others_may_read = fstat(fd, &status) == 0 && (status.st_mode & S_IROTH);
    close(fd);
    if (err)
        return fault_set(fault, err, "cannot read the token from %.200s: %s", path, strerror(-err));
    err = parse_line(text, (size_t)size, path, token, fault);
    explicit_bzero(text, sizeof(text));
    return err;
}

int token_make(char token[TOKEN_MOST + 1], struct fault *fault)
{
    unsigned char bytes[24];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return fault_set(fault, -EIO, "the kernel gives no random bytes for a token: %s",
                         strerror(errno));
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}
