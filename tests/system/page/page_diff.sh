#!/usr/bin/env bash
# What changed, in Chromium: the numbers are those of memoir diff, of two times and of two files; what may be chance is grey.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
. "$TOP/tests/system/page.bash"

need_browser page-diff
"$MEMOIR" run --quiet -o old.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
"$MEMOIR" run --quiet -o new.memoir -- "$subjects/subject-phases" busy >/dev/null 2>&1
# Samples by chance: `even` differs by a few, `more` by many.
"$BUILD/tests/make-moments" burner.memoir <<'END'
program /usr/bin/burner
thread 1 main
length 20000
on 0 9800 98 1 main;even
on 10000 20000 96 1 main;even
on 0 100 10 1 main;more
on 10000 13000 10 1 main;more
on 0 300 10 1 main;gone
END
begin_server diff --listen 0 old.memoir new.memoir burner.memoir
run_page_test diff.mjs "$(jq -n --arg url "http://127.0.0.1:$port/" '{url: $url, old: "old.memoir", new: "new.memoir", burner: "burner.memoir"}')"
end_server page-diff-server-ends
