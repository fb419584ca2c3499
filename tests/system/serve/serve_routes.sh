#!/usr/bin/env bash
# Every route there is, walked by its own list: who may ask, how, and what every answer says to browsers.  A route that is added is walked, too.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"

need_server serve_routes
"$MEMOIR" run --quiet -o phases.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
head -c 32 /dev/urandom | base64 >token
chmod 600 token
token=(-H "Authorization: Bearer $(cat token)")
begin_server routes --listen 0 phases.memoir --token-file token
get /routes "${token[@]}" | sed -n 's|^\(/[^ ]*\) .*|\1|p' >routes
at_least there-are-routes 40 "$(wc -l <routes)"
cksum phases.memoir >before

# "STATUS PATH" of all routes but those left out; one curl for all of them.
walk() { # walk LEFT-OUT QUERY CURL-OPTIONS…
    local left_out=$1 query=$2
    shift 2
    grep -vxE -- "$left_out" routes | while read -r path; do
        printf 'url = "http://127.0.0.1:%s%s%s"\noutput = "/dev/null"\n' "$port" "$path" "$query"
    done >walk.config
    curl -s --max-time 20 -K walk.config -w '%{http_code} %{url_effective} %header{cache-control} %header{x-content-type-options} %header{cross-origin-resource-policy} csp:%header{content-security-policy}\n' "$@" |
        sed "s|http://127.0.0.1:$port||"
}
others() { # others STATUS…: lines of the walk with another one
    grep -vE "^($1) " | head -n 3
}
open='/page\.js|/page\.css' # the page itself asks for the token
endless='/api/events'

equal no-token "" "$(walk "$open" '' | others 401)"
equal wrong-token "" "$(walk "$open" '' -H 'Authorization: Bearer wrong-wrong-wrong-wrong' | others 401)"
equal token-in-the-query "" "$(walk "$open" "?token=$(tr -d '+/=\n' <token)" | others 401)"
equal wrong-host "" "$(walk none '' "${token[@]}" -H 'Host: evil.example' | others 421)"
for method in POST PUT DELETE PATCH; do
    equal "method-$method" "" "$(walk none '' "${token[@]}" -X "$method" | others 405)"
done

# What a browser says when another site's page asks, in any way; with the token, and without.
for way in no-cors/image no-cors/script no-cors/empty cors/empty same-origin/empty navigate/iframe navigate/document no-cors/ping websocket/websocket; do
    told=(-H "Sec-Fetch-Mode: ${way%/*}" -H "Sec-Fetch-Dest: ${way#*/}")
    for site in cross-site same-site; do
        equal "$site-$way" "" "$(walk none '' "${token[@]}" "${told[@]}" -H "Sec-Fetch-Site: $site" | others 403)"
    done
done
equal another-site-without-token "" "$(walk none '' -H 'Sec-Fetch-Site: cross-site' | others 403)"
equal another-site-posts "" "$(walk none '' "${token[@]}" -X POST -H 'Sec-Fetch-Site: cross-site' -H 'Origin: https://evil.example' | others 403)"
for origin in https://evil.example null http://localhost:1 "http://127.0.0.1:$((port + 1))" "http://localhost:$port"; do
    equal "origin-$origin" "" "$(walk none '' "${token[@]}" -H "Origin: $origin" | others 403)"
done
equal another-origin-may-not-ask "" "$(walk none '' -X OPTIONS -H 'Origin: https://evil.example' | others 403)"
links=(-H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: navigate' -H 'Sec-Fetch-Dest: document' -H 'Accept: text/html')
equal a-link-opens-no-route "" "$(walk / '' "${token[@]}" "${links[@]}" | others 403)"
equal a-link-opens-the-page 200 "$(status_of / "${links[@]}")"

# Whatever the answer is, it is one, and nobody keeps it, guesses its type or has it in a page of his.
walk "$endless" '?seconds=1' "${token[@]}" >good
equal all-were-asked $(($(wc -l <routes) - 1)) "$(wc -l <good)"
equal never-our-fault "" "$(others '200|400|404|502' <good)"
equal not-kept "" "$(grep -v ' no-store nosniff same-origin csp:default-src' good | head -n 3)"
equal refused-not-kept "" "$(walk none '' | grep -v ' no-store nosniff same-origin csp:default-src' | head -n 3)"
walk "$endless" '?seconds=1' "${token[@]}" -H 'Sec-Fetch-Site: same-origin' -H 'Sec-Fetch-Mode: cors' -H "Origin: http://127.0.0.1:$port" >ours
equal our-page-is-served "$(cut -d' ' -f1,2 good)" "$(cut -d' ' -f1,2 ours)"
walk "$endless" '?seconds=1' "${token[@]}" -I >headed
equal head-is-as-get "$(cut -d' ' -f1,2 good)" "$(cut -d' ' -f1,2 headed)"

# What is no parameter of theirs, what is too long, and what is no text.
long=$(head -c 3000 /dev/zero | tr '\0' x)
queries=0
for query in '?seconds=1&no-such=1&a%00b=%ff%fe&=&&x' "?seconds=1&filter=$long" '?seconds=1&target=999999' '?pid=-1&seconds=0&top=-5&at=%00' \
    '?metric=%27%22%3Cscript%3E&by=..%2F..%2Fetc&function=%2e%2e/%2e%2e&file=/etc/passwd'; do
    queries=$((queries + 1))
    equal "odd-query-$queries" "" "$(walk "$endless" "$query" "${token[@]}" | others '200|400|404|502')"
done
equal errors-are-sentences "" "$(grep -E '^/(api|v1)/' routes | grep -vxE "$endless" | while read -r path; do
    get "$path?target=999999" "${token[@]}" | jq -e 'has("error") | not' >/dev/null && echo "$path"
done)"
equal nothing-was-changed "$(cat before)" "$(cksum phases.memoir)"
equal still-there 200 "$(status_of /healthz "${token[@]}")"
end_server routes-ends
