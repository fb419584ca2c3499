#!/usr/bin/env bash
# /api/openapi.json describes what is served: all of it, nothing else, and the real answers of recordings of every kind are as it says.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
. "$TOP/tests/system/page.bash"

need_server openapi
need_packages openapi

cat >pages.txt <<'END'
program /usr/bin/light-node
pid 4242
frame main /usr/bin/light-node 1000 main
frame load /usr/bin/light-node 1100 load
frame read /usr/lib/libc.so.6 5f read
frame before - 0 [resident before attach]
pages cache 8388608 read load main
pages anon 1048576 load main
second
pages file 512000 before
pages kernel 102400 load main
second
END
"$BUILD/tests/make-pages" pages.memoir <pages.txt >/dev/null
"$MEMOIR" run --quiet -o phases.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
cp "$TOP/tests/fixtures/gap/recording.memoir" gap.memoir # with lost events
files=(phases.memoir pages.memoir gap.memoir)
if printf ge | "$MEMOIR" cpu --quiet --off-cpu -o cpu.memoir -- "$subjects/subject-burns_shares" 1 1 >/dev/null 2>&1; then
    files+=(cpu.memoir)
else
    skip openapi-cpu "time cannot be recorded here"
fi
begin_subject grows
grow_to grows 100
is_explained() { "$MEMOIR" explain grows.memoir --json; }
wait_until 30 is_explained || not_ok openapi-explained "nobody looked at the pages"
make_history days.db
begin_server ended --listen 0 "${files[@]}" days.db grows.memoir
ended=$port
begin_server growing --listen 0 --pid "$subject"
run_page_test openapi.mjs "{\"url\": \"http://127.0.0.1:$ended/\", \"growing\": \"http://127.0.0.1:$port/\"}"
exec 9>&-
