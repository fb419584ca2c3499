#!/usr/bin/env bash
# /api/source: costs by line as memoir report has them; and no file is read that a stranger's recording should not lead to.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"

# A place that everybody can reach: folders of tests are for one user alone.
open=$(mktemp -d /tmp/serve_source.XXXXXX)
trap 'for pid in "${started[@]}"; do kill -9 "$pid"; done 2>/dev/null; rm -rf "$open"' EXIT
chmod 755 "$open"
cd "$open" || exit 1
mkdir -p tree/deep tree/.git closed
echo 'int public;' >tree/public.c
echo 'int deep;' >tree/deep/tail.c
echo 'SECRET' | tee tree/private.c closed/inside.c tree/.git/config tree/passwords.txt tree/.env.c >/dev/null
printf 'SECRET\0' >tree/binary.c
head -c 2097153 /dev/zero | tr '\0' x >tree/large.c
chmod 755 tree tree/deep tree/.git
chmod 644 tree/*.c tree/deep/tail.c tree/.git/config tree/passwords.txt tree/.env.c closed/inside.c
chmod 640 tree/private.c
chmod 700 closed
ln -s private.c tree/link.c
ln -s /etc tree/etc.c
ln -s tree linked
mkfifo tree/pipe.c
chmod 644 tree/pipe.c

# Everything that a stranger could think of, each as the place of a function.
bad=("/etc/shadow" "/etc/passwd" "/dev/zero" "/dev/mem" "/proc/self/environ" "/proc/self/root/etc/shadow" "$PWD/tree/pipe.c" "$PWD/tree/private.c"
    "$PWD/closed/inside.c" "$PWD/tree/link.c" "$PWD/linked/public.c" "$PWD/tree/etc.c" "$PWD/tree/etc.c/shadow.c" "$PWD/tree/passwords.txt" "$PWD/tree/.git/config"
    "$PWD/tree/.env.c" "$PWD/tree/binary.c" "$PWD/tree/large.c" "$PWD/tree/deep" "$PWD/../../../../../../../../etc/passwd" "../../../../../../etc/shadow" "tree/private.c")
{
    echo "program /usr/bin/stranger"
    echo "thread 100 main"
    echo "length 1000"
    for path in "$PWD/tree/public.c" "$PWD/build/../tree/public.c" "/elsewhere/src/deep/tail.c" "${bad[@]}"; do
        echo "on 0 20 10 100 main;f@$path:1"
    done
} >words
"$BUILD/tests/make-moments" stranger.memoir <words
source_of() { # source_of FILE CURL-OPTIONS…: the answer
    local file=$1
    shift
    get /api/source -G --data-urlencode "file=$file" "$@"
}
text_of() { # text_of FILE: the text, or why there is none
    source_of "$@" | jq -r '.text // .why // .error'
}

begin_server public --listen 0 stranger.memoir
equal public "int public;" "$(text_of "$PWD/tree/public.c")"
equal public-by-way-of-a-build-folder "int public;" "$(text_of "$PWD/build/../tree/public.c")"
for path in "${bad[@]}"; do
    source_of "$path" >answer.json
    equal "no $(basename "$(dirname "$path")")/$(basename "$path")" "null true" "$(jq -r '"\(.text) \(.why | length > 20)"' answer.json)"
    if grep -q -e SECRET -e root: answer.json; then not_ok "leak $path" "$(head -c 200 answer.json)"; fi
done
equal not-named-status 404 "$(status_of "/api/source?file=$TOP/meson.build")"
equal not-named-passwd-status 404 "$(status_of "/api/source?file=/etc/hosts")"
equal forwarded null "$(source_of "$PWD/tree/public.c" -H 'X-Forwarded-For: 192.0.2.1' | jq .text)"
equal absent-says-what-to-do 1 "$(text_of /elsewhere/src/deep/tail.c | grep -c -e '--sources DIR')"
end_server public-ends

begin_server folder --listen 0 stranger.memoir --sources "$PWD/tree"
equal tail "int deep;" "$(text_of /elsewhere/src/deep/tail.c)"
equal tail-path "$PWD/tree/deep/tail.c" "$(source_of /elsewhere/src/deep/tail.c | jq -r .path)"
equal folder-forwarded "int public;" "$(text_of "$PWD/tree/public.c" -H 'X-Forwarded-For: 192.0.2.1')"
for path in /etc/shadow /etc/passwd /proc/self/environ "$PWD/tree/pipe.c" "$PWD/tree/link.c" "$PWD/tree/etc.c/shadow.c" "$PWD/closed/inside.c" \
    "$PWD/tree/.git/config" "$PWD/tree/.env.c" "$PWD/tree/binary.c" "$PWD/tree/large.c" "../../../../../../etc/shadow"; do
    source_of "$path" >answer.json
    equal "folder: no $(basename "$(dirname "$path")")/$(basename "$path")" "null true" "$(jq -r '"\(.text) \(.why | length > 20)"' answer.json)"
    if grep -q -e SECRET -e root: answer.json; then not_ok "leak $path" "$(head -c 200 answer.json)"; fi
done
end_server folder-ends

for words in '/nowhere' '/etc/passwd'; do
    "$MEMOIR" serve stranger.memoir --listen 0 --sources $words 2>refused.err
    equal "sources $words" 2 $?
    one_sentence "sources $words sentence" refused.err sources
done

# Numbers: each line's are those of the rows that are at it.
"$MEMOIR" run --quiet -o phases.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
begin_server numbers --listen 0 phases.memoir --sources "$TOP/tests"
"$MEMOIR" report phases.memoir --json --metric heap.allocated --by line >report.json
file=$(jq -r '.rows[0].stack[0].file' report.json)
source_of "$file" -d metric=heap.allocated >answer.json
equal lines "$(jq -c --arg file "$file" '[.rows[] | select(.stack[0].file == $file) | [.stack[0].line, .value, .count, .total_value, .total_count]] | sort' report.json)" \
    "$(jq -c '[.lines[] | [.line, .self, .self_count, .total, .total_count]] | sort' answer.json)"
equal text "$(sha256sum <"$TOP/tests/subjects/phases.c")" "$(jq -j .text answer.json | sha256sum)"
get '/api/source?metric=heap.allocated' >files.json
equal files "$(jq -c '[.rows[] | select(.stack[0].file != "")] | group_by(.stack[0].file) | map([.[0].stack[0].file, ([.[].value] | add)]) | sort' report.json)" \
    "$(jq -c '[.files[] | [.file, .self]] | sort' files.json)"
equal by-function "$file" "$(get '/api/source?metric=heap.allocated&focus=work_here' | jq -r .file)"
equal list-has-no-text null "$(jq .text files.json)"
end_server numbers-ends
