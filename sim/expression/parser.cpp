// The grammar, in PEGTL, and the words of its errors. Included nowhere: PEGTL compiles slowly.
// Actions run as soon as their rule matches, so no rule with an action is ever taken back: the
// grammar decides by the next token, and `must` makes what has to follow an error when it does not.
#include "sim/expression/parser.h"

#include <string>

#include <fmt/format.h>
#include <tao/pegtl.hpp>

#include "sim/expression/expression_error.h"
#include "sim/expression/tree_builder.h"

namespace flashscope::expression {
namespace {

namespace peg = tao::pegtl;

namespace grammar {

// clang-format off
struct space : peg::star<peg::one<' '>> {};
template <char... Letters>
struct word : peg::seq<peg::string<Letters...>, peg::not_at<peg::identifier_other>> {};
struct reserved : peg::sor<word<'a', 'n', 'd'>, word<'o', 'r'>, word<'n', 'o', 't'>> {};

// Takes in letters and points too, so that `1.5.2` and `12ab` are one bad number.
struct number_letter : peg::sor<peg::identifier_other, peg::one<'.'>> {};
struct signed_exponent : peg::seq<peg::one<'e', 'E'>, peg::one<'+', '-'>, peg::digit> {};
struct hexadecimal
    : peg::seq<peg::one<'0'>, peg::one<'x', 'X'>, peg::star<number_letter>> {};
struct decimal
    : peg::seq<peg::opt<peg::one<'.'>>, peg::digit,
               peg::star<peg::sor<signed_exponent, number_letter>>> {};
struct number : peg::sor<hexadecimal, decimal> {};
struct name : peg::seq<peg::not_at<reserved>, peg::identifier> {};

struct prefix_operator
    : peg::sor<peg::one<'-'>, peg::seq<peg::one<'!'>, peg::not_at<peg::one<'='>>>,
               word<'n', 'o', 't'>> {};
struct infix_operator  // longer ones first
    : peg::sor<peg::string<'|', '|'>, peg::string<'&', '&'>, peg::string<'=', '='>,
               peg::string<'!', '='>, peg::string<'<', '<'>, peg::string<'>', '>'>,
               peg::string<'<', '='>, peg::string<'>', '='>, peg::string<'/', '/'>,
               peg::one<'|', '^', '&', '<', '>', '+', '-', '*', '/', '%'>,
               word<'o', 'r'>, word<'a', 'n', 'd'>> {};

struct expression;
struct closing_parenthesis : peg::one<')'> {};
struct group
    : peg::if_must<peg::one<'('>, expression, closing_parenthesis> {};
struct function_name : name {};
struct call_begin : peg::seq<function_name, space, peg::one<'('>> {};
struct end_of_arguments : peg::one<')'> {};
struct call
    : peg::if_must<call_begin, expression, peg::star<peg::if_must<peg::one<','>, expression>>,
                   end_of_arguments> {};
// A dotted name, such as fa2.load_bytes, is one name of the vocabulary.
struct variable : peg::list<name, peg::one<'.'>> {};
struct value : peg::sor<number, group, call, variable> {};

struct index_begin : peg::one<'['> {};
struct closing_bracket : peg::one<']'> {};
struct index
    : peg::if_must<index_begin, expression, peg::star<peg::if_must<peg::one<','>, expression>>,
                   closing_bracket> {};
struct point : peg::one<'.'> {};
struct member_name : name {};
struct member : peg::if_must<point, space, member_name> {};
struct postfixes : peg::star<space, peg::sor<index, member>> {};

struct operand : peg::seq<peg::star<prefix_operator, space>, peg::must<value>, postfixes, space> {};

struct question : peg::one<'?'> {};
struct colon : peg::one<':'> {};
struct conditional : peg::if_must<question, expression, colon, expression> {};

struct begin : peg::success {};
struct expression
    : peg::seq<space, begin, operand, peg::star<infix_operator, space, operand>,
               peg::opt<conditional>> {};
struct whole_text : peg::must<expression, peg::eof> {};
// clang-format on

}  // namespace grammar

template <typename Rule>
struct Action : peg::nothing<Rule> {};

// An action that gives the place of what the rule matched to a function of the builder.
template <void (TreeBuilder::*function)(std::size_t, std::size_t)>
struct SpanAction {
  template <typename Match>
  static void apply(const Match& match, TreeBuilder& builder) {
    const char* text = builder.text().data();
    (builder.*function)(static_cast<std::size_t>(match.begin() - text),
                        static_cast<std::size_t>(match.end() - text));
  }
};

template <>
struct Action<grammar::number> : SpanAction<&TreeBuilder::add_literal> {};
template <>
struct Action<grammar::variable> : SpanAction<&TreeBuilder::add_variable> {};
template <>
struct Action<grammar::prefix_operator> : SpanAction<&TreeBuilder::add_prefix_operator> {};
template <>
struct Action<grammar::infix_operator> : SpanAction<&TreeBuilder::add_infix_operator> {};
template <>
struct Action<grammar::group> : SpanAction<&TreeBuilder::close_group> {};
template <>
struct Action<grammar::call_begin> : SpanAction<&TreeBuilder::open_call> {};
template <>
struct Action<grammar::call> : SpanAction<&TreeBuilder::close_call> {};
template <>
struct Action<grammar::index_begin> : SpanAction<&TreeBuilder::open_index> {};
template <>
struct Action<grammar::index> : SpanAction<&TreeBuilder::close_index> {};
template <>
struct Action<grammar::point> : SpanAction<&TreeBuilder::check_postfix> {};
template <>
struct Action<grammar::member_name> : SpanAction<&TreeBuilder::add_member> {};
template <>
struct Action<grammar::begin> : SpanAction<&TreeBuilder::begin_expression> {};
template <>
struct Action<grammar::expression> : SpanAction<&TreeBuilder::end_expression> {};
template <>
struct Action<grammar::question> : SpanAction<&TreeBuilder::add_question> {};
template <>
struct Action<grammar::conditional> : SpanAction<&TreeBuilder::close_conditional> {};

// What should have stood where a `must` rule failed.
template <typename Rule>
constexpr const char* kExpected = "a value";
template <>
constexpr const char* kExpected<grammar::closing_parenthesis> = "an operator or `)`";
template <>
constexpr const char* kExpected<grammar::end_of_arguments> = "an operator, `,` or `)`";
template <>
constexpr const char* kExpected<grammar::closing_bracket> = "an operator, `,` or `]`";
template <>
constexpr const char* kExpected<grammar::member_name> = "a name";
template <>
constexpr const char* kExpected<grammar::colon> = "an operator or the `:` of `? :`";
template <>
constexpr const char* kExpected<peg::eof> = "an operator or the end";

// For a `=` that stands where no operator begins with one.
const char* hint_at(std::string_view text) {
  if (text.starts_with("=<")) return "; write `<=`";
  if (text.starts_with("=>")) return "; write `>=`";
  return text.starts_with("=") ? "; to compare, write `==`" : "";
}

Error syntax_error(std::string_view text, std::size_t position, const char* expected) {
  if (position == text.size()) {
    return error_at(text, position, fmt::format("expected {}, but the text ends here", expected));
  }
  return error_at(text, position,
                  fmt::format("expected {}, found `{}`{}", expected, text[position],
                              hint_at(text.substr(position))));
}

template <typename Rule>
struct Control : peg::normal<Rule> {
  template <typename Input>
  [[noreturn]] static void raise(const Input& input, const TreeBuilder& builder) {
    const auto position = static_cast<std::size_t>(input.current() - builder.text().data());
    throw syntax_error(builder.text(), position, kExpected<Rule>);
  }
};

void check_characters(std::string_view text) {
  if (text.size() > kMaxTextLength) {
    throw error_at(text, kMaxTextLength,
                   fmt::format("the expression has {} characters; at most {} are allowed",
                               text.size(), kMaxTextLength));
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] >= ' ' && text[i] <= '~') continue;
    throw error_at(text, i,
                   fmt::format("byte 0x{:02x} is not allowed; write plain ASCII on one line",
                               static_cast<unsigned char>(text[i])));
  }
}

}  // namespace

std::unique_ptr<const Node> parse_expression(std::string_view text, const Vocabulary& vocabulary) {
  check_characters(text);
  TreeBuilder builder(text, vocabulary);
  peg::memory_input<peg::tracking_mode::lazy> input(text.data(), text.size(), "");
  peg::parse<grammar::whole_text, Action, Control>(input, builder);
  return builder.finish();
}

}  // namespace flashscope::expression
