// SPDX-License-Identifier: Apache-2.0
// The exact text of diagnostics.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/diag/sink.h"

namespace t2n {
namespace {

Diagnostic full() {
  Where where;
  where.module = "encoder.layers.3.act";
  where.module_class = "GELU";
  where.frames = {{"model.py", 88, 16, "forward"}};
  where.excerpt = R"(return F.gelu(y, approximate="fast"))";
  where.caret = 7;
  where.caret_width = 6;
  return {.id = "unsupported-argument",
          .message = "aten::gelu: approximate='fast' has no translation for tract@0.23.9",
          .where = {where},
          .details = {},
          .why = "known values are 'none' and 'tanh'",
          .help = "re-export the model with approximate='tanh'"};
}

}  // namespace

TEST_CASE("a diagnostic with everything") {
  CHECK_EQ(render_text(full()),
           "error[unsupported-argument]: aten::gelu: approximate='fast' has no translation for "
           "tract@0.23.9\n"
           "  --> encoder.layers.3.act (GELU), model.py:88:16\n"
           "   |  return F.gelu(y, approximate=\"fast\")\n"
           "   |         ^^^^^^\n"
           "  why:  known values are 'none' and 'tanh'\n"
           "  help: re-export the model with approximate='tanh'\n");
}

TEST_CASE("a diagnostic with a headline only") {
  CHECK_EQ(std::string(Error("usage", "--target is missing").what()),
           "error[usage]: --target is missing\n");
  CHECK_EQ(std::string(Error("usage", "what", "why", "help").what()),
           "error[usage]: what\n  why:  why\n  help: help\n");
}

TEST_CASE("severities") {
  Diagnostic diagnostic{.id = "inconclusive-check",
                        .message = "what",
                        .where = {},
                        .details = {"one", "two"},
                        .why = {},
                        .help = {}};
  diagnostic.severity = Severity::warning;
  CHECK_EQ(render_text(diagnostic), "warning[inconclusive-check]: what\n   one\n   two\n");
  diagnostic.severity = Severity::note;
  CHECK_EQ(render_text(diagnostic), "note[inconclusive-check]: what\n   one\n   two\n");
}

TEST_CASE("a bug of ours does not look like an error of the user") {
  try {
    T2N_ASSERT(1 + 1 == 3, "sums do not add up");
  } catch (const Error& error) {
    const int line = __LINE__ - 2;
    CHECK(error.code() == ExitCode::bug);
    CHECK_EQ(std::string(error.what()), cat("internal error: test_render.cpp:", line,
                                            ": sums do not add up\n"
                                            "  why:  this is a bug in t2nnef, not in your model\n"
                                            "  help: please report it with the command you ran\n"));
  }
}

TEST_CASE("places") {
  Where where;
  CHECK_EQ(render_where(where), "");
  where.frames = {{"model.py", 41, 0, "forward"}, {"train.py", 12, 0, "<module>"}};
  CHECK_EQ(render_where(where), "model.py:41 < train.py:12");
  where.module_class = "Net";
  CHECK_EQ(render_where(where), "the model (Net), model.py:41 < train.py:12");
  where.module = "embed.lookup";
  where.frames[0].column = 5;
  CHECK_EQ(render_where(where), "embed.lookup (Net), model.py:41:5 < train.py:12");
  where.frames.clear();
  where.module_class.clear();
  CHECK_EQ(render_where(where), "embed.lookup");
}

TEST_CASE("an unknown place is left out") {
  Diagnostic diagnostic = full();
  diagnostic.where = {Where{}};
  CHECK_EQ(render_text(diagnostic).find("-->"), std::string::npos);
}

TEST_CASE("a list drops repetitions and keeps the order") {
  DiagnosticList list;
  const Report report = list.report();
  Diagnostic diagnostic = full();
  report(diagnostic);
  diagnostic.message = "another";
  report(diagnostic);
  report(full());
  REQUIRE_EQ(list.items.size(), 2);
  CHECK_EQ(list.items[1].message, "another");
}

TEST_CASE("the nearest word, and none where none is near") {
  const std::vector<std::string> words = {"export", "inspect", "ops"};
  CHECK_EQ(nearest("exprot", words), "export");
  CHECK_EQ(nearest("inspct", words), "inspect");
  CHECK_EQ(nearest("EXPORT", words), "export");
  CHECK_EQ(nearest("quantize", words), "");
  CHECK_EQ(nearest("man", {"run"}), "");  // two of three letters differ
  CHECK_EQ(nearest("y", {"x"}), "");
  CHECK_EQ(nearest("aten::nope", {"aten::copy"}), "");  // the namespace does not count
  CHECK_EQ(nearest("aten::sofmax", {"aten::softmax", "aten::max"}), "aten::softmax");
  CHECK_EQ(nearest("x", {}), "");
}

TEST_CASE("concatenation knows no locale") {
  CHECK_EQ(cat("a", 1, 'b', 1234567, 0.5), "a1b12345670.5");
}

}  // namespace t2n
