/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_reader.c - reads one profile of pprof into a recording. */
#include <errno.h>

#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/pprof_labels.h"
#include "formats/pprof_legacy/pprof_legacy.h"
#include "formats/pprof/pprof_series.h"
#include "formats/encodings/protobuf_in.h"
#include "formats/shared/readers.h"
#include "formats/shared/value_bound.h"
#include "model/losses.h"

/* Whether a field is one of profile.proto's, as far as its number tells. */
static bool is_plausible(const struct protobuf_field *field)
{
    bool const is_number = field->number >= PROFILE_DROP_FRAMES &&
                           field->number <= PROFILE_DOC_URL && field->number != PROFILE_PERIOD_TYPE;
    if (field->number > PROFILE_DOC_URL)
        return true;
    if (field->number == PROFILE_COMMENT)
        return field->wire == WIRE_VARINT || field->wire == WIRE_BYTES;
    return field->wire == (is_number ? WIRE_VARINT : WIRE_BYTES);
}

/* The fields that fit in, and at least one of those that only a profile has. */
static bool is_proto(struct slice head)
{
    struct protobuf_in in = protobuf_in_of(head);
    struct protobuf_field field;
    bool has_types = false;
    int fields = 0, more;
    while ((more = protobuf_next(&in, &field)) > 0) {
        if (!is_plausible(&field))
            return false;
        has_types |= field.wire == WIRE_BYTES && field.number <= PROFILE_STRING;
        fields++;
    }
    return has_types && (fields > 1 || more == 0);
}

bool pprof_recognise(struct slice head)
{
    bool const is_gzip = head.size > 2 && (unsigned char)head.data[0] == 0x1f &&
                         (unsigned char)head.data[1] == 0x8b; /* within gzip */
    return is_gzip || pprof_legacy_recognise(head) || is_proto(head);
}

/* The program is the first file that was mapped. */
static void tell_process(struct recording *recording, const struct pprof_profile *profile)
{
    if (recording->modules.count)
        recording->program = recording->modules.items[0].path;
    vec_each (comment, &profile->comments)
        losses_add_note(recording, pprof_text(profile, *comment));
    recording->start_unix_ns = profile->time_ns > 0 ? (uint64_t)profile->time_ns : 0;
}

static struct recording *make_recording(const struct pprof_profile *profile, struct fault *fault)
{
    struct recording *recording = recording_create();
    struct pprof_series series = {0};
    uint32_t node;
    uint64_t const length = profile->duration_ns > 0 ? (uint64_t)profile->duration_ns : 1;
    int err = recording ? pprof_series_init(&series, recording) : -ENOMEM;
    if (err == 0)
        err = pprof_series_add_node(&series, NULL, &node);
    if (err == 0)
        err = pprof_series_add(&series, node, length, profile);
    if (err == 0)
        err = pprof_series_finish(&series);
    if (recording)
        pprof_series_fini(&series);
    if (err == 0) {
        pprof_labels_finish(recording);
        tell_process(recording, profile);
        return recording;
    }
    recording_destroy(recording);
    fault_set(fault, err,
              err == -EOVERFLOW ? VALUE_BOUND_SENTENCE
                                : "there is not enough memory for its samples");
    return NULL;
}

static struct recording *make_and_destroy(struct pprof_profile *profile, struct fault *fault)
{
    struct recording *recording = profile ? make_recording(profile, fault) : NULL;
    pprof_destroy(profile);
    return recording;
}

struct recording *pprof_recording_read(const char *path, struct fault *fault)
{
    struct pprof_profile *profile = pprof_read_file(path, fault);
    struct fault why = {.text = ""};
    struct recording *recording = make_and_destroy(profile, &why);
    if (profile && !recording)
        fault_set(fault, why.code, "cannot read %s: %s", path, why.text);
    const char *slash = strrchr(path, '/');
    if (recording &&
        recording->program == STRING_EMPTY) /* it does not say which program it is of */
        recording->program = recording_intern(recording, slash ? slash + 1 : path);
    return recording;
}

struct recording *pprof_recording_read_bytes(const void *data, size_t size, struct fault *fault)
{
    return make_and_destroy(pprof_read_bytes(data, size, fault), fault);
}
