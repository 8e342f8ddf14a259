// Examines statements of the graph only: bodies of fragments define operations.
#include "src/report/artefact_lint.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/diag/error.h"
#include "src/report/artefact_values.h"
#include "src/report/artefact_view.h"

namespace t2n::report {
namespace {

using Findings = std::vector<Finding>;

bool is_cast(const Statement& statement) {
  return statement.call != nullptr && statement.call->text == "tract_core_cast";
}
bool quantises(const Statement& statement) {
  return statement.call != nullptr && statement.call->text.ends_with("_quantize");
}

/// The statement that computes the first operand.
const Statement* producer(const ArtefactView& view, const Statement& statement) {
  const int at = statement.operands.empty() ? -1 : view.fact(statement.operands[0]).statement;
  return at < 0 ? nullptr : &view.statements[at];
}

void find_redundant_pairs(const ArtefactView& view, Findings& findings) {
  for (size_t i = 0; i < view.statements.size(); ++i) {
    const Statement& statement = view.statements[i];
    if (!rounds(statement) || statement.operands.empty()) continue;
    const Fact& operand = view.fact(statement.operands[0]);
    const Statement* previous = producer(view, statement);
    if (operand.is_constant || previous == nullptr) continue;
    std::string how;
    if (is_cast(statement)) {
      if (is_cast(*previous) && operand.quantisation == Quantisation::integers)
        how = ", which were integers just before";
    } else if (operand.quantisation == Quantisation::dequantised) {
      how = ", which was quantised just before";
    } else if (operand.quantisation == Quantisation::adjusted) {
      how = ", which was quantised before: only another scale was applied since";
    }
    if (!how.empty())
      findings.push_back(
          {"idle-pair", cat(quoted(statement.name), " rounds ", quoted(statement.operands[0]), how),
           view.where(static_cast<int>(i)), "export the model with only one of the two"});
  }
}

void find_float_constants(const ArtefactView& view, Findings& findings) {
  for (size_t i = 0; i < view.statements.size(); ++i) {
    const Statement& statement = view.statements[i];
    if (!rounds(statement) || statement.operands.empty()) continue;
    const Fact& operand = view.fact(statement.operands[0]);
    if (!operand.is_constant || operand.origin.empty() ||
        operand.quantisation == Quantisation::integers)
      continue;
    findings.push_back({"float-constant",
                        cat("the variable ", quoted(operand.origin), " is quantised at run time"),
                        view.where(static_cast<int>(i)), "store its integers, as `export` does"});
  }
  for (const nnef::StoredTensor& tensor : view.artefact.tensors)
    if (tensor.item == "f32" && is_scaled_integers(tensor.values))
      findings.push_back({"float-constant",
                          cat("the variable ", quoted(tensor.label),
                              " contains floats that are integers times a scale"),
                          view.where_of(tensor.label),
                          "store its integers: a quarter of the bytes"});
}

void find_unlike_scales(const ArtefactView& view, Findings& findings) {
  for (size_t i = 0; i < view.statements.size(); ++i) {
    const Statement& statement = view.statements[i];
    if (statement.call == nullptr || statement.operands.size() < 2) continue;
    const std::string& op = statement.call->text;
    if (op != "add" && op != "sub" && op != "concat" && op != "stack") continue;
    std::vector<std::string> scales;
    bool all_quantised = true;
    for (const std::string& operand : statement.operands) {
      const Fact& fact = view.fact(operand);
      all_quantised =
          all_quantised && fact.quantisation == Quantisation::dequantised && !fact.is_constant;
      scales.push_back(fact.scale);
    }
    if (!all_quantised || std::count(scales.begin(), scales.end(), scales[0]) == std::ssize(scales))
      continue;
    findings.push_back(
        {"unlike-scales",
         cat(quoted(statement.name), " joins ", quoted(statement.operands[0]), " and ",
             quoted(statement.operands[1]), ", which have different scales"),
         view.where(static_cast<int>(i)),
         "use one observer for all joined tensors, so that their integers can be joined directly"});
  }
}

/// Finds connected float statements between dequantised tensors and quantisers.
class Islands {
 public:
  explicit Islands(const ArtefactView& view) : view_(view), group_(view.statements.size()) {
    std::iota(group_.begin(), group_.end(), size_t{0});
    for (size_t i = 0; i < group_.size(); ++i) is_float_.push_back(computes_floats(i));
    for (size_t i = 0; i < group_.size(); ++i) join(i);
  }

  void report(Findings& findings) {
    std::map<size_t, Island> all;
    for (size_t i = 0; i < group_.size(); ++i)
      if (is_float_[i]) add(i, all[root(i)]);
    for (const auto& [first, island] : all) {
      if (!island.is_enclosed || !island.has_entrance || island.operations.empty()) continue;
      findings.push_back(
          {"float-island", cat("computed in floats between quantised tensors: ", island.operations),
           view_.where(static_cast<int>(island.first)),
           "quantise these operations as well, or leave their neighbours in floats"});
    }
  }

 private:
  struct Island {
    size_t first = 0;
    std::string operations;
    bool is_enclosed = true;
    bool has_entrance = false;
  };

  bool computes_floats(size_t i) const {
    const Statement& statement = view_.statements[i];
    const Fact& fact = view_.fact(statement.name);
    if (statement.operands.empty() || fact.is_constant || fact.quantisation != Quantisation::none)
      return false;
    const bool has_weight =
        is_layer(statement) && statement.operands.size() > 1 &&
        view_.fact(statement.operands[1]).quantisation == Quantisation::dequantised;
    return !has_weight;
  }

  size_t root(size_t i) {
    while (group_[i] != i) i = group_[i] = group_[group_[i]];
    return i;
  }

  void join(size_t i) {
    if (!is_float_[i]) return;
    for (const std::string& operand : view_.statements[i].operands) {
      const int from = view_.fact(operand).statement;
      if (from >= 0 && is_float_[from]) group_[root(i)] = root(static_cast<size_t>(from));
    }
  }

  /// Whether this is the first operation of a quantiser: a product that only roundings read.
  bool begins_quantiser(const Statement& statement) const {
    const std::vector<int> readers = view_.readers(statement.name);
    return statement.operands.size() == 1 &&
           std::all_of(readers.begin(), readers.end(),
                       [&](int reader) { return rounds(view_.statements[reader]); });
  }

  void add(size_t i, Island& island) const {
    const Statement& statement = view_.statements[i];
    if (!only_moves_data(statement) && !begins_quantiser(statement)) {
      if (island.operations.empty()) island.first = i;
      island.operations += cat(island.operations.empty() ? "" : ", ",
                               statement.call == nullptr ? statement.name : statement.call->text);
    }
    for (const std::string& operand : statement.operands) {
      const Fact& fact = view_.fact(operand);
      const bool is_inside = fact.statement >= 0 && is_float_[fact.statement];
      if (fact.quantisation == Quantisation::dequantised && !fact.is_constant)
        island.has_entrance = true;
      else if (!is_inside && !fact.is_constant)
        island.is_enclosed = false;
    }
    if (view_.is_result(statement.name)) island.is_enclosed = false;
    for (const int reader : view_.readers(statement.name))
      if (!is_float_[reader] && !rounds(view_.statements[reader])) island.is_enclosed = false;
  }

  const ArtefactView& view_;
  std::vector<size_t> group_;
  std::vector<bool> is_float_;
};

void find_unused_settings(const ArtefactView& view, Findings& findings) {
  for (const nnef::QuantEntry& entry : view.artefact.document.quant)
    if (view.fact(entry.name).statement < 0)
      findings.push_back(
          {"idle-setting",
           cat("graph.quant has an entry for ", quoted(entry.name), ", which no statement assigns"),
           {},
           "remove the entry, or correct its name"});
}

/// True for `mul` by the smallest scale of observers, and for an empty range.
bool is_unseen(const ArtefactView& view, const Statement& statement) {
  const auto number = [&](size_t i) {
    const nnef::Value& value = statement.call->arguments.at(i).value;
    return value.kind == nnef::Kind::integer ? static_cast<double>(value.integer) : value.number;
  };
  const auto is_number = [&](size_t i) {
    if (i >= statement.call->arguments.size()) return false;
    const nnef::Kind kind = statement.call->arguments[i].value.kind;
    return kind == nnef::Kind::scalar || kind == nnef::Kind::integer;
  };
  if (statement.call == nullptr || statement.operands.empty()) return false;
  if (quantises(statement))
    return is_number(1) && is_number(2) && statement.call->text.starts_with("linear") &&
           number(2) <= number(1);
  const bool dequantises = view.fact(statement.name).quantisation == Quantisation::dequantised &&
                           view.fact(statement.operands[0]).quantisation == Quantisation::integers;
  return dequantises && statement.call->text == "mul" && is_number(1) &&
         static_cast<float>(number(1)) <= static_cast<float>(kLeastScale);
}

void find_unseen_ranges(const ArtefactView& view, Findings& findings) {
  for (size_t i = 0; i < view.statements.size(); ++i)
    if (is_unseen(view, view.statements[i]))
      findings.push_back({"unseen-range",
                          cat(quoted(view.statements[i].name),
                              " has the smallest scale, or an empty range: no value was observed "
                              "during calibration"),
                          view.where(static_cast<int>(i)),
                          "calibrate with samples that reach it, or exclude its module"});
}

}  // namespace

std::vector<Finding> lint_artefact(const nnef::Artefact& artefact) {
  const ArtefactView view(artefact);
  Findings out;
  find_redundant_pairs(view, out);
  find_float_constants(view, out);
  find_unlike_scales(view, out);
  Islands(view).report(out);
  find_unused_settings(view, out);
  find_unseen_ranges(view, out);
  find_dead_channels(view, out);
  find_stored_twice(view, out);
  return out;
}

}  // namespace t2n::report
