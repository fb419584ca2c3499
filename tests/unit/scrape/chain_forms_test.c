/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/chains/chain_forms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

TEST(algod_tells_its_height_and_its_troubles)
{
    struct chain_height height;
    struct fault fault = {0};
    CHECK(chain_algod.read_height(200,
                                  slice_of("{\"catchup-time\":0,\"last-round\":4711,\"x\":[{}]}"),
                                  &height, &fault) == 0);
    CHECK(height.height == 4711);
    CHECK(chain_algod.read_height(503, slice_of(""), &height, &fault) == -EAGAIN);
    CHECK(chain_algod.read_height(401, slice_of(""), &height, &fault) == -EACCES);
    CHECK(chain_algod.read_height(400, slice_of(""), &height, &fault) == -EPROTO);
    CHECK(strstr(fault.text, "does not support"));
    CHECK(chain_algod.read_height(200, slice_of("{}"), &height, &fault) == -EPROTO);
    CHECK(chain_algod.read_headers(404, slice_of(""), NULL, &fault) == -ENODATA);
}

TEST(S8_transactions_and_certificate_of_a_whole_block_are_dropped)
{
    struct msgpack_out body = {0};
    struct chain_headers headers = {0};
    struct block_header again;
    msgpack_put_map(&body, 2);
    msgpack_put_text(&body, "block");
    msgpack_put_map(&body, 4);
    msgpack_put_text(&body, "rnd");
    msgpack_put_uint(&body, 9);
    msgpack_put_text(&body, "txns");
    msgpack_put_array(&body, 1);
    msgpack_put_text(&body, "much");
    msgpack_put_text(&body, "tc");
    msgpack_put_uint(&body, 77);
    msgpack_put_text(&body, "gh");
    msgpack_put_bytes(&body, slice_of("abc"));
    msgpack_put_text(&body, "cert");
    msgpack_put_text(&body, "long");
    CHECK(chain_algod.read_headers(200, (struct slice){body.data, body.size}, &headers, NULL) == 0);
    CHECK(headers.items.count == 1);
    struct block_header *header = &headers.items.items[0];
    CHECK(header->height == 9 && header->transactions_total == 77);
    CHECK(!memmem(header->fields.data, header->fields.size, "txns", 4));
    CHECK(!memmem(header->fields.data, header->fields.size, "cert", 4));
    CHECK(block_header_parse(header->fields, &again, NULL) == 0 && again.height == 9);
    char *text;
    size_t size;
    CHECK(chain_blockinfo_render(header, &text, &size) == 0);
    assert_string_equal(text, "{\"block\":{\"rnd\":9,\"tc\":77,\"gh\":\"YWJj\"}}\n");
    free(text);
    chain_headers_fini(&headers);
    msgpack_fini(&body);
}

TEST(monero_headers_come_as_a_range)
{
    static const char body[] =
        "{ \"id\": \"0\", \"jsonrpc\": \"2.0\", \"result\": { \"credits\": 0, \"headers\": [{"
        "\"block_size\": 85, \"depth\": 2, \"difficulty\": 1, \"hash\": \"aa\", \"height\": 1, "
        "\"num_txes\": 3,"
        "\"orphan_status\": false, \"prev_hash\": \"00\", \"timestamp\": 1763256000},"
        "{\"hash\": \"bb\", \"height\": 2, \"num_txes\": 0, \"prev_hash\": \"aa\", \"timestamp\": "
        "1763256001}],"
        "\"status\": \"OK\", \"untrusted\": false } }";
    struct chain_headers headers = {0};
    CHECK(chain_monero.read_headers(200, slice_of(body), &headers, NULL) == 0);
    CHECK(headers.items.count == 2);
    CHECK(headers.items.items[0].height == 1 && headers.items.items[0].transactions == 3);
    assert_string_equal(headers.items.items[1].parent, "aa");
    struct block_header again;
    CHECK(block_header_parse(headers.items.items[0].fields, &again, NULL) == 0);
    CHECK(again.height == 1 && again.transactions == 3 && again.time_s == 1763256000);
    assert_string_equal(again.hash, "aa");
    chain_headers_fini(&headers);
    struct chain_height height;
    CHECK(chain_monero.read_height(
              200, slice_of("{\"result\":{\"height\":12,\"tx_count\":5,\"status\":\"OK\"}}"),
              &height, NULL) == 0);
    CHECK(height.height == 11 && height.transactions_total == 5 && height.has_total);
    CHECK(chain_monero.read_height(200,
                                   slice_of("{\"result\":{\"height\":12,\"status\":\"BUSY\"}}"),
                                   &height, NULL) == -EAGAIN);
    CHECK(chain_monero.read_headers(
              200,
              slice_of("{\"error\":{\"code\":-2,\"message\":\"Invalid start\\/end heights.\"}}"),
              &headers, NULL) == -ENODATA);
}

TEST(ethereum_counts_are_hexadecimal)
{
    struct chain_height height;
    struct chain_headers headers = {0};
    CHECK(chain_ethereum.read_height(
              200, slice_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"0x1b4\"}"), &height,
              NULL) == 0);
    CHECK(height.height == 436);
    CHECK(chain_ethereum.read_height(200, slice_of("{\"result\":\"0x\"}"), &height, NULL) ==
          -EPROTO);
    CHECK(chain_ethereum.read_headers(200, slice_of("{\"id\":1, \"result\": null}"), &headers,
                                      NULL) == -ENODATA);
    CHECK(
        chain_ethereum.read_headers(200,
                                    slice_of("{\"error\":null,\"result\":{\"number\":\"0x2\","
                                             "\"timestamp\":\"0x69193b40\",\"hash\":\"0xbb\","
                                             "\"parentHash\":\"0xaa\",\"gasUsed\":\"0x5208\","
                                             "\"transactions\":[\"0x1\",\"0x2\"],\"nonce\":null}}"),
                                    &headers, NULL) == 0);
    CHECK(headers.items.items[0].height == 2 && headers.items.items[0].transactions == 2);
    assert_string_equal(headers.items.items[0].parent, "0xaa");
    chain_headers_fini(&headers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algod_tells_its_height_and_its_troubles),
        cmocka_unit_test(S8_transactions_and_certificate_of_a_whole_block_are_dropped),
        cmocka_unit_test(monero_headers_come_as_a_range),
        cmocka_unit_test(ethereum_counts_are_hexadecimal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
