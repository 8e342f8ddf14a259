// Loops as tract_core_scan, in every engine.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/export/torch_module.h"
#include "tests/support/example.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

/// A graph in text form, run by torch's kernels and by every engine.
void check_graph(const std::string& text, const std::vector<ir::Tensor>& inputs,
                 double tolerance = 1e-5) {
  for (const target::Target& target : test_targets()) {
    CAPTURE(target::target_name(target));
    try {
      ir::Graph graph = ir::parse(text);
      const std::vector<ir::Tensor> expected =
          ir::run_graph(graph, inputs, torch_module().evaluator());
      CHECK_CLOSE(export_and_run(Example{graph, inputs, expected, {}}, target), rel(tolerance));
    } catch (const Error& error) {
      FAIL_CHECK(std::string(error.what()));
    }
  }
}

TEST_CASE("a cell over time: states, stacked outputs, captured weights") {
  check_graph(
      R"(graph m(%x: f32[2,3,4], %h: f32[2,4], %w: f32[12,4]) -> (%all as "all", %last as "last") {
    const %b: f32[12] = {0.1, 0.2, 0.3, 0.4, -0.1, -0.2, -0.3, -0.4, 0.5, 0.6, 0.7, 0.8}
    %all: f32[2,3,4], %last: f32[2,4] = t2n::scan(length=3, scanned=[%x], scanned_axes=[1], scanned_reversed=[false], initial=[%h], captured=[%w, %b], stacked_axes=[1], stacked_reversed=[false]) body graph turn(%t: i64[], %v: f32[2,4], %h: f32[2,4], %w: f32[12,4], %b: f32[12]) -> (%n as "all", %n as "h") {
      %n: f32[2,4] = aten::gru_cell(input=%v, hx=%h, w_ih=%w, w_hh=%w, b_ih=%b, b_hh=none)
    }
  })",
      {randn({2, 3, 4}, 1), randn({2, 4}, 2), randn({12, 4}, 3)});
}

}  // namespace
}  // namespace t2n::test
