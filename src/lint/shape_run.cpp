// SPDX-License-Identifier: Apache-2.0
// Evaluates statements over shapes: expressions become numbers, calls inside expressions get names,
// and then the operation's rule runs.
#include "src/lint/shape_run.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/lint/evaluate.h"
#include "src/nnef/walk.h"
#include "src/nnef_ops/shape_call.h"
#include "src/spec/dialect.h"
#include "src/spec/document_walk.h"
#include "src/spec/types.h"

namespace t2n::spec {
namespace {

using nnef::Kind;
using nnef::Value;
using nnef_ops::Slices;

/// True for tract's own names of integer types.
bool is_integer_type(std::string_view type) {
  return !type.empty() && std::string_view("iutIUT").find(type[0]) != std::string_view::npos;
}

/// Beyond this, sums of extents might not fit into 64 bits.
bool is_in_range(const Ints& shape) {
  constexpr int64_t kMost = int64_t{1} << 40;
  return std::all_of(shape.begin(), shape.end(), [](int64_t extent) { return extent <= kMost; });
}

/// What the version for which the document was written does with slices beyond the axis.
Slices slices_of(const nnef::Document& document) {
  const auto stated = stated_target(document);
  if (!stated) return Slices::unknown;
  return target::has(*stated, target::Feature::open_sizes) ? Slices::refused : Slices::clamped;
}

}  // namespace

class ShapeRunner::State : DocumentWalk<ShapeRunner::State, Known> {
 public:
  explicit State(const nnef::Document& document)
      : DocumentWalk(document),
        document_(document),
        dialect_(dialect_of(document)),
        slices_(slices_of(document)) {}

  const std::vector<LoopShapes>& loops() const { return loops_; }
  const std::vector<Heads>& heads() const { return heads_; }
  std::optional<Ints> shape(std::string_view name) const {
    const auto found = frame_.find(name);
    return found == frame_.end() ? std::nullopt : found->second.shape;
  }

  std::optional<ShapeProblem> run(const ir::Sizes& values, Strictness strictness) {
    std::optional<ShapeProblem> out;
    run(values, strictness, {}, [&](ShapeProblem problem) {
      out = std::move(problem);
      return false;
    });
    return out;
  }

  /// `visit` returns whether to go on.
  void run(const ir::Sizes& values, Strictness strictness, const std::set<std::string>& skipped,
           const std::function<bool(ShapeProblem)>& visit) {
    strictness_ = strictness;
    names_.clear();
    loops_.clear();
    heads_.clear();
    loop_.reset();
    sizes_.emplace(values);
    frame_.clear();
    frame_.reserve(2 * document_.graph.body.size());
    for (const nnef::Assignment& statement : document_.graph.body) {
      statement_ = &statement;
      if (!skipped.empty() && skipped.contains(nnef::first_name(statement.left))) continue;
      try {
        assign(statement.left, results_of(statement.right, frame_), frame_);
        store_.clear();
      } catch (const Error& error) {
        const std::string name = nnef::first_name(statement.left);
        const std::string subject = name.empty() ? "a statement" : quoted(name);
        store_.clear();
        if (!visit({name, cat(subject, ": ", headline(error.diagnostic())), is_structural_}))
          return;
      }
    }
  }

 private:
  friend DocumentWalk;

  /// The part of a call that is the same in every run; unbound for an operation without a rule.
  struct Prepared {
    const nnef_ops::Operation* operation = nullptr;  ///< nullptr for a fragment
    const Signature* signature = nullptr;
    std::optional<BoundCall> bound;
  };

  static void fit(Results& results, size_t count) {
    if (results.size() != count) results.assign(count, {});
  }

  Results other(const Value& value, const Frame& frame) const {
    const auto found = frame.find(value.text);
    return value.kind == Kind::identifier && found != frame.end() ? Results{found->second}
                                                                  : Results{};
  }

  Results call(const Value& invocation, Frame& frame) {
    const Prepared& prepared = prepare(invocation, nullptr);
    if (!prepared.bound) return {};
    return is_scan(invocation) ? scan(*prepared.bound, frame) : apply(prepared, frame);
  }

  /// Documents of the standard may also call what tract lacks.
  nnef_ops::ShapeRule rule_of(const nnef_ops::Operation& operation) const {
    return operation.tract == nullptr && dialect_ == Dialect::khronos ? operation.standard
                                                                      : operation.tract;
  }

  static bool is_scan(const Value& invocation) { return invocation.text == "tract_core_scan"; }

  const Prepared& prepare(const Value& invocation, const nnef::Fragment* callee) {
    if (const auto known = calls_.find(&invocation); known != calls_.end()) return known->second;
    Prepared out;
    if (callee != nullptr)
      out.signature = &fragment_signature(*callee);
    else
      out.operation = &nnef_ops::book().at(invocation.text);
    if (callee == nullptr && (rule_of(*out.operation) != nullptr || is_scan(invocation)))
      out.signature = &operation_signature(
          invocation.text, out.operation->tract != nullptr ? Dialect::tract : dialect_);
    if (out.signature != nullptr) out.bound.emplace(*out.signature->declaration, invocation);
    return calls_.emplace(&invocation, std::move(out)).first->second;
  }

  const Signature& fragment_signature(const nnef::Fragment& fragment) {
    const auto found = signatures_.find(&fragment);
    if (found != signatures_.end()) return found->second;
    return signatures_.emplace(&fragment, signature_of(fragment)).first->second;
  }

  Frame enter(const nnef::Fragment& callee, const Value& invocation, Frame& frame) {
    const Prepared& prepared = prepare(invocation, &callee);
    Frame inner;
    for (size_t i = 0; i < callee.parameters.size(); ++i)
      if (const Value* const argument = prepared.bound->arguments()[i]) {
        Known& parameter = inner[callee.parameters[i].name];
        parameter = known(evaluated(prepared.signature->parameters[i], *argument, frame), frame);
        bind_items(parameter, frame, inner);
      }
    return inner;
  }

  /// The tensors of a list that is passed to a fragment, by names that are new in it.
  void bind_items(Known& list, const Frame& frame, Frame& inner) {
    if (!list.literal || list.literal->kind != Kind::array) return;
    auto renamed = std::make_shared<Value>(*list.literal);
    for (Value& item : renamed->items) {
      const auto found = item.kind == Kind::identifier ? frame.find(item.text) : frame.end();
      if (found == frame.end()) continue;
      names_.push_back(nnef::identifier(cat("#", names_.size())));
      inner[names_.back().text] = found->second;
      item = names_.back();
    }
    list.literal = std::move(renamed);
  }

  /// The argument with numbers for expressions and names for calls; nullptr if unknown.
  const Value* evaluated(const Type& type, const Value& value, Frame& frame) {
    const auto name_call = [&](const Value& expression) {
      return named(results_of(expression, frame), frame);
    };
    return evaluate(type, value, {frame, *sizes_, name_call, store_});
  }

  /// A name, or a number, for the result of an expression.
  const Value* named(Results results, Frame& frame) {
    if (results.size() != 1) return nullptr;
    names_.push_back(nnef::identifier(cat("#", names_.size())));
    Known& known = frame[names_.back().text];
    known = std::move(results[0]);
    if (known.literal) return known.literal.get();
    return known.shape ? &names_.back() : nullptr;
  }

  Results apply(const Prepared& prepared, Frame& frame) {
    const nnef_ops::Operation& operation = *prepared.operation;
    Arguments arguments = prepared.bound->arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] == nullptr) continue;
      arguments[i] = evaluated(prepared.signature->parameters[i], *arguments[i], frame);
      if (arguments[i] == nullptr) return {};
    }
    const nnef_ops::ShapeOf shape_of = [&](std::string_view name) {
      const auto found = frame.find(name);
      return found != frame.end() && found->second.shape ? &*found->second.shape : nullptr;
    };
    const BoundCall bound(prepared.bound->declaration(), std::move(arguments));
    const std::string& name = bound.operation();
    if (operation.is(nnef_ops::kProduct)) refuse_added_axes(bound, frame);
    if (name == "tract_transformers_sdpa") note_heads(shape_of, bound);
    Results out;
    for (Ints& shape : shapes_of(operation, nnef_ops::ShapeCall(bound, shape_of, slices_)))
      out.push_back(is_in_range(shape) ? Known{std::move(shape), {}} : Known{});
    if (name == "tract_core_cast") keep_number(bound, out);
    if (name == "tract_core_broadcast" && out.size() == 1 && out[0].shape) {
      const Ints* const input = shape_of(bound.text("input"));
      out[0].has_added_axis = input != nullptr && input->size() < out[0].shape->size();
    }
    if (loop_ && operation.is(nnef_ops::kProduct) && out.size() == 1 && out[0].shape)
      loops_[*loop_].products.push_back(*out[0].shape);
    return out;
  }

  /// tract removes a broadcast before a product, and the added axis with it. It then refuses the
  /// product, unless both factors have an added axis.
  static void refuse_added_axes(const BoundCall& call, const Frame& frame) {
    const std::string& operation = call.operation();
    const Arguments& arguments = call.arguments();
    if (operation == "conv" || arguments.empty() || arguments[0] == nullptr) return;
    const bool is_list = operation == "tract_core_einsum";
    std::vector<const Value*> factors;
    for (const Value& item : arguments[0]->items) factors.push_back(&item);
    if (!is_list) factors.assign(arguments.begin(), arguments.begin() + 2);
    const auto has_added_axis = [&](const Value* value) {
      if (value == nullptr || value->kind != Kind::identifier) return false;
      const auto found = frame.find(value->text);
      return found != frame.end() && found->second.has_added_axis;
    };
    const auto added = std::ranges::count_if(factors, has_added_axis);
    if (added == 1)
      throw Error(
          "shape",
          cat(quoted(operation),
              " of a tensor with an axis from tract_core_broadcast, which the engine removes"));
  }

  void note_heads(const nnef_ops::ShapeOf& shape_of, const BoundCall& call) {
    Heads out{nnef::first_name(statement_->left), {}};
    for (const char* each : {"q", "k"}) {
      const Ints* shape = shape_of(call.text(each));
      if (shape != nullptr && shape->size() == 4) out.counts.push_back((*shape)[1]);
    }
    heads_.push_back(std::move(out));
  }

  nnef_ops::Shapes shapes_of(const nnef_ops::Operation& operation,
                             const nnef_ops::ShapeCall& call) {
    is_structural_ = operation.is(nnef_ops::kStructural);
    if (strictness_ == Strictness::all || is_structural_) return rule_of(operation)(call);
    try {
      return rule_of(operation)(call);
    } catch (const Error&) {
      return {};
    }
  }

  /// A size stays known when it is cast.
  static void keep_number(const BoundCall& call, Results& out) {
    const Value& input = call.value("input");
    const Value* const to = call.find("to");
    if (input.kind == Kind::integer && out.size() == 1 && to != nullptr &&
        is_integer_type(to->text))
      out[0].literal = std::make_shared<Value>(input);
  }

  static Known known(const Value* evaluated, const Frame& frame) {
    if (evaluated == nullptr) return {};
    if (evaluated->kind == Kind::identifier) return frame.at(evaluated->text);
    Known out{{}, std::make_shared<Value>(*evaluated)};
    if (evaluated->kind != Kind::array) out.shape.emplace();
    return out;
  }

  /// Binds the body's parameters, which tuples such as ('h', h0, 'h_next') name.
  void bind_body(const Value& list, Frame& frame, Frame& inner) {
    static const Type kTensor{Type::Form::tensor, Item::unknown, {}};
    for (const Value& row : list.items)
      inner[row.items.at(0).text] = known(evaluated(kTensor, row.items.at(1), frame), frame);
  }

  /// Restricts scanned inputs to one iteration, and returns the number of iterations.
  static std::optional<int64_t> restrict_to_iteration(const Value& list, Frame& inner) {
    std::optional<int64_t> iterations;
    for (const Value& row : list.items) {
      auto& shape = inner[row.items.at(0).text].shape;
      const size_t axis = row.items.at(2).integer;
      const int64_t chunk = std::abs(row.items.at(3).integer);
      if (!shape || axis >= shape->size() || chunk == 0) continue;
      iterations = ((*shape)[axis] + chunk - 1) / chunk;
      (*shape)[axis] = chunk;
    }
    return iterations;
  }

  LoopShapes loop_shapes(const std::string& body, const Frame& inputs) const {
    LoopShapes out{nnef::first_name(statement_->left), body, {}, {}};
    for (const auto& [name, input] : inputs)
      if (input.shape) out.inputs[std::string(name)] = *input.shape;
    return out;
  }

  Results scan(const BoundCall& call, Frame& frame) {
    const nnef::Fragment* const body = fragment(call.text("body"));
    if (body == nullptr) return {};
    Frame inner;
    for (const char* list : {"scan", "full", "state"}) bind_body(call.value(list), frame, inner);
    const std::optional<int64_t> iterations = restrict_to_iteration(call.value("scan"), inner);
    const std::optional<size_t> outer_loop = std::exchange(loop_, loops_.size());
    loops_.push_back(loop_shapes(body->name, inner));
    const size_t loop = *loop_;
    run_body(*body, inner);
    loop_ = outer_loop;
    for (const auto& [name, tensor] : inner)
      if (tensor.shape) loops_[loop].tensors[std::string(name)] = *tensor.shape;
    Results out;
    for (const Value& row : call.value("output").items)
      out.push_back(scanned(row, inner[row.items.at(0).text].shape, iterations));
    return out;
  }

  /// The result of the last iteration, or the concatenated results of all.
  static Known scanned(const Value& row, std::optional<Ints> shape,
                       std::optional<int64_t> iterations) {
    if (!shape || row.items.at(1).text != "full") return {std::move(shape), {}};
    const size_t axis = row.items.at(2).integer;
    if (!iterations || axis >= shape->size()) return {};
    (*shape)[axis] = nnef_ops::product((*shape)[axis], *iterations);
    return {std::move(shape), {}};
  }

  const nnef::Document& document_;
  Dialect dialect_;
  Slices slices_;
  Strictness strictness_ = Strictness::all;
  std::optional<SizeReader> sizes_;
  Frame frame_;  ///< of the graph
  std::unordered_map<const nnef::Fragment*, Signature> signatures_;
  std::unordered_map<const Value*, Prepared> calls_;
  Store store_;                                  ///< arguments of one statement
  std::deque<Value> names_;                      ///< names of calls inside expressions
  const nnef::Assignment* statement_ = nullptr;  ///< of the graph; the running one
  std::vector<LoopShapes> loops_;
  std::vector<Heads> heads_;
  std::optional<size_t> loop_;  ///< whose body runs
  bool is_structural_ = false;  ///< for the running operation
};

ShapeRunner::ShapeRunner(const nnef::Document& document)
    : state_(std::make_unique<State>(document)) {}
ShapeRunner::~ShapeRunner() = default;

const std::vector<LoopShapes>& ShapeRunner::loops() const { return state_->loops(); }
const std::vector<Heads>& ShapeRunner::heads() const { return state_->heads(); }
std::optional<ir::Ints> ShapeRunner::shape(std::string_view name) const {
  return state_->shape(name);
}

std::optional<ShapeProblem> ShapeRunner::run(const ir::Sizes& values, Strictness strictness) {
  return state_->run(values, strictness);
}

std::vector<ShapeProblem> ShapeRunner::run_all(const ir::Sizes& values,
                                               const std::set<std::string>& skipped) {
  std::vector<ShapeProblem> out;
  state_->run(values, Strictness::all, skipped, [&](ShapeProblem problem) {
    out.push_back(std::move(problem));
    return true;
  });
  return out;
}

}  // namespace t2n::spec
