#!/usr/bin/env bash
# memoir serve and pages of other sites, in Chromium: whatever they ask for, in whatever way, no route sees it; a link opens the page,
# and one with the token brings the token.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
. "$TOP/tests/system/page.bash"

need_server serve_others
need_browser serve_others
"$MEMOIR" run --quiet -o phases.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
begin_server others --listen 0 phases.memoir
run_page_test strangers.mjs "{\"url\": \"http://127.0.0.1:$port/\"}"
end_server others-ends

head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >token
chmod 600 token
begin_server link --listen 0 phases.memoir --token-file token
run_page_test link.mjs "{\"url\": \"http://127.0.0.1:$port/\", \"token\": \"$(cat token)\"}"
end_server link-ends
