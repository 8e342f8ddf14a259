// SPDX-License-Identifier: Apache-2.0
// The sets that a check feeds: each changes something, and what shows nothing is named.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/check/input_sets.h"
#include "src/diag/error.h"
#include "src/export/stages.h"
#include "src/model/torch_module.h"
#include "src/samples/variations.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

ir::Tensor without_values(ir::DType dtype, const ir::Ints& shape) {
  ir::Tensor out;
  out.dtype = dtype;
  out.shape = shape;
  out.strides = ir::contiguous_strides(shape);
  return out;
}

InputSets sets_of(const std::string& source, std::vector<Sample> samples,
                  const std::vector<std::pair<std::string, ir::Tensor>>& parameters = {}) {
  LoadedModel loaded;
  loaded.session = torch_module().compile({source, parameters});
  loaded.samples = std::move(samples);
  const TracedModel model = trace_model(loaded, {});
  return make_input_sets(source_model(model), 2, {}, {});
}

Sample sample(const char* name, ir::Tensor tensor) {
  return {{{name}, std::move(tensor)}, std::nullopt};
}

std::vector<std::string> names(const InputSets& sets) {
  std::vector<std::string> out;
  for (const InputSet& set : sets.sets) out.push_back(set.name);
  return out;
}

std::vector<double> fed(const InputSets& sets, const std::string& name, size_t input = 0) {
  for (const InputSet& set : sets.sets)
    if (set.name == name) return ir::to_f64(std::get<ir::Tensor>(set.inputs[input].value));
  FAIL("no set is called ", name);
  return {};
}

TEST_CASE("floats are varied in all ways, each input alone") {
  const InputSets sets = sets_of("def forward(self, x, y): return x + torch.relu(y)",
                                 {sample("x", randn({3}, 1)), sample("y", randn({3}, 2))});
  CHECK_EQ(names(sets), std::vector<std::string>{
                            "", "all changed", "only 'x' changed", "only 'y' changed",
                            "values times 10", "values times 100", "values times 0.01",
                            "signs flipped", "values 0, 1 and -1", "values of all magnitudes"});
  const std::vector<double> x = fed(sets, "");
  for (size_t i = 0; i < x.size(); ++i) {
    CHECK_EQ(fed(sets, "values times 10")[i], doctest::Approx(10 * x[i]));
    CHECK_EQ(fed(sets, "values times 0.01")[i], doctest::Approx(0.01 * x[i]));
    CHECK_EQ(fed(sets, "signs flipped")[i], -x[i]);
    CHECK_EQ(fed(sets, "only 'y' changed")[i], x[i]);
    CHECK_LE(std::abs(fed(sets, "values 0, 1 and -1")[i]), 1);
  }
  CHECK_NE(fed(sets, "only 'x' changed"), x);
  CHECK(sets.without_effect.empty());
  CHECK_EQ(sets.left_out, 0);
  CHECK_EQ(sets.movements[0].share(), 1);
}

TEST_CASE("inputs that no output depends on are named, unread ones are not") {
  const std::vector<Sample> samples = {sample("x", randn({3}, 1)), sample("y", randn({3}, 2))};
  CHECK_EQ(sets_of("def forward(self, x, y): return x + y * 1e-12", samples).without_effect,
           std::vector<std::string>{"'y'"});
  CHECK(sets_of("def forward(self, x, y): return x + 1", samples).without_effect.empty());
}

TEST_CASE("integers and booleans that a permutation leaves alone are drawn anew") {
  const InputSets sets = sets_of(
      "def forward(self, x, mask, step, table):\n"
      "  return (x + self.w[step]).masked_fill(mask == 0, -1.) + table.float()\n",
      {sample("x", randn({2, 3}, 1)),
       sample("mask", values({2, 3}, {1, 1, 1, 1, 1, 1}, ir::DType::i64)),
       sample("step", values({1}, {421}, ir::DType::i64)),
       sample("table", values({1, 3}, {1, 1, 1}, ir::DType::boolean))},
      {{"w", randn({1000, 3}, 3)}});
  CHECK(sets.without_effect.empty());
  const std::vector<double> mask = fed(sets, "only 'mask' changed", 1);
  CHECK_GT(std::count(mask.begin(), mask.end(), 0), 0);
  const double step = fed(sets, "only 'step' changed", 2)[0];
  CHECK_NE(step, 421);
  CHECK_GE(step, 0);
  CHECK_LT(step, 1000);
  CHECK_EQ(fed(sets, "only 'table' changed", 3)[0], 0);
}

TEST_CASE("input sets contain masks of all zeros and all ones") {
  const InputSets sets = sets_of(
      "def forward(self, x, mask, hidden, count):\n"
      "  return (x * mask).masked_fill(hidden, -1.) + count\n",
      {sample("x", randn({2, 3}, 1)),
       sample("mask", values({2, 3}, {1, 0, 1, 1, 1, 1}, ir::DType::i64)),
       sample("hidden", without_values(ir::DType::boolean, {2, 3})),
       sample("count", values({3}, {1, 2, 3}, ir::DType::i64))});
  for (const int number : {0, 1}) {
    const std::string name = cat("masks all ", number);
    CHECK_EQ(fed(sets, name, 0), fed(sets, "", 0));
    CHECK_EQ(fed(sets, name, 1), std::vector<double>(6, number));
    CHECK_EQ(fed(sets, name, 2), std::vector<double>(6, number));
    CHECK_EQ(fed(sets, name, 3), std::vector<double>{1, 2, 3});
  }
  const InputSets without = sets_of("def forward(self, x): return x", {sample("x", randn({3}, 1))});
  for (const std::string& name : names(without)) CHECK_FALSE(name.starts_with("masks"));
}

TEST_CASE("all numbers that index a small table are used") {
  const InputSets sets =
      sets_of("def forward(self, ids): return torch.embedding(self.w, ids)",
              {sample("ids", without_values(ir::DType::i64, {4}))}, {{"w", randn({10, 3}, 3)}});
  std::vector<double> all;
  for (int part = 0; part < 3; ++part)
    for (const double id : fed(sets, cat("integers in order, ", part))) all.push_back(id);
  for (int id = 0; id < 10; ++id) CHECK_EQ(std::count(all.begin(), all.end(), id), id < 2 ? 2 : 1);
}

TEST_CASE("numbers that index a large table are spread from its first row to its last") {
  const auto swept = [](int64_t rows, int64_t columns) {
    const InputSets sets = sets_of("def forward(self, ids): return torch.embedding(self.w, ids)",
                                   {sample("ids", without_values(ir::DType::i64, {4}))},
                                   {{"w", randn({rows, columns}, 3)}});
    std::vector<double> all;
    for (const InputSet& set : sets.sets)
      if (set.name.starts_with("integers in order, "))
        for (const double id : fed(sets, set.name)) all.push_back(id);
    return all;
  };
  // 64 sets of a small model, 6 of a large one.
  const std::vector<double> small = swept(1000, 3);
  CHECK_EQ(small.size(), 256);
  const std::vector<double> large = swept(200'000, 400);
  CHECK_EQ(large.size(), 24);
  for (const std::vector<double>& all : {small, large}) {
    CHECK(std::is_sorted(all.begin(), all.end()));
    CHECK_EQ(std::set<double>(all.begin(), all.end()).size(), all.size());
    CHECK_EQ(all[0], 0);
  }
  CHECK_EQ(small.back(), 999);
  CHECK_EQ(large.back(), 199'999);
  CHECK_EQ(large[12], doctest::Approx(100'000).epsilon(0.01));
}

TEST_CASE("indices count from the end where torch lets them") {
  const InputSets sets =
      sets_of("def forward(self, i): return self.w[i]",
              {sample("i", without_values(ir::DType::i64, {3}))}, {{"w", randn({5, 2}, 3)}});
  CHECK_EQ(fed(sets, "indices that count from the end"), std::vector<double>{-5, -4, -1});
  const InputSets table =
      sets_of("def forward(self, i): return torch.embedding(self.w, i)",
              {sample("i", without_values(ir::DType::i64, {3}))}, {{"w", randn({5, 2}, 3)}});
  CHECK_EQ(table.left_out, 0);
  for (const std::string& name : names(table)) CHECK_NE(name, "indices that count from the end");
}

TEST_CASE("integers of no known range are small, larger, and negative") {
  const InputSets sets = sets_of("def forward(self, n): return n // 3",
                                 {sample("n", without_values(ir::DType::i64, {64}))});
  const auto range = [&](const char* name) {
    const std::vector<double> values = fed(sets, name);
    return std::pair(*std::min_element(values.begin(), values.end()),
                     *std::max_element(values.begin(), values.end()));
  };
  CHECK_EQ(range(""), std::pair(0.0, 1.0));
  CHECK_EQ(range("larger integers"), std::pair(0.0, 10.0));
  CHECK_LT(range("negative integers").first, -5);
}

TEST_CASE("inputs that torch refuses or answers with NaN are left out") {
  const InputSets roots =
      sets_of("def forward(self, x): return x.log()", {sample("x", values({3}, {0.5, 1, 2}))});
  CHECK_GT(roots.left_out, 0);
  for (const InputSet& set : roots.sets)
    for (const double value : ir::to_f64(set.expected[0])) CHECK(std::isfinite(value));
  const InputSets refusing = sets_of(
      "def forward(self, x, n):\n"
      "  assert bool((n == 2).all())\n  return x * n\n",
      {sample("x", randn({3}, 1)), sample("n", values({1}, {2}, ir::DType::i64))});
  CHECK_EQ(fed(refusing, "all changed", 1), std::vector<double>{2});
  CHECK_EQ(refusing.without_effect, std::vector<std::string>{"'n'"});
}

TEST_CASE("the model's own limits are crossed") {
  const InputSets sets =
      sets_of("def forward(self, x): return torch.where(x > 500, x, -x).clamp(max=900)",
              {sample("x", randn({64}, 1))});
  const std::vector<double> x = fed(sets, "values around the model's own limits");
  CHECK_GT(std::count_if(x.begin(), x.end(), [](double v) { return v > 500 && v < 900; }), 0);
  CHECK_GT(std::count_if(x.begin(), x.end(), [](double v) { return v > 900; }), 0);
  CHECK_GT(std::count(x.begin(), x.end(), 500), 0);
}

TEST_CASE("computed values cross the model's limits") {
  const InputSets sets = sets_of(
      "def forward(self, x): return torch.where(x.sum() > 5000, x, -x) + x.mean().clamp(min=-300)",
      {sample("x", values({4}, {1, 2, 3, 4}))});
  bool is_above = false;
  bool is_below = false;
  for (const InputSet& set : sets.sets) {
    double sum = 0;
    for (const double x : ir::to_f64(std::get<ir::Tensor>(set.inputs[0].value))) sum += x;
    is_above |= sum > 5000;
    is_below |= sum < -1200;
  }
  CHECK(is_above);
  CHECK(is_below);
}

TEST_CASE("integers of no known range reach the ends of 8 and 16 bits, and 2^24") {
  const auto all = [](const std::string& source, const ir::Tensor& sample_value) {
    std::set<double> out;
    const InputSets sets = sets_of(source, {sample("n", sample_value)});
    for (const InputSet& set : sets.sets)
      for (const double n : ir::to_f64(std::get<ir::Tensor>(set.inputs[0].value))) out.insert(n);
    return out;
  };
  const std::set<double> wide =
      all("def forward(self, n): return n // 3", without_values(ir::DType::i64, {64}));
  for (const double end : {-128., 127., 255., 256., -32768., 32767., 65535., 16777217.})
    CHECK(wide.contains(end));
  const std::set<double> given =
      all("def forward(self, n): return n // 3", values({3}, {7, 3, 5}, ir::DType::i64));
  CHECK_LT(*given.begin(), -1e4);
  const std::set<double> bytes =
      all("def forward(self, n): return n * 3", without_values(ir::DType::u8, {64}));
  CHECK(bytes.contains(255));
  // Counts would take all memory.
  const std::set<double> counts =
      all("def forward(self, n): return torch.arange(int(n)) * 2", values({}, {3}, ir::DType::i64));
  CHECK_LT(*counts.rbegin(), 100);
}

TEST_CASE("halves are fed where the graph rounds, and infinities where it asks for them") {
  const std::vector<Sample> samples = {sample("x", randn({64}, 1))};
  const std::vector<double> halves =
      fed(sets_of("def forward(self, x): return x.round()", samples), "values at halves");
  CHECK_GT(std::count_if(halves.begin(), halves.end(),
                         [](double x) { return std::abs(x - std::floor(x)) == 0.5; }),
           10);
  const std::vector<double> infinite = fed(
      sets_of("def forward(self, x): return torch.isinf(x).float() + torch.nan_to_num(x)", samples),
      "infinite values");
  CHECK_GT(std::count(infinite.begin(), infinite.end(), HUGE_VAL), 0);
  for (const std::string& name : names(sets_of("def forward(self, x): return x + 1", samples))) {
    CHECK_NE(name, "values at halves");
    CHECK_NE(name, "infinite values");
  }
}

TEST_CASE("an output of which one half does not move counts as hardly moving") {
  const InputSets sets = sets_of("def forward(self, x): return torch.cat([x, torch.zeros(9)])",
                                 {sample("x", randn({3}, 1))});
  CHECK_EQ(sets.movements[0].share(), 0.25);
  CHECK_EQ(sets.movements[0].median(), 0);
}

TEST_CASE("of a mask the first element changes, and others by chance") {
  std::vector<Sample> samples;
  const ir::Tensor ones = values({8}, {1, 1, 1, 1, 1, 1, 1, 1}, ir::DType::i64);
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) samples.push_back(sample(name, ones));
  const InputSets sets = sets_of(
      "def forward(self, a, b, c, d, e, f):\n  return torch.stack([a, b, c, d, e, f])\n", samples);
  for (size_t i = 0; i < samples.size(); ++i)
    CHECK_EQ(fed(sets, cat("only '", samples[i].input.path.at(0), "' changed"), i)[0], 0);
}

}  // namespace
}  // namespace t2n::test
