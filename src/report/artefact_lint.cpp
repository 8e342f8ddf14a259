// Statements of the graph alone: bodies of fragments say what operations mean, not what is odd.
#include "src/report/artefact_lint.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "src/diag/error.h"

namespace t2n::report {
namespace {

using nnef::Assignment;
using nnef::Kind;
using nnef::Value;

const Value* argument(const Value& invocation, const std::string& name) {
  for (const nnef::Argument& each : invocation.arguments)
    if (each.name == name) return &each.value;
  return nullptr;
}

/// The tensor that an operation is given first.
std::string operand(const Value& invocation) {
  if (invocation.arguments.empty()) return {};
  const Value& first = invocation.arguments.front().value;
  return first.kind == Kind::identifier ? first.text : std::string();
}

enum class Step { other, to_integers, to_floats, both };

Step step_of(const Value& right) {
  if (right.kind != Kind::invocation) return Step::other;
  if (right.text.ends_with("_quantize")) return Step::both;
  if (right.text != "tract_core_cast") return Step::other;
  const Value* to = argument(right, "to");
  if (to == nullptr || to->kind != Kind::string) return Step::other;
  const std::string& dtype = to->text;
  if (dtype == "i8" || dtype == "u8") return Step::to_integers;
  return dtype.starts_with('f') ? Step::to_floats : Step::other;
}

void lint_statements(const nnef::Graph& graph, std::vector<ArtefactFinding>& out) {
  std::map<std::string, const Value*> by_name;
  for (const Assignment& assignment : graph.body) {
    const std::string from = operand(assignment.right);
    const auto found = by_name.find(from);
    if (found != by_name.end()) {
      const Step now = step_of(assignment.right);
      const Step before = step_of(*found->second);
      const bool is_pair = (now == Step::to_integers && before == Step::to_floats) ||
                           (now == Step::both && before == Step::both);
      if (is_pair)
        out.push_back({"idle-pair",
                       cat(quoted(assignment.left.text), " rounds ", quoted(from),
                           now == Step::both ? ", which was quantised just before"
                                             : ", which were integers just before"),
                       "export the model with one of the two"});
      if (now == Step::both && found->second->text == "variable")
        out.push_back({"float-constant",
                       cat("the variable ", quoted(from), " is quantised at run time"),
                       "store its integers, as `export` does"});
    }
    if (assignment.left.kind == Kind::identifier && assignment.right.kind == Kind::invocation)
      by_name[assignment.left.text] = &assignment.right;
  }
}

/// Whether numbers are whole multiples of the least of them or of a part of it, by up to 8 bits.
bool are_steps(const std::vector<double>& values) {
  constexpr size_t kFewest = 4;  // fewer are multiples of something by chance
  constexpr double kMost = 255;
  constexpr double kNear = 1e-3;
  std::vector<double> sorted;
  for (const double value : values)
    if (value != 0) sorted.push_back(std::abs(value));
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.size() < kFewest || !std::isfinite(sorted.back())) return false;
  double scale = sorted.front();
  for (size_t i = 1; i < sorted.size(); ++i) scale = std::min(scale, sorted[i] - sorted[i - 1]);
  if (!(scale > 0) || sorted.back() / scale > kMost) return false;
  return std::all_of(sorted.begin(), sorted.end(), [&](double value) {
    const double steps = value / scale;
    return std::abs(steps - std::nearbyint(steps)) <= kNear;
  });
}

/// In rows of a matrix there are enough numbers only if there are many columns.
bool is_on_grid(const ir::Tensor& tensor) {
  constexpr int64_t kFewest = 64;
  if (tensor.dtype != ir::DType::f32 || tensor.shape.size() < 2 || tensor.elements() < kFewest)
    return false;
  const std::vector<double> values = ir::to_f64(tensor);
  if (are_steps(values)) return true;
  const auto rows = static_cast<size_t>(tensor.shape[0]);
  const size_t width = values.size() / rows;
  if (width < static_cast<size_t>(kFewest)) return false;
  for (size_t row = 0; row < rows; ++row) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * width);
    if (!are_steps({first, first + static_cast<std::ptrdiff_t>(width)})) return false;
  }
  return true;
}

}  // namespace

std::vector<ArtefactFinding> lint_artefact(const nnef::Artefact& artefact) {
  std::vector<ArtefactFinding> out;
  lint_statements(artefact.document.graph, out);
  for (const nnef::StoredTensor& tensor : artefact.tensors)
    if (tensor.item == "f32" && is_on_grid(tensor.values))
      out.push_back({"float-constant",
                     cat("the variable ", quoted(tensor.label),
                         " holds floats that are whole numbers times a scale"),
                     "store its integers: a quarter of the bytes"});
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.rule > b.rule; });
  return out;
}

}  // namespace t2n::report
