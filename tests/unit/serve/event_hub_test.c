/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/event_hub.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "check.h"

/* Stands for a connection. */
struct line {
    int pauses, resumes;
    bool has_left;
};

static void pause_it(void *connection)
{
    ((struct line *)connection)->pauses++;
}

static void resume_it(void *connection)
{
    ((struct line *)connection)->resumes++;
}

static bool has_left(void *connection)
{
    return ((struct line *)connection)->has_left;
}

static struct answer_stream listen_to(struct event_hub *hub, uint64_t after, struct line *line)
{
    char *hello = strdup("hello\n\n");
    struct answer_stream stream = event_hub_listen(hub, after, hello, strlen(hello));
    if (stream.state)
        stream.attach(stream.state, (struct stream_line){line, pause_it, resume_it, has_left});
    else
        free(hello);
    return stream;
}

/* All that a stream has to say until it pauses or ends; `piece` bytes at a time. */
static const char *hear(struct answer_stream *stream, size_t piece, bool *is_over)
{
    static char text[1 << 16];
    size_t size = 0, got;
    while ((got = stream->fill(stream->state, text + size, piece)) != STREAM_PAUSED && got > 0)
        size += got;
    text[size] = '\0';
    *is_over = got == 0;
    return text;
}

static void tell(struct event_hub *hub, const char *data)
{
    event_hub_tell(hub, "grown", data, strlen(data));
}

/* The number behind the first "id: ". */
static uint64_t first_id(const char *text)
{
    const char *id = strstr(text, "id: ");
    return id ? strtoull(id + 4, NULL, 10) : 0;
}

TEST(a_listener_hears_hello_then_events_and_pauses_between)
{
    struct event_hub *hub = event_hub_create();
    struct line line = {0};
    bool is_over;
    tell(hub, "before");
    struct answer_stream stream = listen_to(hub, 0, &line);
    CHECK(event_hub_is_heard(hub));
    assert_string_equal(hear(&stream, 100, &is_over), "hello\n\n");
    CHECK(!is_over && line.pauses == 1 && line.resumes == 0);
    tell(hub, "{\"a\":1}");
    tell(hub, "{}");
    CHECK(line.resumes == 1);
    const char *text = hear(&stream, 7, &is_over);
    CHECK(strstr(text, "event: grown\ndata: {\"a\":1}\n\nid: ") && !strstr(text, "before"));
    CHECK(strcmp(text + strlen(text) - 10, "data: {}\n\n") == 0);
    CHECK(!is_over && line.pauses == 2);
    stream.close(stream.state);
    CHECK(!event_hub_is_heard(hub));
    event_hub_destroy(hub);
}

TEST(one_who_comes_back_goes_on_where_he_was)
{
    struct event_hub *hub = event_hub_create();
    struct line line = {0};
    bool is_over;
    struct answer_stream stream = listen_to(hub, 0, &line);
    tell(hub, "one");
    tell(hub, "two");
    uint64_t const one = first_id(hear(&stream, 1000, &is_over));
    stream.close(stream.state);
    stream = listen_to(hub, one, &line);
    const char *text = hear(&stream, 1000, &is_over);
    CHECK(first_id(text) == one + 1 && !strstr(text, "hello") && strstr(text, "data: two"));
    stream.close(stream.state);
    stream = listen_to(hub, one + 1000, &line); /* of another server */
    assert_string_equal(hear(&stream, 1000, &is_over), "hello\n\n");
    stream.close(stream.state);
    event_hub_destroy(hub);
}

TEST(one_who_does_not_read_is_ended)
{
    struct event_hub *hub = event_hub_create();
    struct line line = {0};
    bool is_over;
    struct answer_stream stream = listen_to(hub, 0, &line);
    hear(&stream, 1000, &is_over);
    for (int i = 0; i < EVENTS_KEPT; i++)
        tell(hub, "x");
    CHECK(strlen(hear(&stream, 1000, &is_over)) > EVENTS_KEPT && !is_over);
    for (int i = 0; i < EVENTS_KEPT + 1; i++)
        tell(hub, "x");
    assert_string_equal(hear(&stream, 1000, &is_over), "");
    CHECK(is_over);
    stream.close(stream.state);
    event_hub_destroy(hub);
}

TEST(there_are_only_so_many)
{
    struct event_hub *hub = event_hub_create();
    struct line line = {0};
    struct answer_stream streams[LISTENERS_MOST];
    for (int i = 0; i < LISTENERS_MOST; i++) {
        streams[i] = listen_to(hub, 0, &line);
        CHECK(streams[i].state != NULL);
    }
    CHECK(listen_to(hub, 0, &line).state == NULL);
    streams[7].close(streams[7].state);
    streams[7] = listen_to(hub, 0, &line);
    CHECK(streams[7].state != NULL);
    for (int i = 0; i < LISTENERS_MOST; i++)
        streams[i].close(streams[i].state);
    event_hub_destroy(hub);
}

TEST(silence_is_broken_and_who_left_is_let_go)
{
    struct event_hub *hub = event_hub_create();
    struct line stays = {0}, leaves = {0};
    bool is_over;
    struct answer_stream first = listen_to(hub, 0, &stays), second = listen_to(hub, 0, &leaves);
    hear(&first, 1000, &is_over);
    hear(&second, 1000, &is_over);
    event_hub_tend(hub, monotonic_ns());
    CHECK(stays.resumes == 0 && leaves.resumes == 0);
    leaves.has_left = true;
    event_hub_tend(hub, monotonic_ns());
    CHECK(stays.resumes == 0 && leaves.resumes == 1);
    hear(&second, 1000, &is_over);
    CHECK(is_over);
    event_hub_tend(hub, monotonic_ns() + UINT64_C(16000000000));
    CHECK(stays.resumes == 1);
    CHECK(hear(&first, 1000, &is_over)[0] == ':' && !is_over);
    first.close(first.state);
    second.close(second.state);
    event_hub_destroy(hub);
}

TEST(the_end_ends_all)
{
    struct event_hub *hub = event_hub_create();
    struct line line = {0};
    bool is_over;
    struct answer_stream stream = listen_to(hub, 0, &line);
    hear(&stream, 1000, &is_over);
    event_hub_end(hub);
    CHECK(line.resumes == 1);
    assert_string_equal(hear(&stream, 1000, &is_over), "");
    CHECK(is_over && line.pauses == 1);
    CHECK(listen_to(hub, 0, &line).state == NULL);
    stream.close(stream.state);
    event_hub_destroy(hub);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_listener_hears_hello_then_events_and_pauses_between),
        cmocka_unit_test(one_who_comes_back_goes_on_where_he_was),
        cmocka_unit_test(one_who_does_not_read_is_ended),
        cmocka_unit_test(there_are_only_so_many),
        cmocka_unit_test(silence_is_broken_and_who_left_is_let_go),
        cmocka_unit_test(the_end_ends_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
