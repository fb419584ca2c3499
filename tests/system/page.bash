# What tests of the page share.  After common.bash and serve.bash.

packages=$TOP/page/node_modules

has_packages() {
    command -v node >/dev/null && [ -e "$packages/.package-lock.json" ]
}

# Ends the test as skipped where nothing can be made of the page.
need_packages() { # need_packages CASE
    has_packages && return
    skip "$1" "node or the packages of the page are missing: page/fetch brings them, where npm reaches them"
    exit 0
}

has_browser() {
    chromium=$(command -v chromium || command -v google-chrome)
    [ -x "$BUILD/memoir-serve" ] && has_packages && [ -n "$chromium" ]
}

# Ends the test as skipped where nothing can show the page.
need_browser() { # need_browser CASE
    has_browser && return
    skip "$1" "memoir-serve (libmicrohttpd-dev), node, the packages of the page (page/fetch) or Chromium are missing"
    exit 0
}

# Runs page/test/SCRIPT, in Chromium if it wants one; it prints cases of its own.  One that ends before it can say what is wrong has failed, too.
run_page_test() { # run_page_test SCRIPT ARGUMENT…
    local script=$1 status
    shift
    CHROMIUM=${chromium-} timeout 200 node "$TOP/page/test/$script" "$@" >browser.out 2>browser.err
    status=$?
    cat browser.out
    grep -q '^not ok' browser.out && return
    [ $status = 0 ] && grep -q '^ok' browser.out || not_ok "$script" "status $status: $(head -c 300 browser.err | tr '\n' ' ')"
}
