# shellcheck shell=bash disable=SC2154
# What other people's scripts rest on, one name per line; $memoir is the program, $TOP the tree.  A list is a file of tests/interface.

commands() {
    "$memoir" --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | grep -vx memoir
    printf 'net %s\n' up down status host load
    echo map diff
}

options() { # the options of each command, with what they take
    commands | while read -r command; do
        # shellcheck disable=SC2086 # "net up" is two words
        "$memoir" $command --help | sed -nE 's/^  (--?[a-zA-Z][a-z0-9-]*(\[?=[^ ]*| [A-Z|a-z.,=]*[A-Z][^ ]*)?).*/\1/p' | sed "s/^/$command /"
    done | LC_ALL=C sort -u
}

metrics() { # each metric with its unit
    sed -nE '/^const struct metric metrics/,/^};/s/^    \{"([a-z_.]+)", "([a-z]+)".*/\1 \2/p' "$TOP"/src/*/model/metric.c
    # shellcheck disable=SC2016 # no expansion is meant
    sed -nE 's/^\| `(memoir_[a-z_]+)`.*/\1/p' "$TOP/docs/metrics.md" | LC_ALL=C sort -u
}

routes() { # each route with its parameters
    jq -r '.paths | to_entries[] | .key as $path | .value | to_entries[] | .key as $method | select(.value | type == "object") |
        "\($method) \($path) \([.value.parameters[]?.name] | sort | join(" "))"' "$1" | sed 's/ $//' | LC_ALL=C sort
}

declared() { # what memoir.h offers
    grep -oE '\b(memoir|MEMOIR|heaptrack)_[A-Za-z_0-9]+' "$TOP/include/memoir.h" | LC_ALL=C sort -u
}

# The keys that every answer about the fixtures has, and the columns of their tables.
json_keys() {
    local folder question
    for folder in "$TOP"/tests/fixtures/*/; do
        for question in "report --top 4" info explain "report --snapshots" "diff $folder/recording.memoir"; do
            # shellcheck disable=SC2086 # words
            "$memoir" $question "$folder/recording.memoir" --json 2>/dev/null |
                jq -r --arg question "${question%% *}" 'paths | map(if type == "number" then "[]" else . end) | "\($question) \(join("."))"' 2>/dev/null
        done
    done | LC_ALL=C sort -u
}

csv_columns() {
    local folder by
    for folder in "$TOP"/tests/fixtures/*/; do
        for by in stack function module thread line phase; do
            "$memoir" report "$folder/recording.memoir" --by $by --csv 2>/dev/null | head -n 1 | sed "s/^/report --by $by: /"
        done
        "$memoir" explain "$folder/recording.memoir" --csv 2>/dev/null | head -n 1 | sed 's/^/explain: /'
        "$memoir" diff "$folder/recording.memoir" "$folder/recording.memoir" --csv 2>/dev/null | head -n 1 | sed 's/^/diff: /'
    done | LC_ALL=C sort -u
}
