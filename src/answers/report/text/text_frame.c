/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/text_frame.h"

#include <string.h>

#include "report/text/text_line.h"

const char *text_path_end(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

bool text_frame_is_startup(const char *function)
{
    static const char *const names[] = {
        "_start",
        "__libc_start_main",
        "__libc_start_call_main",
        "__libc_start_main_impl",
        "start_thread",
        "clone",
        "__clone",
        "clone3",
        "__clone3",
        "_dl_start_user",
        "__clone_internal",
    };
    size_t const length = strcspn(function, "@"); /* without a symbol version */
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == length && memcmp(names[i], function, length) == 0)
            return true;
    return false;
}

static void make_place(struct text_line *place, const struct recording *recording,
                       const struct shown_frame *frame)
{
    const char *module = text_path_end(recording_text(recording, frame->module));
    const char *function = recording_text(recording, frame->function);
    size_t const length = strlen(module);

    if (frame->file) {
        line_add(place, " (");
        line_add_name(place, text_path_end(recording_text(recording, frame->file)));
        if (frame->line)
            line_add(place, ":%u", frame->line);
        line_add(place, ")");
    } else if (length && strncmp(function, module, length) != 0) {
        bool const is_bracketed = module[0] == '['; /* [kernel], [vdso] */
        line_add(place, is_bracketed ? " " : " [");
        line_add_name(place, module);
        line_add(place, is_bracketed ? "" : "]");
    }
}

void text_frame_write(const struct text_style *style, FILE *out, const struct recording *recording,
                      const struct shown_frame *frame, size_t columns)
{
    struct text_line place = {0};
    const char *name = recording_text(recording, frame->function);
    size_t const used = text_write(out, *name ? name : TEXT_NO_STACK, columns);
    make_place(&place, recording, frame);
    if (place.size == 0 || used >= columns || columns - used < 4)
        return;
    text_ink(style, out, INK_DIM);
    text_write(out, place.text, columns - used);
    text_ink(style, out, INK_PLAIN);
}
