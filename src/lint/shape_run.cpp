// Evaluates statements over shapes: expressions become numbers, calls inside expressions get names,
// and then the operation's rule runs.
#include "src/lint/shape_run.h"

#include <algorithm>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/lint/evaluate.h"
#include "src/nnef/walk.h"
#include "src/nnef_ops/tract_rules.h"
#include "src/spec/dialect.h"
#include "src/spec/types.h"

namespace t2n::spec {
namespace {

using nnef::Kind;
using nnef::Value;

/// The operation of a sign between tensors.
std::string_view operation_of(std::string_view sign) {
  static const std::map<std::string_view, std::string_view> operations = {
      {"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "div"}, {"^", "pow"}, {"<", "lt"},
      {">", "gt"},  {"<=", "le"}, {">=", "ge"}, {"==", "eq"}, {"!=", "ne"}};
  const auto found = operations.find(sign);
  return found == operations.end() ? std::string_view() : found->second;
}

/// True for tract's own names of integer types.
bool is_integer_type(std::string_view type) {
  return !type.empty() && std::string_view("iutIUT").find(type[0]) != std::string_view::npos;
}

/// Beyond this, sums of extents might not fit into 64 bits.
bool is_in_range(const Ints& shape) {
  constexpr int64_t kMost = int64_t{1} << 40;
  return std::all_of(shape.begin(), shape.end(), [](int64_t extent) { return extent <= kMost; });
}

bool is_product(std::string_view operation) {
  return operation == "matmul" || operation == "linear" || operation == "tract_core_einsum" ||
         operation == "conv";
}

bool is_structural(std::string_view operation) {
  return operation == "concat" || operation == "stack" || operation == "squeeze";
}

/// By the document's stated version: from 0.23 on slices are not clamped.
Slices slices_of(const nnef::Document& document) {
  const auto version = property(document, "tract_target_version");
  if (!version) return Slices::unknown;
  const bool is_old = version->starts_with("0.19.") || version->starts_with("0.20.") ||
                      version->starts_with("0.21.") || version->starts_with("0.22.");
  return is_old ? Slices::clamped : Slices::refused;
}

}  // namespace

class ShapeRunner::State {
 public:
  explicit State(const nnef::Document& document)
      : document_(document), slices_(slices_of(document)) {
    for (const nnef::Fragment& fragment : document.fragments)
      if (!fragment.body.empty()) fragments_[fragment.name] = &fragment;
  }

  const std::vector<LoopShapes>& loops() const { return loops_; }
  const std::vector<Heads>& heads() const { return heads_; }

  std::optional<ShapeProblem> run(const ir::Sizes& values, Strictness strictness) {
    strictness_ = strictness;
    depth_ = 0;
    names_.clear();
    loops_.clear();
    heads_.clear();
    loop_.reset();
    sizes_.emplace(values);
    Frame frame;
    frame.reserve(2 * document_.graph.body.size());
    for (const nnef::Assignment& statement : document_.graph.body) {
      statement_ = &statement;
      try {
        assign(statement, frame);
        store_.clear();
      } catch (const Error& error) {
        const auto names = nnef::assigned_names(statement.left);
        const std::string name(names.empty() ? "" : names[0]);
        return ShapeProblem{
            name,
            cat(name.empty() ? "a statement" : quoted(name), ": ", headline(error.diagnostic())),
            is_structural_};
      }
    }
    return {};
  }

 private:
  /// The part of a call that is the same in every run. Without a signature it is unknown.
  struct Prepared {
    const Signature* signature = nullptr;
    const TractRule* rule = nullptr;           ///< for an operation
    const nnef::Fragment* fragment = nullptr;  ///< for a fragment of the document
    Arguments arguments;
  };

  void assign(const nnef::Assignment& statement, Frame& frame) {
    const auto names = nnef::assigned_names(statement.left);
    std::vector<Known> results = results_of(statement.right, frame);
    const bool fits = results.size() == names.size();
    for (size_t i = 0; i < names.size(); ++i)
      frame[names[i]] = fits ? std::move(results[i]) : Known{};
  }

  std::vector<Known> results_of(const Value& value, Frame& frame) {
    if (value.kind == Kind::invocation) return call(value, frame);
    if (value.kind == Kind::binary) return binary(value, frame);
    if (value.kind == Kind::identifier) {
      if (const auto found = frame.find(value.text); found != frame.end()) return {found->second};
    }
    return {};
  }

  std::vector<Known> binary(const Value& value, Frame& frame) {
    const std::string_view operation = operation_of(value.text);
    if (operation.empty()) return {};
    auto& invocation = operators_[&value];
    if (!invocation)
      invocation = std::make_unique<Value>(
          nnef::invocation(std::string(operation), {{"", value.items[0]}, {"", value.items[1]}}));
    return call(*invocation, frame);
  }

  std::vector<Known> call(const Value& invocation, Frame& frame) {
    const Prepared& prepared = prepare(invocation);
    if (prepared.signature == nullptr) return {};
    if (prepared.fragment != nullptr) return call_fragment(prepared, frame);
    if (invocation.text == "tract_core_scan") return scan(prepared, frame);
    return apply(prepared, invocation, frame);
  }

  const Prepared& prepare(const Value& invocation) {
    const auto [entry, is_new] = calls_.try_emplace(&invocation);
    Prepared& out = entry->second;
    if (!is_new) return out;
    if (const auto callee = fragments_.find(invocation.text); callee != fragments_.end()) {
      out.fragment = callee->second;
      out.signature = &fragment_signature(*callee->second);
    } else {
      out.rule = tract_rule(invocation.text);
      if (out.rule == nullptr && invocation.text != "tract_core_scan") return out;
      out.signature = &operation_signature(invocation.text, Dialect::tract);
    }
    out.arguments = bind(*out.signature->declaration, invocation);
    return out;
  }

  const Signature& fragment_signature(const nnef::Fragment& fragment) {
    const auto found = signatures_.find(&fragment);
    if (found != signatures_.end()) return found->second;
    return signatures_.emplace(&fragment, signature_of(fragment)).first->second;
  }

  /// The argument with numbers for expressions and names for calls; nullptr if unknown.
  const Value* evaluated(const Type& type, const Value& value, Frame& frame) {
    const auto name_call = [&](const Value& expression) {
      return named(results_of(expression, frame), frame);
    };
    return evaluate(type, value, {frame, *sizes_, name_call, store_});
  }

  /// A name, or a number, for the result of an expression.
  const Value* named(std::vector<Known> results, Frame& frame) {
    if (results.size() != 1) return nullptr;
    names_.push_back(nnef::identifier(cat("#", names_.size())));
    Known& known = frame[names_.back().text];
    known = std::move(results[0]);
    if (known.literal) return known.literal.get();
    return known.shape ? &names_.back() : nullptr;
  }

  std::vector<Known> apply(const Prepared& prepared, const Value& invocation, Frame& frame) {
    Arguments arguments = prepared.arguments;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] == nullptr) continue;
      arguments[i] = evaluated(prepared.signature->parameters[i], *arguments[i], frame);
      if (arguments[i] == nullptr) return {};
    }
    const ShapeOf shape_of = [&](std::string_view name) {
      const auto found = frame.find(name);
      return found != frame.end() && found->second.shape ? &*found->second.shape : nullptr;
    };
    const nnef::Fragment& declaration = *prepared.signature->declaration;
    if (is_product(invocation.text)) refuse_added_axes(invocation.text, arguments, frame);
    if (invocation.text == "tract_transformers_sdpa") note_heads(shape_of, declaration, arguments);
    std::vector<Known> out;
    for (Ints& shape :
         shapes_of(*prepared.rule, ShapeCall(declaration, arguments, shape_of), invocation))
      out.push_back(is_in_range(shape) ? Known{std::move(shape), {}} : Known{});
    if (invocation.text == "tract_core_cast") keep_number(declaration, arguments, out);
    if (invocation.text == "tract_core_broadcast" && out.size() == 1 && out[0].shape) {
      const Ints* const input = shape_of(argument(declaration, arguments, "input")->text);
      out[0].has_added_axis = input != nullptr && input->size() < out[0].shape->size();
    }
    if (loop_ && is_product(invocation.text) && out.size() == 1 && out[0].shape)
      loops_[*loop_].products.push_back(*out[0].shape);
    return out;
  }

  /// tract removes a broadcast before a product, and the added axis with it. It then refuses the
  /// product, unless both factors have an added axis.
  static void refuse_added_axes(const std::string& operation, const Arguments& arguments,
                                const Frame& frame) {
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

  void note_heads(const ShapeOf& shape_of, const nnef::Fragment& declaration,
                  const Arguments& arguments) {
    const auto names = nnef::assigned_names(statement_->left);
    Heads out{names.empty() ? "" : std::string(names[0]), {}};
    for (const char* each : {"q", "k"}) {
      const Ints* shape = shape_of(argument(declaration, arguments, each)->text);
      if (shape != nullptr && shape->size() == 4) out.counts.push_back((*shape)[1]);
    }
    heads_.push_back(std::move(out));
  }

  Shapes shapes_of(const TractRule& rule, const ShapeCall& call, const Value& invocation) {
    is_structural_ = is_structural(invocation.text);
    if (strictness_ == Strictness::all || is_structural_)
      return rule(call, slices_).value_or(Shapes{});
    try {
      return rule(call, slices_).value_or(Shapes{});
    } catch (const Error&) {
      return {};
    }
  }

  /// A size stays known when it is cast.
  static void keep_number(const nnef::Fragment& declaration, const Arguments& arguments,
                          std::vector<Known>& out) {
    const Value& input = *argument(declaration, arguments, "input");
    const Value* const to = argument(declaration, arguments, "to");
    if (input.kind == Kind::integer && out.size() == 1 && to != nullptr &&
        is_integer_type(to->text))
      out[0].literal = std::make_shared<Value>(input);
  }

  std::vector<Known> run_body(const nnef::Fragment& fragment, Frame& frame) {
    constexpr int kDeepest = 100;
    if (depth_ == kDeepest) return {};
    ++depth_;
    for (const nnef::Assignment& statement : fragment.body) assign(statement, frame);
    --depth_;
    std::vector<Known> out;
    for (const nnef::Parameter& result : fragment.results) out.push_back(frame[result.name]);
    return out;
  }

  std::vector<Known> call_fragment(const Prepared& prepared, Frame& frame) {
    Frame inner;
    for (size_t i = 0; i < prepared.arguments.size(); ++i) {
      const Value* const argument = prepared.arguments[i];
      if (argument == nullptr) continue;
      const Value* const value = evaluated(prepared.signature->parameters[i], *argument, frame);
      inner[prepared.fragment->parameters[i].name] = known(value, frame);
    }
    return run_body(*prepared.fragment, inner);
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
    const auto names = nnef::assigned_names(statement_->left);
    LoopShapes out{names.empty() ? "" : std::string(names[0]), body, {}, {}};
    for (const auto& [name, input] : inputs)
      if (input.shape) out.inputs[std::string(name)] = *input.shape;
    return out;
  }

  std::vector<Known> scan(const Prepared& prepared, Frame& frame) {
    const auto attribute = [&](std::string_view name) -> const Value& {
      return *argument(*prepared.signature->declaration, prepared.arguments, name);
    };
    const auto body = fragments_.find(attribute("body").text);
    if (body == fragments_.end()) return {};
    Frame inner;
    for (const char* list : {"scan", "full", "state"}) bind_body(attribute(list), frame, inner);
    const std::optional<int64_t> iterations = restrict_to_iteration(attribute("scan"), inner);
    const std::optional<size_t> outer_loop = std::exchange(loop_, loops_.size());
    loops_.push_back(loop_shapes(body->second->name, inner));
    run_body(*body->second, inner);
    loop_ = outer_loop;
    std::vector<Known> out;
    for (const Value& row : attribute("output").items)
      out.push_back(scanned(row, inner[row.items.at(0).text].shape, iterations));
    return out;
  }

  /// The result of the last iteration, or the concatenated results of all.
  static Known scanned(const Value& row, std::optional<Ints> shape,
                       std::optional<int64_t> iterations) {
    if (!shape || row.items.at(1).text != "full") return {std::move(shape), {}};
    const size_t axis = row.items.at(2).integer;
    if (!iterations || axis >= shape->size()) return {};
    (*shape)[axis] = product((*shape)[axis], *iterations);
    return {std::move(shape), {}};
  }

  const nnef::Document& document_;
  Slices slices_;
  Strictness strictness_ = Strictness::all;
  std::optional<SizeReader> sizes_;
  std::unordered_map<std::string_view, const nnef::Fragment*> fragments_;
  std::unordered_map<const nnef::Fragment*, Signature> signatures_;
  std::unordered_map<const Value*, Prepared> calls_;
  std::unordered_map<const Value*, std::unique_ptr<Value>> operators_;
  Store store_;                                  ///< arguments of one statement
  std::deque<Value> names_;                      ///< names of calls inside expressions
  const nnef::Assignment* statement_ = nullptr;  ///< of the graph; the running one
  std::vector<LoopShapes> loops_;
  std::vector<Heads> heads_;
  std::optional<size_t> loop_;  ///< whose body runs
  bool is_structural_ = false;  ///< for the running operation
  int depth_ = 0;
};

ShapeRunner::ShapeRunner(const nnef::Document& document)
    : state_(std::make_unique<State>(document)) {}
ShapeRunner::~ShapeRunner() = default;

const std::vector<LoopShapes>& ShapeRunner::loops() const { return state_->loops(); }
const std::vector<Heads>& ShapeRunner::heads() const { return state_->heads(); }

std::optional<ShapeProblem> ShapeRunner::run(const ir::Sizes& values, Strictness strictness) {
  return state_->run(values, strictness);
}

}  // namespace t2n::spec
