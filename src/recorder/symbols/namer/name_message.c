/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/namer/name_message.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "sandbox/line.h"
#include "symbols/namer/name_client.h"

#define NICE_LEAST     (-20)
#define NICE_MOST      19
#define TEXT_BYTES_MAX 65536u /* as of text_pool.c */

static bool put(char *to, size_t room, const char *text)
{
    size_t const size = strlen(text);
    if (size >= room)
        return false;
    memcpy(to, text, size + 1);
    return true;
}

bool name_question_fill(struct name_question *question, const struct resolver_module *module,
                        const uint64_t *addresses, size_t count)
{
    if (count == 0 || count > NAME_ADDRESSES_MAX)
        return false;
    question->order = NAME_ASK;
    question->count = (uint32_t)count;
    memcpy(question->addresses, addresses, count * sizeof(addresses[0]));
    return put(question->root, sizeof(question->root), module->root) &&
           put(question->build_id, sizeof(question->build_id), module->build_id) &&
           put(question->path, sizeof(question->path), module->path);
}

bool name_question_is_valid(const struct name_question *question)
{
    return question->order <= NAME_REST && question->count <= NAME_ADDRESSES_MAX &&
           question->nice >= NICE_LEAST && question->nice <= NICE_MOST &&
           memchr(question->root, '\0', sizeof(question->root)) &&
           memchr(question->build_id, '\0', sizeof(question->build_id)) &&
           memchr(question->path, '\0', sizeof(question->path));
}

bool name_head_is_valid(const struct name_head *head)
{
    if (head->reply == NAME_OPEN)
        return foreign_request_is_valid(&head->file);
    return head->reply == NAME_ANSWER && head->count <= RESOLVED_MAX &&
           head->body_bytes <= NAME_BODY_MAX &&
           head->body_bytes >= head->count * sizeof(struct name_entry) &&
           (head->count > 0 || head->body_bytes == 0);
}

static char *append(char *at, const char *text, uint32_t *bytes)
{
    size_t const size = strnlen(text, TEXT_BYTES_MAX);
    memcpy(at, text, size);
    *bytes = (uint32_t)size;
    return at + size;
}

char *name_body_make(const struct resolved *names, size_t count, size_t *bytes)
{
    size_t room = count * sizeof(struct name_entry) + 1;
    for (size_t i = 0; i < count; i++)
        room += strnlen(names[i].function, TEXT_BYTES_MAX) +
                strnlen(names[i].symbol, TEXT_BYTES_MAX) + strnlen(names[i].file, TEXT_BYTES_MAX);
    char *body = malloc(room);
    if (!body)
        return NULL;
    char *at = body + count * sizeof(struct name_entry);
    for (size_t i = 0; i < count; i++) {
        struct name_entry entry = {.line = names[i].line};
        at = append(at, names[i].function, &entry.function_bytes);
        at = append(at, names[i].symbol, &entry.symbol_bytes);
        at = append(at, names[i].file, &entry.file_bytes);
        memcpy(body + i * sizeof(entry), &entry, sizeof(entry));
    }
    *bytes = (size_t)(at - body);
    return body;
}

int name_answer_send(int line, const struct name_answer *answer, uint64_t memory_bytes,
                     uint64_t worked_ns)
{
    static struct name_head head;
    size_t bytes = 0;
    char *body = answer->count ? name_body_make(answer->names, answer->count, &bytes) : NULL;
    memset(&head, 0, sizeof(head));
    head.reply = NAME_ANSWER;
    head.count = body ? answer->count : 0;
    head.into_function = answer->into_function;
    head.body_bytes = (uint32_t)bytes;
    head.memory_bytes = memory_bytes;
    head.worked_ns = worked_ns;
    int err = line_send(line, &head, sizeof(head), NULL, 0);
    for (size_t at = 0; !err && at < bytes; at += NAME_PART_BYTES) {
        size_t const rest = bytes - at;
        err = line_send(line, body + at, rest < NAME_PART_BYTES ? rest : NAME_PART_BYTES, NULL, 0);
    }
    free(body);
    return err;
}

/* The next text of the body, as one of ours behind the names. */
static const char *copy_text(const char **from, uint32_t size, char **to)
{
    char *const text = *to;
    memcpy(text, *from, size);
    text[size] = '\0';
    utf8_tame(text, '?', "");
    *from += size;
    *to += size + 1;
    return text;
}

struct resolved *name_body_parse(const char *body, size_t bytes, size_t count)
{
    size_t const before = count * sizeof(struct name_entry);
    size_t texts = 0;
    if (count > RESOLVED_MAX || bytes < before || bytes > NAME_BODY_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        struct name_entry entry;
        memcpy(&entry, body + i * sizeof(entry), sizeof(entry));
        if (entry.function_bytes > TEXT_BYTES_MAX || entry.symbol_bytes > TEXT_BYTES_MAX ||
            entry.file_bytes > TEXT_BYTES_MAX)
            return NULL;
        texts += entry.function_bytes + entry.symbol_bytes + entry.file_bytes;
    }
    if (texts != bytes - before)
        return NULL;
    struct resolved *names = malloc(count * sizeof(*names) + texts + 3 * count + 1);
    if (!names)
        return NULL;
    const char *from = body + before;
    char *to = (char *)&names[count];
    for (size_t i = 0; i < count; i++) {
        struct name_entry entry;
        memcpy(&entry, body + i * sizeof(entry), sizeof(entry));
        names[i].line = entry.line;
        names[i].function = copy_text(&from, entry.function_bytes, &to);
        names[i].symbol = copy_text(&from, entry.symbol_bytes, &to);
        names[i].file = copy_text(&from, entry.file_bytes, &to);
    }
    return names;
}
