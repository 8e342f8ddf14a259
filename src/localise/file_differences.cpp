// SPDX-License-Identifier: Apache-2.0
#include "src/localise/file_differences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "src/diag/error.h"
#include "src/diff/diff.h"
#include "src/diff/flat_graph.h"
#include "src/diff/match.h"
#include "src/samples/samples.h"
#include "src/spec/name_copies.h"

namespace t2n::localise {
namespace {

using diff::Part;
using Change = diff::Difference::Kind;

/// Constant folding on another machine may round differently, relative to the largest element.
constexpr double kFolding = 1e-5;

/// Tensors by name, and the first reader of each weight by its label.
class Names {
 public:
  Names(const nnef::Document& document, const Flow& flow) {
    for (size_t i = 0; i < flow.tensors.size(); ++i) {
      const FlowTensor& tensor = flow.tensors[i];
      tensors_.emplace(tensor.name, i);
      if (tensor.is_weight) labels_.emplace(label(document.graph.body[tensor.statement].right), i);
      for (const size_t operand : tensor.operands) readers_.emplace(operand, i);
    }
  }

  std::optional<size_t> find(const std::string& subject, bool is_weight) const {
    const auto& names = is_weight ? labels_ : tensors_;
    const auto found = names.find(subject);
    return found == names.end() ? std::nullopt : std::optional(found->second);
  }
  size_t reader(size_t tensor) const {
    const auto found = readers_.find(tensor);
    return found == readers_.end() ? tensor : found->second;
  }

 private:
  static std::string label(const nnef::Value& variable) {
    for (const nnef::Argument& argument : variable.arguments)
      if (argument.value.kind == nnef::Kind::string) return argument.value.text;
    return {};
  }

  std::map<std::string, size_t> tensors_;
  std::map<std::string, size_t> labels_;
  std::map<size_t, size_t> readers_;
};

/// "[(1,1),(1,1)]", shortened.
std::string shown(const std::string& text) {
  constexpr size_t kMost = 60;
  if (text.empty()) return "nothing";
  return text.size() > kMost ? text.substr(0, kMost) + "…" : text;
}

std::string text_of(const diff::Difference& each) {
  const std::string subject = each.operation.empty()
                                  ? quoted(each.subject)
                                  : cat(each.operation, " ", quoted(each.subject));
  switch (each.kind) {
    case Change::removed: return cat("an export of the model lacks ", subject);
    case Change::added: return cat("the file lacks ", subject);
    case Change::changed: break;
  }
  if (each.part == Part::weight && each.max_abs)
    return cat("weight ", subject, " is off by up to ", *each.max_abs);
  return cat(subject, each.aspect.empty() ? "" : cat(": ", each.aspect), " is ", shown(each.before),
             ", an export of the model has ", shown(each.after));
}

/// Whether a difference concerns what the graph computes, by more than rounding.
bool counts(const diff::Difference& each, const nnef::Artefact& exported) {
  if (each.part == Part::operation || each.part == Part::fragment) return true;
  if (each.part == Part::output) return each.aspect == "computed by";
  if (each.part != Part::weight) return false;
  if (each.kind != Change::changed || !each.max_abs) return true;
  const auto same =
      std::find_if(exported.tensors.begin(), exported.tensors.end(),
                   [&](const nnef::StoredTensor& tensor) { return tensor.label == each.subject; });
  return same == exported.tensors.end() || !ir::is_float(same->values.dtype) ||
         !(*each.max_abs <= kFolding * largest_magnitude(same->values));
}

/// Where the statements of a file stand in an export.
class Counterparts {
 public:
  Counterparts(const ReadFile& file, const nnef::Artefact& exported,
               const std::vector<nnef::Origin>& origins)
      : file_(file),
        origins_(origins),
        exported_(flow_of(exported.document)),
        ours_(file.artefact.document, file.flow),
        theirs_(exported.document, exported_),
        pairs_(diff::matching_tensors(file.artefact.document, exported.document)) {}

  /// The operation of the export in whose stead the file has `removed`: it has the same operands.
  const diff::Difference* replaced(const diff::Difference& removed,
                                   const std::vector<diff::Difference>& all) const {
    const auto ours = ours_.find(removed.subject, false);
    if (removed.kind != Change::removed || removed.part != Part::operation || !ours) return nullptr;
    std::vector<std::string> operands;
    for (const size_t operand : file_.flow.tensors[*ours].operands) {
      const auto pair = pairs_.find(file_.flow.tensors[operand].name);
      if (pair == pairs_.end()) return nullptr;
      operands.push_back(pair->second);
    }
    for (const diff::Difference& each : all) {
      if (each.kind != Change::added || each.part != Part::operation) continue;
      const auto theirs = theirs_.find(each.subject, false);
      if (!theirs) continue;
      std::vector<std::string> others;
      for (const size_t operand : exported_.tensors[*theirs].operands)
        others.push_back(exported_.tensors[operand].name);
      if (others == operands) return &each;
    }
    return nullptr;
  }

  /// The row for two operations of which one stands in the other's stead.
  std::pair<int, FileDifference> row(const diff::Difference& removed,
                                     const diff::Difference& added) const {
    auto out = row(removed);
    const FileDifference theirs = row(added).second;
    out.second.text = cat("the file has ", removed.operation, " ", quoted(removed.subject),
                          ", an export of the model ", added.operation);
    out.second.location.op = theirs.location.op;
    out.second.location.where = theirs.location.where;
    return out;
  }

  /// A row with its depth in the data flow, for sorting.
  std::pair<int, FileDifference> row(const diff::Difference& each) const {
    const bool is_weight = each.part == Part::weight;
    FileDifference out{.location = {}, .text = text_of(each)};
    const bool is_theirs = each.kind == Change::added;
    auto theirs = is_theirs ? theirs_.find(each.subject, is_weight) : std::nullopt;
    std::optional<size_t> ours;
    if (!is_theirs) ours = ours_.find(each.subject, is_weight);
    int depth = 0;
    if (ours) {
      const size_t reader = is_weight ? ours_.reader(*ours) : *ours;
      const FlowTensor& tensor = file_.flow.tensors[reader];
      depth = tensor.depth;
      out.location.tensor = file_.flow.tensors[*ours].name;
      out.location.operation = tensor.operation;
      if (file_.flow.tensors[*ours].statement < file_.lines.size())
        out.location.line = file_.lines[file_.flow.tensors[*ours].statement];
      theirs = counterpart(reader);
    } else if (theirs) {
      if (is_weight) theirs = theirs_.reader(*theirs);
      depth = exported_.tensors[*theirs].depth;
      out.location.operation = exported_.tensors[*theirs].operation;
    }
    if (theirs && exported_.tensors[*theirs].statement < origins_.size()) {
      const nnef::Origin& origin = origins_[exported_.tensors[*theirs].statement];
      out.location.op = origin.op;
      out.location.where = origin.where;
    }
    return {depth, std::move(out)};
  }

 private:
  /// Its pair, or that of the nearest statement that it is made of or that reads it.
  std::optional<size_t> counterpart(size_t tensor) const {
    std::set<size_t> seen;
    std::vector<size_t> open = {tensor};
    for (size_t k = 0; k < open.size(); ++k) {
      const size_t i = open[k];
      if (const auto pair = pairs_.find(file_.flow.tensors[i].name);
          pair != pairs_.end() && !file_.flow.tensors[i].is_input)
        return theirs_.find(pair->second, false);
      if (const size_t reader = ours_.reader(i); reader != i && seen.insert(reader).second)
        open.push_back(reader);
      for (const size_t operand : file_.flow.tensors[i].operands)
        if (!file_.flow.tensors[operand].is_weight && seen.insert(operand).second)
          open.push_back(operand);
    }
    return {};
  }

  const ReadFile& file_;
  const std::vector<nnef::Origin>& origins_;
  Flow exported_;
  Names ours_;
  Names theirs_;
  std::map<std::string, std::string> pairs_;
};

/// The elements of a weight, sorted: independent of its layout.
std::vector<double> sorted_elements(const ir::Tensor& tensor) {
  std::vector<double> out = ir::to_f64(tensor);
  std::replace_if(
      out.begin(), out.end(), [](double value) { return std::isnan(value); },
      std::numeric_limits<double>::infinity());
  std::sort(out.begin(), out.end());
  return out;
}

struct Weight {
  size_t index = 0;
  std::string name;
  ir::Tensor values;
  Digest digest;
};

/// How many elements differ, in the better of two orders: as stored, and sorted.
size_t differing(const ir::Tensor& a, const ir::Tensor& b) {
  const auto count = [](const std::vector<double>& x, const std::vector<double>& y) {
    size_t out = 0;
    for (size_t i = 0; i < x.size(); ++i) out += x[i] == y[i] ? 0 : 1;
    return out;
  };
  const size_t as_stored = count(ir::to_f64(a), ir::to_f64(b));
  std::vector<double> x = sorted_elements(a), y = sorted_elements(b), only_x, only_y;
  std::set_difference(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(only_x));
  return std::min(as_stored, only_x.size());
}

bool is_comparable(const ir::Tensor& tensor) {
  constexpr int64_t kLeast = 4;
  return ir::is_float(tensor.dtype) && tensor.elements() >= kLeast;
}

/// The module of the first node that reads a constant.
std::pair<std::string, Where> reader_of(const ir::Graph& graph, ir::ValueId id) {
  for (const ir::Node& node : graph.nodes) {
    bool reads = false;
    ir::for_each_input(node, [&](ir::ValueId each) { reads = reads || each == id; });
    if (reads) return {std::string(ir::op_name(node.op)), ir::node_where(graph, node)};
  }
  return {};
}

}  // namespace

FileDifferences file_differences(const ReadFile& file, const nnef::Artefact& exported,
                                 const std::vector<nnef::Origin>& origins) {
  diff::Result found = diff::compare(file.artefact, exported, {});
  std::erase_if(found.differences, [&](const diff::Difference& each) {
    return each.kind == Change::removed && spec::is_name_copy(file.artefact.document, each.subject);
  });
  FileDifferences out;
  size_t one_sided = 0;
  for (const diff::Difference& each : found.differences)
    if (each.part == Part::operation && each.kind != Change::changed) ++one_sided;
  constexpr size_t kFew = 4;
  out.are_similar = one_sided <= std::max(kFew, found.operations / 4);
  if (!out.are_similar) return out;
  const Counterparts counterparts(file, exported, origins);
  std::vector<std::pair<int, FileDifference>> rows;
  std::set<const diff::Difference*> done;
  for (const diff::Difference& each : found.differences)
    if (const diff::Difference* const other = counterparts.replaced(each, found.differences);
        other != nullptr && done.insert(other).second) {
      done.insert(&each);
      rows.push_back(counterparts.row(each, *other));
    }
  for (const diff::Difference& each : found.differences)
    if (counts(each, exported) && !done.contains(&each)) rows.push_back(counterparts.row(each));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [depth, row] : rows) out.rows.push_back(std::move(row));
  return out;
}

std::vector<FileDifference> weight_differences(const ReadFile& file, const ir::Graph& model) {
  std::map<int64_t, std::vector<Weight>> known;
  for (size_t i = 0; i < model.constants.size(); ++i) {
    const ir::Constant& constant = model.constants[i];
    if (is_comparable(constant.data))
      known[constant.data.elements()].push_back(
          {i, model.values[constant.value].name, constant.data, digest_of(constant.data)});
  }
  const Names names(file.artefact.document, file.flow);
  std::vector<Weight> others;
  std::set<uint64_t> present;
  for (const nnef::StoredTensor& tensor : file.artefact.tensors) {
    if (!is_comparable(tensor.values)) continue;
    Weight weight{0, tensor.label, tensor.values, digest_of(tensor.values)};
    const std::vector<Weight>& same = known[tensor.values.elements()];
    if (std::any_of(same.begin(), same.end(), [&](const Weight& each) {
          return each.digest.multiset == weight.digest.multiset;
        }))
      present.insert(weight.digest.multiset);
    else
      others.push_back(std::move(weight));
  }
  std::vector<FileDifference> out;
  for (const Weight& weight : others)
    for (const Weight& each : known[weight.values.elements()]) {
      if (present.contains(each.digest.multiset)) continue;
      const size_t off = differing(weight.values, each.values);
      if (off * 2 > static_cast<size_t>(weight.values.elements())) continue;
      FileDifference row;
      row.text = cat("weight ", quoted(weight.name), " has ", off, " of ", weight.values.elements(),
                     " elements that the model's ", quoted(each.name), " lacks");
      std::tie(row.location.op, row.location.where) =
          reader_of(model, model.constants[each.index].value);
      if (const auto tensor = names.find(weight.name, true)) {
        row.location.tensor = file.flow.tensors[*tensor].name;
        row.location.operation = file.flow.tensors[names.reader(*tensor)].operation;
        if (file.flow.tensors[*tensor].statement < file.lines.size())
          row.location.line = file.lines[file.flow.tensors[*tensor].statement];
      }
      out.push_back(std::move(row));
      break;
    }
  return out;
}

}  // namespace t2n::localise
