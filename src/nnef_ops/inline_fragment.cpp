// SPDX-License-Identifier: Apache-2.0
// Inlines fragments, which strict NNEF lacks.
#include <map>
#include <string>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::nnef_ops {
namespace {

class Inliner {
 public:
  Inliner(const nnef::Fragment& fragment, const StrictCall& call, Builder& out)
      : fragment_(fragment), out_(out), dtype_(call.result().dtype) {
    for (size_t i = 0; i < fragment.parameters.size(); ++i) {
      const std::string& name = fragment.parameters[i].name;
      if (i < call.operands.size())
        tensors_[name] = call.operands[i];
      else
        attributes_[name] = call.at(name);
    }
  }

  Refs run() {
    for (const nnef::Assignment& statement : fragment_.body) {
      if (statement.left.kind == nnef::Kind::identifier) {
        tensors_[statement.left.text] = value(statement.right);
        continue;
      }
      const Refs results = fragment_call(statement.right);
      for (size_t i = 0; i < results.size(); ++i)
        tensors_[statement.left.items.at(i).text] = results[i];
    }
    Refs out;
    for (const nnef::Parameter& result : fragment_.results) out.push_back(tensors_.at(result.name));
    return out;
  }

 private:
  Ref value(const nnef::Value& v) {
    switch (v.kind) {
      case nnef::Kind::identifier: return tensors_.at(v.text);
      case nnef::Kind::scalar: return out_.scalar(v.number, dtype_);
      case nnef::Kind::binary: return binary(v);
      case nnef::Kind::invocation: return invoke(v);
      default: T2N_ASSERT(false, fragment_.name, ": an expression that is not inlined yet");
    }
  }

  Ref binary(const nnef::Value& v) {
    return elementwise(nnef::operation_of(v.text), {value(v.items.at(0)), value(v.items.at(1))});
  }

  static bool is_comparison(std::string_view op) { return op == "lt" || op == "gt" || op == "eq"; }

  Ref elementwise(std::string_view op, const Refs& operands) {
    if (is_comparison(op)) return out_.elementwise(op, operands, DType::boolean);
    return out_.elementwise(op, operands, dtype_);
  }

  Ints ints(const nnef::Value& call, std::string_view name) const {
    const nnef::Value* const list = nnef::find_argument(call, name);
    T2N_ASSERT(list != nullptr, fragment_.name, ": no argument ", name);
    const bool is_parameter = list->kind == nnef::Kind::identifier;
    return spec::ints_of(is_parameter ? attributes_.at(list->text) : *list);
  }

  Refs operands(const nnef::Value& call) {
    Refs out;
    for (const nnef::Argument& argument : call.arguments)
      if (argument.name.empty()) out.push_back(value(argument.value));
    return out;
  }

  Ref invoke(const nnef::Value& call) {
    const std::string& op = call.text;
    if (out_.fragment(op) != nullptr) return fragment_call(call).at(0);
    const Refs x = operands(call);
    if (op.ends_with("_reduce")) return reduce(out_, op, x[0], ints(call, "axes"));
    if (op == "squeeze") return out_.squeeze(x[0], ints(call, "axes"));
    if (op == "unsqueeze") return out_.unsqueeze(x[0], ints(call, "axes"));
    if (op == "slice")
      return out_.slice(x[0], static_cast<int>(ints(call, "axes").at(0)), ints(call, "begin").at(0),
                        ints(call, "end").at(0));
    if (op == "reshape") return reshaped(x[0], ints(call, "shape"));
    if (op == "matmul") return times_transposed(x[0], x[1]);
    return elementwise(op, x);
  }

  /// 0: unchanged; -1: the remaining size.
  Ref reshaped(Ref x, Ints shape) {
    const Ints before = out_.sizes(x);
    int64_t remaining = ir::element_count(before);
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == 0) shape[i] = before.at(i);
      if (shape[i] > 0) remaining /= shape[i];
    }
    for (int64_t& size : shape)
      if (size < 0) size = remaining;
    return out_.reshape(x, ir::to_shape(shape));
  }

  /// x . w^T, the only product in fragments.
  Ref times_transposed(Ref x, Ref w) {
    return out_.call("matmul", {x, w}, {{"transposeB", true}}, dtype_,
                     {out_.shape(x)[0], out_.shape(w)[0]});
  }

  Refs fragment_call(const nnef::Value& v) {
    const nnef::Fragment* inner = out_.fragment(v.text);
    T2N_ASSERT(inner != nullptr, fragment_.name, ": no fragment ", v.text);
    const Refs x = operands(v);
    Attributes attributes;
    for (const nnef::Argument& argument : v.arguments)
      if (!argument.name.empty()) attributes.emplace_back(argument.name, ints(v, argument.name));
    const std::vector<TensorType> types(inner->results.size(), {dtype_, {}});
    return lower({inner->name, x, attributes, types, {.is_aligned = true}, {}}, out_);
  }

  const nnef::Fragment& fragment_;
  Builder& out_;
  DType dtype_;
  std::map<std::string, Ref> tensors_;
  std::map<std::string, nnef::Value> attributes_;
};

}  // namespace

Refs inline_fragment(const nnef::Fragment& fragment, const StrictCall& call, Builder& out) {
  return Inliner(fragment, call, out).run();
}

}  // namespace t2n::nnef_ops
