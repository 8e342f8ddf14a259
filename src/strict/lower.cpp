// SPDX-License-Identifier: Apache-2.0
#include "src/strict/lower.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef_ops/strict_call.h"
#include "src/spec/operations.h"
#include "src/strict/quant_scales.h"
#include "src/target/limits.h"

namespace t2n::strict {
namespace {

using draft::Attribute;
using draft::Attributes;
using draft::TensorType;
using ir::Shape;
using nnef_ops::Builder;
using nnef_ops::Form;
using nnef_ops::Ref;
using nnef_ops::Refs;
using nnef_ops::StrictCall;

class Lowering {
 public:
  Lowering(const nnef::Document& source, const draft::Notes& notes, const target::Target& target)
      : source_(source), notes_(notes), out_(source, notes, target) {
    for (const nnef::Blob& blob : source.blobs) blobs_[blob.label] = &blob;
    for (const nnef::Assignment& statement : source.graph.body)
      nnef::walk(statement.right, [&](const nnef::Value& v) {
        if (v.kind == nnef::Kind::identifier) read_.insert(v.text);
      });
    read_.insert(source.graph.results.begin(), source.graph.results.end());
  }

  Lowered run() {
    for (const nnef::Assignment& statement : source_.graph.body) {
      const std::vector<std::string> names = names_of(statement.left);
      const int location = notes_.tensors.at(names.at(0)).location;
      if (location >= 0 && refused_.contains(location)) continue;
      attempt(location, [&] { lower_statement(statement.right, names); });
    }
    if (lowered_.refusals.empty()) attempt(-1, [&] { finish(); });
    return std::move(lowered_);
  }

 private:
  static std::vector<std::string> names_of(const nnef::Value& left) {
    const std::vector<std::string_view> names = nnef::assigned_names(left);
    return {names.begin(), names.end()};
  }

  template <typename Step>
  void attempt(int location, Step&& step) {
    try {
      out_.begin(location);
      step();
    } catch (const Error& error) {
      if (error.diagnostic().id == "internal") throw;
      refused_.insert(location);
      lowered_.refusals.push_back({location, error.diagnostic()});
    }
  }

  void lower_statement(const nnef::Value& right, const std::vector<std::string>& names) {
    if (right.text == "tract_core_external") return external(names.at(0));
    if (right.text == "variable") return variable(right, names.at(0));
    Refs operands;
    Attributes attributes;
    const bool is_own = spec::find_operation(right.text, spec::Dialect::tract) == nullptr;
    Form form{.is_aligned = nnef_ops::book().at(right.text).is(nnef_ops::kBroadcasts)};
    for (const nnef::Argument& argument : right.arguments) {
      if (!argument.name.empty()) {
        attributes.emplace_back(argument.name,
                                is_own ? with_operands(argument.value) : argument.value);
      } else if (argument.value.kind == nnef::Kind::array) {
        form.is_list = true;
        for (const nnef::Value& item : argument.value.items) operands.push_back(out_.tensor(item));
      } else {
        operands.push_back(out_.tensor(argument.value));
      }
    }
    std::vector<TensorType> types;
    std::vector<bool> is_read;
    for (const std::string& name : names) {
      const draft::Notes::Tensor& note = notes_.tensors.at(name);
      types.push_back({note.dtype, note.shape});
      is_read.push_back(read_.contains(name));
    }
    const Refs results =
        lowered({right.text, operands, attributes, types, form, std::move(is_read)});
    for (size_t i = 0; i < names.size(); ++i) out_.bind(names[i], results.at(i));
  }

  /// A value with the tensors of the new document: a fragment gets lists of tensors by name.
  nnef::Value with_operands(nnef::Value value) {
    if (value.kind == nnef::Kind::identifier && notes_.tensors.contains(value.text))
      return out_.draft().operand(out_.tensor(value).tensor);
    for (nnef::Value& item : value.items) item = with_operands(std::move(item));
    return value;
  }

  /// Operations on constants change the stored geometry.
  Refs lowered(const StrictCall& call) {
    if (call.op == "copy") return call.operands;  // results are made distinct at the end
    const auto is_constant = [&](Ref x) { return out_.is_constant(x); };
    const Refs& x = call.operands;
    if (x.empty() || !std::all_of(x.begin(), x.end(), is_constant))
      return nnef_ops::lower(call, out_);
    const Shape& shape = call.result().shape;
    if (call.op == "tract_core_broadcast") return {out_.broadcast_to(x[0], shape)};
    if (call.op == "tract_core_cast") return {out_.cast(x[0], call.result().dtype)};
    if (call.op == "reshape") return {out_.reshape(x[0], shape)};
    if (call.op == "unsqueeze") return {out_.unsqueeze(x[0], call.ints("axes"))};
    if (call.op == "squeeze") return {out_.squeeze(x[0], call.ints("axes"))};
    if (call.op == "transpose") return {out_.transpose(x[0], call.ints("axes"))};
    if (call.op == "concat") return {out_.concat(x, static_cast<int>(call.at("axis").integer))};
    if (call.op == "slice" && call.find("stride") == nullptr && call.ints("axes").size() == 1)
      return {out_.slice(x[0], static_cast<int>(call.ints("axes")[0]), call.ints("begin")[0],
                         call.ints("end")[0])};
    return nnef_ops::lower(call, out_);
  }

  void external(const std::string& name) {
    const draft::Notes::Tensor& note = notes_.tensors.at(name);
    draft::Draft& draft = out_.draft();
    const Ref x{draft.add({.dtype = note.dtype,
                           .shape = note.shape,
                           .name = note.name,
                           .is_input = true,
                           .is_claimed = true}),
                note.dtype};
    draft.append({x.tensor}, "external", {{"shape", Attribute("shape", note.shape).value}},
                 std::string(type_name(type_of(x))));
    draft.inputs.push_back(x.tensor);
    out_.bind(name, x);
  }

  /// The new document contains it on first use.
  void variable(const nnef::Value& right, const std::string& name) {
    const std::string& label = right.arguments.at(0).value.text;
    const nnef::Blob& blob = *blobs_.at(label);
    const draft::Notes::Constant& note = notes_.constants.at(label);
    const draft::Ref constant = out_.draft().add({.kind = draft::TensorEntry::Kind::constant,
                                                  .dtype = blob.dtype,
                                                  .shape = ir::to_shape(blob.shape),
                                                  .name = note.name,
                                                  .parts = blob.parts,
                                                  .axis = blob.axis,
                                                  .uses = note.uses,
                                                  .is_generated = note.is_generated});
    out_.bind(name, {constant, blob.dtype});
  }

  void finish() {
    draft::Draft& draft = out_.draft();
    if (draft.inputs.empty())
      throw Error(target::untranslated(
          "unsupported-argument", "a graph without inputs", out_.target_name(),
          "the graphs of standard NNEF have one input or more",
          "export for tract, or give the model an input that its outputs depend on"));
    std::set<int> taken;
    for (const std::string& name : source_.graph.results)
      draft.outputs.push_back(result(name, taken));
    draft.notes.results = notes_.results;
    draft.drop_dead();
    draft.resolve_names({});
    nnef::Graph& graph = draft.document.graph;
    graph.name = source_.graph.name;
    if (spec::find_operation(graph.name, spec::Dialect::khronos) != nullptr)
      graph.name += "_graph";  // operation names are reserved
    for (const draft::Ref ref : draft.inputs) graph.parameters.push_back(draft.at(ref).text);
    for (const draft::Ref ref : draft.outputs) graph.results.push_back(draft.at(ref).text);
    fold_quant_scales(draft.document);
    lowered_.document = std::move(draft.document);
  }

  /// An identifier for a result; integers become `integer`.
  draft::Ref result(const std::string& name, std::set<int>& taken) {
    Ref x = out_.tensor(nnef::identifier(name));
    x.tensor = out_.draft().identifier(x.tensor);
    if (ir::is_integer(x.dtype)) x = nnef_ops::as_integer(out_, x);
    return out_.draft().own_identifier(x.tensor, taken, [&](draft::Ref ref) {
      return out_.call("copy", {{ref, x.dtype, x.is_scalar}}, {}, x.dtype, out_.shape(x)).tensor;
    });
  }

  const nnef::Document& source_;
  const draft::Notes& notes_;
  Builder out_;
  std::unordered_map<std::string, const nnef::Blob*> blobs_;  ///< by label
  std::unordered_set<std::string> read_;                      ///< identifiers with a reader
  std::set<int> refused_;                                     ///< locations
  Lowered lowered_;
};

}  // namespace

Lowered lower(const nnef::Document& source, const draft::Notes& notes,
              const target::Target& target) {
  return Lowering(source, notes, target).run();
}

}  // namespace t2n::strict
