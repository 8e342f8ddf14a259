// SPDX-License-Identifier: Apache-2.0
// What names from files look like on a terminal.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n {

TEST_CASE("plain text in any language stays as it is") {
  for (const std::string text : {"", "a b\tc", "Ключ · ключи", "名前", "|Δ| ≥ 1e-4…", "🦀"}) {
    CHECK_EQ(printable(text), text);
    CHECK_EQ(printable_line(text), text);
  }
  CHECK_EQ(printable("two\nlines\n"), "two\nlines\n");
  CHECK_EQ(printable_line("two\nlines"), "two\\nlines");
}

TEST_CASE("terminal control characters are escaped") {
  CHECK_EQ(printable("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  CHECK_EQ(printable("\x1b[2J\r\x7f\b"), "\\x1b[2J\\x0d\\x7f\\x08");
  CHECK_EQ(printable("\xc2\x9b"
                     "31m"),
           "\\u{9b}31m");  // CSI in one character
  CHECK_EQ(printable("abc\u202e.tp"), "abc\\u{202e}.tp");
  CHECK_EQ(printable("\u2066x\u2069\u2028"), "\\u{2066}x\\u{2069}\\u{2028}");
  CHECK_EQ(printable("\U000e0041"), "\\u{e0041}");
  CHECK_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
}

TEST_CASE("bytes that are not UTF-8") {
  CHECK_EQ(printable("\xff"), "\\xff");
  CHECK_EQ(printable("\x9b"
                     "31m"),
           "\\x9b31m");
  CHECK_EQ(printable("\xc3"), "\\xc3");                    // cut off
  CHECK_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  CHECK_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
  CHECK_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST_CASE("JSON keeps its meaning") {
  CHECK_EQ(printable_json("{\"a\": \"\x7f\"}\n"), "{\"a\": \"\\u007f\"}\n");
  CHECK_EQ(printable_json("\"\u202e\""), "\"\\u202e\"");
  CHECK_EQ(printable_json("\"\U000e0041\""), "\"\\udb40\\udc41\"");
}

TEST_CASE("no text is a command for a workflow runner") {
  CHECK_EQ(without_commands("::error::x"), "\\x3a:error::x");
  CHECK_EQ(without_commands("a\n  ::set-output name=b::c\n"), "a\n  \\x3a:set-output name=b::c\n");
  CHECK_EQ(without_commands("a ##[error] b ##[group]"), "a \\x23#[error] b \\x23#[group]");
  for (const char* text : {"", "\n", "aten::relu", "  1x aten::relu\n", "# a\n\n: b", "  "})
    CHECK_EQ(without_commands(text), text);
}

TEST_CASE("long text is cut between characters") {
  CHECK_EQ(clipped("äöü", 3), "äöü");
  CHECK_EQ(clipped("äöüß", 3), "äö…");
  CHECK_EQ(first_line("ab\ncd", 1), "…");
}

TEST_CASE("a name cannot forge a second message") {
  const Error error("nnef-invalid",
                    cat("there is no ", quoted("x\nerror[internal]: \x1b[31mgone")));
  CHECK_EQ(std::string(error.what()),
           "error[nnef-invalid]: there is no 'x\\nerror[internal]: \\x1b[31mgone'\n");
}

}  // namespace t2n
