// SPDX-License-Identifier: Apache-2.0
// Whole documents: of other exporters, and broken ones.
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>

#include "src/diag/error.h"
#include "src/lint/strict.h"
#include "src/nnef/artefact.h"
#include "src/nnef/parser.h"
#include "src/spec/types.h"

namespace t2n::spec {
namespace {

nnef::Artefact foreign(const char* file) {
  const char* const source = std::getenv("T2NNEF_SOURCE_DIR");
  REQUIRE(source != nullptr);
  return nnef::read_artefact(std::filesystem::path(source) / "fixtures/foreign" / file);
}

TEST_CASE("other exporters' documents for tract are not strict") {
  for (const char* file : {"cnn_q4.nnef.tgz", "gru_dynamic.nnef.tgz"}) {
    CAPTURE(file);
    const nnef::Artefact artefact = foreign(file);
    CHECK_FALSE(lint_strict(artefact).empty());
  }
}

constexpr std::string_view kDocument = R"(version 1.0;
graph network(x, n) -> (mean, k, flipped, back, up) {
  x = external(shape = [1, 4, 8, 8]);
  n = external<integer>(shape = [2]);
  filter = variable(shape = [8, 2, 3, 3], label = 'filter');
  table = variable<integer>(shape = [5, 3], label = 'table');
  c = conv(x, filter, 1e-3, padding = [(1, 1), (1, 1)], stride = [2, 1], dilation = [], groups = 2);
  d = deconv(c, filter, padding = [(1, 1), (1, 1)], stride = [2, 1], output_shape = [1, 4, 8, 8],
             groups = 2);
  p = max_pool(c, size = [1, 1, 2, 2], border = 'ignore', padding = [(0, 0), (0, 0), (0, 1), (1, 0)]);
  [a, b] = split(p, axis = 1, ratios = [1, 3]);
  (mean, variance) = moments(b, axes = [2, 3]);
  r = reshape(mean, shape = [0, 2, -1], axis_start = 0, axis_count = -1);
  k = gather(table, n, axis = 0);
  flipped = slice(r, axes = [1], begin = [-1], end = [-3], stride = [-1]);
  back = pad(r, padding = [(0, 0), (1, 0), (2, 2)], border = 'reflect');
  up = multilinear_upsample(a, factor = [2, 2]);
  t = transpose(r, axes = [0, 2, 1]);
  m = matmul(r, t, transposeA = false);
  q = stack([r, r], axis = 3);
  s = select(true, q, 0.0);
  v = constant(shape = [2], value = [0.5, 1.5]);
})";

constexpr std::array<std::string_view, 14> kWords = {
    "0",      "-1",   "2147483647", "-2147483648", "9223372036854775807",
    "1.5",    "true", "'x'",        "[]",          "[1]",
    "(1, 1)", "x",    "c",          "relu"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The text with one word or number left out, doubled or replaced.
std::string broken(std::string text, std::mt19937& random) {
  const auto below = [&](size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random);
  };
  size_t begin = text.find('{') + below(text.size() - text.find('{'));
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  size_t end = begin;
  while (end < text.size() && is_word(text[end])) ++end;
  const size_t kind = below(4);
  const std::string word = text.substr(begin, end - begin);
  if (kind == 0) return text.erase(begin, end - begin);
  if (kind == 1) return text.insert(end, ", " + word);
  return text.replace(begin, end - begin, kWords[below(kWords.size())]);
}

std::optional<nnef::Document> parsed(const std::string& text) {
  try {
    return nnef::parse_document(text, "graph.nnef");
  } catch (const Error&) {
    return std::nullopt;
  }
}

TEST_CASE("broken documents get findings, and cause no crash") {
  std::mt19937 random(20);
  int judged = 0;
  int clean = 0;
  for (int i = 0; i < 8000; ++i) {
    std::string text(kDocument);
    for (int k = 0; k <= i % 3; ++k) text = broken(std::move(text), random);
    const auto document = parsed(text);
    if (!document) continue;
    CAPTURE(text);
    std::vector<Violation> violations;
    CHECK_NOTHROW(violations = lint_strict(*document));
    ++judged;
    clean += violations.size() == 2 ? 1 : 0;  // two variables without stored tensors
  }
  CHECK(judged > 1000);
  CHECK(clean > 50);
}

TEST_CASE("the unmodified document has no findings") {
  const auto document = parsed(std::string(kDocument));
  REQUIRE(document);
  const std::vector<Stored> stored = {{"filter", {8, 2, 3, 3}, ir::DType::f32, false, 0, {}},
                                      {"table", {5, 3}, ir::DType::i32, false, 0, {}}};
  std::string said;
  for (const Violation& each : lint_strict(*document, stored)) said += each.message + "\n";
  CHECK(said == "");
}

}  // namespace
}  // namespace t2n::spec
