#!/usr/bin/env bash
# gcc builds the recorder as one program, across its files; when an option of the linker undoes that, nothing else tells.
# Runs beside others.
# shellcheck source=/dev/null
. "$TOP/tests/system/common.bash"

if ! command -v nm >/dev/null || ! readelf -p .comment "$BUILD/memoir-record" 2>/dev/null | grep -q 'GCC:'; then
    skip recorder-is-one "not built by gcc, or no nm"
elif nm "$BUILD/memoir-record" | grep -q ' T heap_book_free$'; then
    not_ok recorder-is-one "functions of its parts are still reached from elsewhere: whole_program in meson.build is without effect"
else
    ok recorder-is-one
fi
