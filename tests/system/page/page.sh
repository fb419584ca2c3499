#!/usr/bin/env bash
# The page of memoir serve, in Chromium: its numbers are those of memoir report, whatever is selected.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
. "$TOP/tests/system/page.bash"

need_server page
need_packages page
node "$packages/typescript/bin/tsc" --noEmit -p "$TOP/web" >types.out 2>&1
equal page-types "0 " "$? $(head -n 3 types.out)"
run_page_test styles.mjs
run_page_test selection.mjs
# Tests read the page through locators, which look whether it is seen (web/test/seen.mjs).
equal page-tests-look "" "$(grep -lE 'document\.querySelector|\$\$?eval\(|page\.(textContent|innerText|getAttribute|isVisible)\(' "$TOP"/web/test/*.mjs |
    grep -vE '/(browser|look|seen)\.mjs$')"

"$MEMOIR" run --quiet -o phases.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
begin_server ended --listen 0 phases.memoir
ended=$port
if [ "$(get / -H 'Accept: text/html' -o page.html -w '%{content_type}')" != 'text/html; charset=utf-8' ]; then
    not_ok page-is-built "the packages are there, and memoir-serve has no page"
    exit 0
fi
equal page-list-for-others "memoir" "$(get / | head -n 1 | cut -d' ' -f1)"
equal page-list "$(get /)" "$(get /routes)"
equal page-has-no-inline-code 0 "$(grep -cE '<script>|<style|style=| on[a-z]+=' page.html)"
get /page.js -D headers -o page.js
equal page-policy 1 "$(grep -ci "^content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';" headers)"
equal page-licence 1 "$(grep -c 'Copyright (c) 2012-2014 Chris Pettitt' page.js)"
get /page.css -o page.css
at_most page-size 153600 "$(cat page.html page.js page.css | gzip -9 | wc -c)"
# The name of SVG looks like an address, and is none.
equal page-asks-nobody-else 0 "$(sed -i 's|http://www.w3.org/2000/svg||g' page.js && grep -cE 'https?://[a-z]' page.html page.js page.css | awk -F: '{ sum += $2 } END { printf "%.0f\n", sum }')"

if ! has_browser; then
    skip page-in-browser "there is no Chromium"
    end_server page-server-ends
    exit 0
fi
begin_subject grows
grow_to grows 100
head -c 32 /dev/urandom | base64 >token
chmod 600 token
begin_server growing --listen 0 --pid "$subject" --token-file token
equal page-without-token 200 "$(status_of / -H 'Accept: text/html')"
equal page-script-without-token 200 "$(status_of /page.js)"
equal page-data-without-token 401 "$(status_of /api/targets)"
equal page-list-without-token 401 "$(status_of /)"
run_page_test all.mjs "$(jq -n --arg ended "http://127.0.0.1:$ended/" --arg growing "http://127.0.0.1:$port/" \
    --arg token "$(cat token)" --arg port "$port" --arg subject "$subject" --argjson server "$server" '{
        ended: {url: $ended, file: "phases.memoir"},
        growing: {url: $growing, token: $token, growth: "grows.in", server: $server,
            command: ["serve", "--quiet", "--listen", $port, "--pid", $subject, "--token-file", "token"]}}')"
exec 9>&-
