/* SPDX-License-Identifier: Apache-2.0 */
/* Every byte flipped, every length cut: the recording opens or is refused with a sentence, and what
 * was in other chunks is still right. */
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "store/read/chunk_scan.h"
#include "store/read/recording_reader.h"
#include "store/write/recording_writer.h"

#include "check.h"

#define ROUNDS 6

struct small_file {
    unsigned char *data;
    size_t size;
    struct sample_sums sums[ROUNDS]; /* by bucket */
    struct recording *original;
};

static struct small_file make_small_file(void)
{
    struct small_file file = {.original = recording_create()};
    struct recording *recording = file.original;
    char *path = sample_path();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    for (unsigned round = 0; round < ROUNDS; round++) {
        sample_add_tables(recording, round);
        if (round == 2)
            sample_set_pin(recording, 0, (struct pin){.kind = PIN_PEAK, .time_ns = 2}, 5);
        sample_add_bucket(recording, SAMPLE_SECOND, 12, round);
        sample_sum_bucket(&file.sums[round], &recording->buckets.items[round]);
        CHECK(recording_writer_append(writer, recording, NULL) == 0);
    }
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    file.data = sample_slurp(path, &file.size);
    sample_forget_path(path);
    return file;
}

static void free_small_file(struct small_file *file)
{
    free(file->data);
    recording_destroy(file->original);
}

/* How many buckets came through; each must be exactly right, and all indices valid. */
static unsigned check_what_is_left(struct small_file *file, struct recording *read)
{
    unsigned whole = 0;
    uint64_t end = read->buckets.count > 0 ? read->buckets.items[0].begin_ns : 0;
    vec_each (bucket, &read->buckets) {
        CHECK(bucket->begin_ns == end); /* without gaps, whatever was lost */
        end = bucket->end_ns;
        struct sample_sums sums = {0};
        size_t round = bucket->begin_ns / SAMPLE_SECOND;
        CHECK(round < ROUNDS && recording_load_bucket(read, bucket, NULL) == 0);
        if (bucket->gauges.rss_bytes < 0)
            continue; /* stands for one that was lost */
        for (size_t i = 0; i < bucket->cell_count; i++)
            CHECK(bucket->cells[i].key <= stack_table_count(read->stacks));
        for (size_t i = 0; i < bucket->thread_cell_count; i++)
            CHECK(bucket->thread_cells[i].key < read->threads.count);
        sample_sum_bucket(&sums, bucket);
        if (read->quality.damaged_chunks + read->quality.truncated_bytes == 0)
            assert_memory_equal(&sums, &file->sums[round], sizeof(sums));
        whole++;
    }
    for (stack_id id = 1; id <= stack_table_count(read->stacks); id++) {
        struct stack_link link = stack_table_innermost(read->stacks, id);
        CHECK(link.caller < id && link.frame < read->frames.count);
    }
    vec_each (frame, &read->frames) {
        CHECK(frame->module == MODULE_NONE || frame->module < read->modules.count);
        CHECK(frame->first_location + frame->location_count <= read->locations.count);
    }
    return whole;
}

/* Ids never shift: whatever text there is, is the text that was there. */
static void check_ids(struct small_file *file, struct recording *read)
{
    uint32_t ours = string_table_count(file->original->strings);
    for (string_id id = 1; id <= string_table_count(read->strings) && id <= ours; id++) {
        const char *text = recording_text(read, id);
        if (id < ours - 3 && text[0] != '\0' && strcmp(text, "unknown") != 0 &&
            !strstr(text, "damaged") && !strstr(text, "incomplete") && !strstr(text, "peak"))
            assert_string_equal(text, recording_text(file->original, id));
    }
    for (size_t i = 0; i < read->frames.count && i < file->original->frames.count; i++) {
        uint64_t address = read->frames.items[i].address;
        CHECK(address == 0 || address == file->original->frames.items[i].address);
    }
}

static void the_undamaged_file_is_whole(void **state)
{
    (void)state;
    struct small_file file = make_small_file();
    struct recording *read = recording_read_bytes(file.data, file.size, NULL);
    CHECK(read && check_what_is_left(&file, read) == ROUNDS);
    CHECK(read->quality.damaged_chunks == 0 && read->quality.truncated_bytes == 0);
    sample_check_equal_tables(file.original, read);
    recording_destroy(read);
    free_small_file(&file);
}

static void a_flipped_byte_costs_at_most_one_bucket(void **state)
{
    (void)state;
    struct small_file file = make_small_file();
    for (size_t i = 0; i < file.size; i++) {
        struct fault fault = {0};
        file.data[i] ^= (unsigned char)(1u << i % 8);
        struct recording *read = recording_read_bytes(file.data, file.size, &fault);
        file.data[i] ^= (unsigned char)(1u << i % 8);
        assert_non_null(read);
        CHECK(check_what_is_left(&file, read) >= ROUNDS - 1);
        CHECK(read->quality.damaged_chunks + (read->quality.truncated_bytes > 0) == 1);
        CHECK(read->notes.count > 0);
        check_ids(&file, read);
        recording_destroy(read);
    }
    free_small_file(&file);
}

static void a_file_cut_anywhere_opens_up_to_its_last_whole_chunk(void **state)
{
    (void)state;
    struct small_file file = make_small_file();
    unsigned buckets_before = 0;
    bool has_opened = false;
    for (size_t size = 0; size < file.size; size++) {
        struct fault fault = {0};
        unsigned char *exact = malloc(size + 1);
        memcpy(exact, file.data, size);
        struct recording *read = recording_read_bytes(exact, size, &fault);
        free(exact);
        if (!read) { /* until the first chunk that tells something */
            CHECK(strlen(fault.text) > 0 && buckets_before == 0 && !has_opened);
            continue;
        }
        CHECK(size >= FILE_HEADER_BYTES);
        has_opened = true;
        unsigned buckets = check_what_is_left(&file, read);
        CHECK(buckets >= buckets_before && read->quality.damaged_chunks == 0);
        CHECK(!read->quality.complete);
        buckets_before = buckets;
        check_ids(&file, read);
        recording_destroy(read);
    }
    CHECK(buckets_before == ROUNDS);
    free_small_file(&file);
}

static void bytes_of_nothing_in_the_middle_cost_what_they_replace(void **state)
{
    (void)state;
    struct small_file file = make_small_file();
    memset(file.data + file.size / 2, 0, 64);
    struct recording *read = recording_read_bytes(file.data, file.size, NULL);
    assert_non_null(read);
    CHECK(check_what_is_left(&file, read) >= ROUNDS - 2);
    CHECK(read->quality.damaged_chunks >= 1);
    check_ids(&file, read);
    recording_destroy(read);
    free_small_file(&file);
}

/* Rows that are all the same are packed to nothing. */
static void add_bomb(struct small_file *file, enum section tag, uint64_t rows, unsigned row_bytes)
{
    struct chunk_packer *packer = chunk_packer_create();
    struct chunk_draft draft = {.flags = CHUNK_TABLES};
    struct byte_buffer out = {0};
    static const char zeros[4000];
    put_varint(&draft.section, 100000);
    put_varint(&draft.section, rows);
    for (uint64_t i = 0; i < rows * row_bytes / sizeof(zeros); i++)
        put_bytes(&draft.section, zeros, sizeof(zeros));
    draft_packed_section(&draft, tag);
    CHECK(packer && chunk_seal(packer, &draft, &out) == 0 && out.size < 100000);
    file->data = realloc(file->data, file->size + out.size);
    memcpy(file->data + file->size, out.data, out.size);
    file->size += out.size;
    bytes_free(&out);
    draft_free(&draft);
    chunk_packer_destroy(packer);
}

static void a_small_file_does_not_become_many_rows(void **state)
{
    (void)state;
    static const struct {
        enum section tag;
        unsigned row_bytes;
    } bombs[] = {{SECTION_FRAMES, 2}, {SECTION_STACKS, 2}, {SECTION_STRINGS, 1}};
    for (unsigned i = 0; i < sizeof(bombs) / sizeof(bombs[0]); i++) {
        struct small_file file = make_small_file();
        add_bomb(&file, bombs[i].tag, 20000000, bombs[i].row_bytes);
        struct recording *read = recording_read_bytes(file.data, file.size, NULL);
        assert_non_null(read);
        CHECK(check_what_is_left(&file, read) == ROUNDS);
        CHECK(read->quality.damaged_chunks == 1);
        CHECK(read->frames.count < 1000 && stack_table_count(read->stacks) < 1000);
        recording_destroy(read);
        free_small_file(&file);
    }
}

/* Checksums do not keep anybody from writing times that no recording can have. */
static void times_that_cannot_be_are_damage(void **state)
{
    (void)state;
    for (unsigned what = 0; what < 3; what++) {
        struct recording *damaged = recording_create();
        char *path = sample_path();
        struct recording_writer *writer = recording_writer_create(path, 0, NULL);
        sample_add_tables(damaged, 0);
        sample_add_bucket(damaged, SAMPLE_SECOND, 12, 0);
        CHECK(recording_writer_append(writer, damaged, NULL) == 0);
        sample_add_bucket(damaged, SAMPLE_SECOND, 12, 1);
        if (what == 0)
            damaged->buckets.items[1].end_ns = UINT64_MAX;
        else if (what == 1)
            damaged->duration_ns = UINT64_MAX;
        else
            sample_set_pin(damaged, 0, (struct pin){.kind = PIN_PEAK, .time_ns = UINT64_MAX}, 5);
        CHECK(recording_writer_finish(writer, damaged, NULL) == 0);
        struct recording *read = recording_read(path, NULL);
        assert_non_null(read);
        CHECK(read->quality.damaged_chunks == 1);
        CHECK(read->buckets.count == (what == 0 ? 1 : 2) && read->pins.count == 0);
        CHECK(read->duration_ns == 2 * SAMPLE_SECOND);
        recording_destroy(read);
        recording_destroy(damaged);
        sample_forget_path(path);
    }
}

static void check_of_its_time(const struct recording *read)
{
    size_t const count = read->buckets.count;
    uint64_t const end_ns = count > 0 ? read->buckets.items[count - 1].end_ns : 0;
    vec_each (pin, &read->pins)
        CHECK(pin->time_ns <= end_ns && pin->cell_count > 0);
    vec_each (thread, &read->threads)
        CHECK(thread->first_ns <= thread->last_ns && thread->last_ns <= read->duration_ns);
    CHECK(read->heap.peak_time_ns <= end_ns);
    CHECK(read->maps.peak_time_ns <= end_ns);
}

/* Pins and rows of threads are written before the bucket of their time, the state with the last of
 * several buckets. */
static void what_is_left_tells_of_no_later_time(void **state)
{
    (void)state;
    enum { APPENDS = 4, EACH = 3 };
    struct recording *recording = recording_create();
    char *path = sample_path();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    for (unsigned i = 0; i < APPENDS; i++) {
        sample_add_tables(recording, i);
        for (unsigned j = 0; j < EACH; j++)
            sample_add_bucket(recording, SAMPLE_SECOND, 12, i * EACH + j);
        uint64_t const end_ns = (i + 1) * EACH * SAMPLE_SECOND;
        sample_set_pin(recording, 0, (struct pin){.kind = PIN_PEAK, .time_ns = end_ns - 1}, 5);
        recording->threads.items[0].last_ns = recording->duration_ns = end_ns;
        recording->heap.peak_time_ns = recording->maps.peak_time_ns = end_ns - 1;
        CHECK(recording_writer_append(writer, recording, NULL) == 0);
    }
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    size_t size;
    unsigned char *data = sample_slurp(path, &size);
    unsigned with_pin = 0;
    for (size_t cut = 0; cut < size; cut++) {
        struct recording *read = recording_read_bytes(data, cut, NULL);
        if (!read)
            continue;
        CHECK(!read->quality.complete);
        check_of_its_time(read);
        with_pin += read->pins.count > 0;
        if (read->buckets.count > EACH) /* the first append is whole */
            CHECK(read->pins.count == 1);
        recording_destroy(read);
    }
    CHECK(with_pin > 0);
    free(data);
    recording_destroy(recording);
    sample_forget_path(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_undamaged_file_is_whole),
        cmocka_unit_test(a_flipped_byte_costs_at_most_one_bucket),
        cmocka_unit_test(a_file_cut_anywhere_opens_up_to_its_last_whole_chunk),
        cmocka_unit_test(bytes_of_nothing_in_the_middle_cost_what_they_replace),
        cmocka_unit_test(a_small_file_does_not_become_many_rows),
        cmocka_unit_test(times_that_cannot_be_are_damage),
        cmocka_unit_test(what_is_left_tells_of_no_later_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
