#!/usr/bin/env bash
# Names that other people's scripts rest on stay: commands, options, metrics, routes, memoir.h, keys of JSON, columns of CSV.  New ones
# are added to the lists in tests/interface; a name that goes or changes is a break that NEWS.md has to tell.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/interface/names.bash"
# shellcheck disable=SC2034,SC2153 # for names.bash; the surroundings have it
memoir=$MEMOIR
mkdir now
options >now/options
metrics >now/metrics
routes "$(find "$BUILD/src" -name api.json)" >now/routes
declared >now/functions
json_keys >now/json
csv_columns >now/csv
for list in options metrics routes functions json csv; do
    at_least "$list-are-found" 5 "$(grep -c . "now/$list")"
    equal "$list-gone" "" "$(LC_ALL=C sort "$TOP/tests/interface/$list" | LC_ALL=C comm -23 - <(LC_ALL=C sort "now/$list") | head -n 5)"
    equal "$list-not-listed" "" "$(LC_ALL=C sort "$TOP/tests/interface/$list" | LC_ALL=C comm -13 - <(LC_ALL=C sort "now/$list") | head -n 5)"
done
