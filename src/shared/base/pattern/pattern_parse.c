/* SPDX-License-Identifier: Apache-2.0 */
/* pattern_parse.c - from the letters of an expression to steps; repetitions are written out. */
#include <errno.h>
#include <string.h>

#include "base/pattern/pattern_program.h"

#define DEPTH_MAX   100 /* of parentheses */
#define SET_ALL     0   /* of the sets that every program has */
#define SET_GOES_ON 1   /* bytes that go on with a letter beyond ASCII */

struct pattern_parser {
    struct slice text;
    size_t at;
    unsigned depth;
    struct pattern_program *program;
    const char *why;
    bool is_size;
};

static bool refuse(struct pattern_parser *parser, const char *why)
{
    parser->why = why;
    return false;
}

static int peek(const struct pattern_parser *parser, size_t ahead)
{
    size_t const at = parser->at + ahead;
    return at < parser->text.size ? (unsigned char)parser->text.data[at] : -1;
}

static uint32_t count_steps(const struct pattern_parser *parser)
{
    return (uint32_t)parser->program->steps.count;
}

/* What became of building. */
static bool heed(struct pattern_parser *parser, int err)
{
    parser->is_size = parser->is_size || err == -E2BIG;
    if (err)
        parser->why = err == -E2BIG
                          ? "written out, it has too many letters; use smaller numbers in "
                            "{}, or * and +"
                          : "";
    return err == 0;
}

static bool add(struct pattern_parser *parser, struct pattern_step step)
{
    return heed(parser, program_insert(parser->program, count_steps(parser), step));
}

static bool insert(struct pattern_parser *parser, uint32_t at, struct pattern_step step)
{
    return heed(parser, program_insert(parser->program, at, step));
}

static bool add_set(struct pattern_parser *parser, const struct byte_set *set)
{
    size_t const index = parser->program->sets.count;
    if (!vec_push(&parser->program->sets, *set))
        return heed(parser, -ENOMEM);
    return add(parser, (struct pattern_step){.kind = STEP_SET, .set = (uint16_t)index});
}

/* After a set with non-ASCII bytes: consumes the rest of the UTF-8 character, so that a character
 * counts once. */
static bool add_rest_of_letter(struct pattern_parser *parser)
{
    return add(parser, (struct pattern_step){.kind = STEP_SPLIT, .to = 3}) &&
           add(parser, (struct pattern_step){.kind = STEP_SET, .set = SET_GOES_ON}) &&
           add(parser, (struct pattern_step){.kind = STEP_JUMP, .to = -2});
}

static bool add_any(struct pattern_parser *parser)
{
    return add(parser, (struct pattern_step){.kind = STEP_SET, .set = SET_ALL}) &&
           add_rest_of_letter(parser);
}

static bool add_letters(struct pattern_parser *parser, const struct byte_set *set)
{
    return add_set(parser, set) && (!byte_set_has(set, 0xff) || add_rest_of_letter(parser));
}

static bool add_assertion(struct pattern_parser *parser, enum assertion assertion)
{
    if (assertion != AT_BEGIN && assertion != AT_END)
        parser->program->asks_for_words = true;
    return add(parser, (struct pattern_step){.kind = STEP_ASSERT, .byte = (uint8_t)assertion});
}

/* A letter with all its bytes, so that what repeats it repeats all. */
static bool parse_letter(struct pattern_parser *parser)
{
    do {
        if (!add(parser,
                 (struct pattern_step){.kind = STEP_BYTE, .byte = (uint8_t)peek(parser, 0)}))
            return false;
        parser->at++;
    } while (parser->text.data[parser->at - 1] & 0x80 && (peek(parser, 0) & ~0x3f) == 0x80);
    return true;
}

/* The assertion that \LETTER is, or -1. */
static int find_assertion(int letter)
{
    static const char letters[] = {
        [AT_BEGIN] = '`',         [AT_END] = '\'',       [AT_WORD_EDGE] = 'b',
        [NOT_AT_WORD_EDGE] = 'B', [AT_WORD_BEGIN] = '<', [AT_WORD_END] = '>'};
    for (unsigned i = 0; i < sizeof(letters); i++)
        if (letters[i] == letter)
            return (int)i;
    return -1;
}

static bool parse_escape(struct pattern_parser *parser, bool *can_repeat)
{
    struct byte_set set;
    int const letter = peek(parser, 1);
    int const assertion = find_assertion(letter);
    if (letter < 0)
        return refuse(parser, "it ends in a backslash; write \\\\ to look for one");
    if (letter >= '1' && letter <= '9')
        return refuse(parser, "it refers back to a group, which is not possible here; write out "
                              "what the group may be");
    parser->at++;
    *can_repeat = assertion < 0;
    if (assertion < 0 && !escape_set((char)letter, &set))
        return parse_letter(parser);
    parser->at++;
    return assertion < 0 ? add_letters(parser, &set)
                         : add_assertion(parser, (enum assertion)assertion);
}

static bool parse_alternatives(struct pattern_parser *parser);

static bool parse_group(struct pattern_parser *parser)
{
    if (parser->depth == DEPTH_MAX) {
        parser->is_size = true;
        return refuse(parser,
                      "its parentheses are more than 100 deep; leave out those that are not "
                      "needed");
    }
    parser->at += peek(parser, 1) == '?' && peek(parser, 2) == ':' ? 3 : 1;
    parser->depth++;
    if (!parse_alternatives(parser))
        return false;
    parser->depth--;
    if (peek(parser, 0) != ')')
        return refuse(parser, "a ( has no ); write \\( to look for a parenthesis");
    parser->at++;
    return true;
}

static bool parse_bracket(struct pattern_parser *parser)
{
    struct byte_set set;
    parser->at++;
    const char *why = bracket_parse(parser->text, &parser->at, &set);
    return why ? refuse(parser, why) : add_letters(parser, &set);
}

static bool parse_atom(struct pattern_parser *parser, bool *can_repeat)
{
    *can_repeat = true;
    switch (peek(parser, 0)) {
    case '(':
        return parse_group(parser);
    case '[':
        return parse_bracket(parser);
    case '\\':
        return parse_escape(parser, can_repeat);
    case '.':
        parser->at++;
        return add_any(parser);
    case '^':
    case '$':
        *can_repeat = false;
        return add_assertion(parser, parser->text.data[parser->at++] == '^' ? AT_BEGIN : AT_END);
    case '*':
    case '+':
    case '?':
        return refuse(parser,
                      "a *, + or ? has nothing before it to repeat; write \\*, \\+ or \\? to "
                      "look for one");
    default:
        return parse_letter(parser);
    }
}

/* Digits, if there are any. */
static bool parse_count(const struct pattern_parser *parser, size_t *ahead, uint32_t *count)
{
    size_t const from = *ahead;
    uint32_t value = 0;
    for (int c; (c = peek(parser, *ahead)) >= '0' && c <= '9'; ++*ahead)
        value = value > PROGRAM_STEPS_MAX ? value : value * 10 + (uint32_t)(c - '0');
    if (*ahead > from)
        *count = value;
    return *ahead > from;
}

/* {3}, {3,}, {,5} or {3,5}.  Anything else is a brace, as in the name of a lambda. */
static bool parse_interval(struct pattern_parser *parser, struct repetition *repetition)
{
    size_t ahead = 1;
    uint32_t least = 0, most = REPEAT_NO_END;
    bool const has_least = parse_count(parser, &ahead, &least);
    bool has_most = false;
    if (peek(parser, ahead) == ',') {
        ahead++;
        has_most = parse_count(parser, &ahead, &most);
    } else {
        most = least;
    }
    if (peek(parser, ahead) != '}' || (!has_least && !has_most))
        return false;
    *repetition = (struct repetition){least, most};
    parser->at += ahead + 1;
    return true;
}

static bool parse_repetition(struct pattern_parser *parser, struct repetition *repetition)
{
    switch (peek(parser, 0)) {
    case '*':
        *repetition = (struct repetition){0, REPEAT_NO_END};
        break;
    case '+':
        *repetition = (struct repetition){1, REPEAT_NO_END};
        break;
    case '?':
        *repetition = (struct repetition){0, 1};
        break;
    case '{':
        return parse_interval(parser, repetition);
    default:
        return false;
    }
    parser->at++;
    return true;
}

/* Returns whether an operator after another changes nothing: a row of stars would otherwise
 * enlarge the program with each star. */
static bool is_needless(struct repetition before, struct repetition again)
{
    bool const is_plain = again.least <= 1 && (again.most == 1 || again.most == REPEAT_NO_END);
    return is_plain && again.least >= before.least && before.least <= 1 &&
           (before.most == REPEAT_NO_END || (before.most == 1 && again.most == 1));
}

static bool parse_repeated(struct pattern_parser *parser)
{
    uint32_t const begin = count_steps(parser);
    struct repetition so_far = {1, 1}, times;
    bool can_repeat;
    if (!parse_atom(parser, &can_repeat))
        return false;
    while (can_repeat && parse_repetition(parser, &times)) {
        if (times.least > times.most)
            return refuse(parser, "in {m,n}, the first number is the smaller one");
        if (is_needless(so_far, times))
            continue;
        if (!heed(parser, program_repeat(parser->program, begin, times)))
            return false;
        so_far = (struct repetition){times.least && so_far.least,
                                     times.most == REPEAT_NO_END || so_far.most == REPEAT_NO_END
                                         ? REPEAT_NO_END
                                         : times.most};
    }
    return true;
}

static bool parse_sequence(struct pattern_parser *parser)
{
    for (int c; (c = peek(parser, 0)) >= 0 && c != '|' && !(c == ')' && parser->depth > 0);)
        if (!parse_repeated(parser))
            return false;
    return true;
}

/* Each alternative but the last gets a split between it and the next, and a jump behind all
 * alternatives.  Until that target is known, each jump holds the place of the jump before. */
static bool parse_alternatives(struct pattern_parser *parser)
{
    uint32_t last_jump = 0;
    for (;;) {
        uint32_t const begin = count_steps(parser);
        if (!parse_sequence(parser))
            return false;
        if (peek(parser, 0) != '|')
            break;
        parser->at++;
        uint32_t const count = count_steps(parser) - begin;
        if (!insert(parser, begin,
                    (struct pattern_step){.kind = STEP_SPLIT, .to = (int32_t)count + 2}) ||
            !add(parser, (struct pattern_step){.kind = STEP_JUMP, .to = (int32_t)last_jump}))
            return false;
        last_jump = count_steps(parser) - 1;
    }
    while (last_jump) {
        struct pattern_step *jump = &parser->program->steps.items[last_jump];
        uint32_t const before = (uint32_t)jump->to;
        jump->to = (int32_t)(count_steps(parser) - last_jump);
        last_jump = before;
    }
    return true;
}

static bool parse_all(struct pattern_parser *parser, enum pattern_place place)
{
    struct byte_set const all = {{~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)}};
    struct byte_set const goes_on = {{0, 0, ~UINT64_C(0), 0}};
    if (!vec_push(&parser->program->sets, all) || !vec_push(&parser->program->sets, goes_on))
        return heed(parser, -ENOMEM);
    if (place == PATTERN_ANYWHERE &&
        (!add(parser, (struct pattern_step){.kind = STEP_SPLIT, .to = 3}) ||
         !add(parser, (struct pattern_step){.kind = STEP_SET, .set = SET_ALL}) ||
         !add(parser, (struct pattern_step){.kind = STEP_JUMP, .to = -2})))
        return false;
    return parse_alternatives(parser) &&
           (place != PATTERN_WHOLE || add_assertion(parser, AT_END)) &&
           add(parser, (struct pattern_step){.kind = STEP_FOUND});
}

const char *pattern_program_parse(struct pattern_program *program, struct slice text,
                                  enum pattern_place place, bool *is_size)
{
    struct pattern_parser parser = {.text = text, .program = program};
    memset(program, 0, sizeof(*program));
    bool const is_right = parse_all(&parser, place);
    *is_size = parser.is_size;
    return is_right ? NULL : parser.why;
}
