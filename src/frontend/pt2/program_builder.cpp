// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/pt2/program_builder.h"

#include <torch/csrc/jit/api/function_impl.h>

#include <algorithm>
#include <set>

#include "src/diag/error.h"
#include "src/frontend/pt2/graph_writer.h"
#include "src/frontend/pt2/module_tree.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;
using pt2::InputKind;
using pt2::OutputKind;

[[noreturn]] void refuse_signature(const std::string& why) {
  throw Error("model-corrupt", "the arguments or results of the model cannot be read", why,
              "was it saved or downloaded completely?");
}

/// A name without characters that are not allowed in NNEF.
std::string part_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; },
      '_');
  return name;
}

/// The names of the leaves below a node: "opts_w", "pair_0".
void add_names(const pt2::Tree& tree, const std::string& name, std::vector<std::string>& out) {
  if (tree.is_leaf) out.push_back(name);
  for (size_t i = 0; i < tree.children.size(); ++i) {
    const std::string part = tree.keys.empty() ? std::to_string(i) : part_name(tree.keys[i]);
    add_names(tree.children[i], name.empty() ? part : cat(name, "_", part), out);
  }
}

/// The leaves of a tuple of positional arguments and a dictionary of others.
std::vector<std::string> leaf_names(const pt2::Program& program) {
  const pt2::Tree& both = *program.arguments;
  if (both.children.size() != 2) refuse_signature("they are not a tuple and a dictionary");
  std::vector<std::string> out;
  const pt2::Tree& positional = both.children[0];
  for (size_t i = 0; i < positional.children.size(); ++i)
    add_names(positional.children[i],
              i < program.argument_names.size() ? program.argument_names[i] : cat("args_", i), out);
  add_names(both.children[1], "", out);
  return out;
}

bool is_users(const pt2::InputSpec& input) {
  return input.kind == InputKind::user || input.kind == InputKind::constant;
}

const pt2::ValueName& name_of(const pt2::Argument& argument) {
  if (const auto* name = argument.get<pt2::ValueName>()) return *name;
  refuse_signature("an input of the graph is not a value");
}

/// The types of the user's values in the graph: tensors, or numbers.
c10::TypePtr type_of(const std::string& name, const pt2::Graph& graph) {
  if (graph.tensors.contains(name)) return c10::TensorType::get();
  if (graph.floats.contains(name)) return c10::FloatType::get();
  if (graph.booleans.contains(name)) return c10::BoolType::get();
  return c10::IntType::get();
}

class ProgramBuilder {
 public:
  ProgramBuilder(torch::jit::Module& model, const pt2::Program& program,
                 const std::set<std::string>& wrappers)
      : model_(model),
        program_(program),
        wrappers_(wrappers),
        graph_(std::make_shared<torch::jit::Graph>()),
        builder_(graph_),
        writer_(builder_, [this](const std::string& address) { return attribute(address); }) {}

  void run() {
    self_ = graph_->addInput("self")->setType(model_.type());
    objects_[""] = self_;
    add_inputs();
    writer_.write(program_.graph);
    for (const pt2::OutputSpec& output : program_.outputs)
      if (output.kind == OutputKind::buffer || output.kind == OutputKind::parameter)
        builder_.call("aten::copy_", {attribute(output.address), value_of(output.argument),
                                      builder_.constant(false)});
    Value* const result = build_results();
    graph_->registerOutput(result);
    define(result->type());
  }

 private:
  void add_inputs() {
    if (program_.inputs.size() != program_.graph.inputs.size())
      refuse_signature("the signature and the graph have not the same number of inputs");
    const std::vector<std::string> names = argument_names(program_);
    auto next = names.begin();
    for (const pt2::InputSpec& input : program_.inputs) {
      if (input.kind == InputKind::user && input.argument.get<pt2::ValueName>()) {
        const std::string& value = name_of(input.argument).name;
        writer_.names[value] = graph_->addInput()->setType(type_of(value, program_.graph));
        arguments_.emplace_back(*next++, writer_.names[value]->type());
      } else if (wrappers_.contains(input.address)) {
        writer_.wrappers[name_of(input.argument).name] = input.address;
      } else if (!is_users(input) && input.kind != InputKind::token) {
        writer_.names[name_of(input.argument).name] = attribute(input.address);
      }
    }
    for (size_t i = 0; i < program_.inputs.size(); ++i)
      if (const auto* name = program_.graph.inputs[i].get<pt2::ValueName>();
          program_.inputs[i].kind == InputKind::constant && name != nullptr)
        writer_.names[name->name] =
            builder_.operand(program_.inputs[i].argument, c10::AnyType::get(), writer_.names);
  }

  Value* object(const std::string& path) {
    const auto known = objects_.find(path);
    if (known != objects_.end()) return known->second;
    const auto [outer, name] = split_address(path);
    return objects_[path] = graph_->insertGetAttr(object(outer), name);
  }

  /// nullptr if a module is there.
  Value* attribute(const std::string& address) {
    const auto [path, name] = split_address(address);
    const auto owner = object(path)->type()->expect<c10::ClassType>();
    const auto type = owner->findAttribute(name);
    if (!type) refuse_signature(cat("the model has no ", quoted(address)));
    return type->is_module() ? nullptr : graph_->insertGetAttr(object(path), name);
  }

  Value* value_of(const pt2::Argument& argument) {
    return builder_.operand(argument, c10::AnyType::get(), writer_.names);
  }

  Value* build_results() {
    std::vector<const pt2::Argument*> leaves;
    for (const pt2::OutputSpec& output : program_.outputs)
      if (output.kind == OutputKind::user) leaves.push_back(&output.argument);
    auto next = leaves.cbegin();
    if (program_.results) {
      Value* const out = build_result(*program_.results, next, leaves.cend());
      if (next != leaves.cend()) refuse_signature("the graph has more results than the tree");
      return out;
    }
    JitValues values;
    for (const pt2::Argument* leaf : leaves) values.push_back(value_of(*leaf));
    return values.size() == 1 ? values[0] : tuple(values);
  }

  using Leaf = std::vector<const pt2::Argument*>::const_iterator;
  Value* build_result(const pt2::Tree& tree, Leaf& next, Leaf end) {
    if (tree.is_leaf) {
      if (next == end) refuse_signature("the graph has fewer results than the tree");
      return value_of(**next++);
    }
    JitValues values;
    for (const pt2::Tree& child : tree.children) values.push_back(build_result(child, next, end));
    return tree.keys.empty() ? tuple(values) : dictionary(tree.keys, values);
  }

  Value* tuple(const JitValues& values) {
    return graph_->insertNode(graph_->createTuple(values))->output();
  }

  Value* dictionary(const std::vector<std::string>& keys, const JitValues& values) {
    const bool are_tensors = std::all_of(values.begin(), values.end(), [](const Value* value) {
      return value->type()->kind() == c10::TypeKind::TensorType;
    });
    JitValues both;
    for (size_t i = 0; i < values.size(); ++i) {
      both.push_back(builder_.constant(keys[i]));
      both.push_back(values[i]);
    }
    Value* const out = builder_.insert(prim::DictConstruct, both)->output();
    const c10::TypePtr value_type =
        are_tensors ? c10::TypePtr(c10::TensorType::get()) : c10::TypePtr(c10::AnyType::get());
    return out->setType(c10::DictType::create(c10::StringType::get(), value_type));
  }

  void define(const c10::TypePtr& result) {
    std::vector<c10::Argument> arguments = {c10::Argument("self", model_.type())};
    for (const auto& [name, type] : arguments_) arguments.emplace_back(name, type);
    const c10::QualifiedName name(*model_.type()->name(), "forward");
    auto* function = model_._ivalue()->compilation_unit()->create_function(name, graph_);
    function->setSchema(
        c10::FunctionSchema("forward", "", std::move(arguments), {c10::Argument("", result)}));
    model_.type()->addMethod(function);
  }

  torch::jit::Module& model_;
  const pt2::Program& program_;
  const std::set<std::string>& wrappers_;
  std::shared_ptr<torch::jit::Graph> graph_;
  BlockBuilder builder_;
  GraphWriter writer_;
  Value* self_ = nullptr;
  std::map<std::string, Value*> objects_;
  std::vector<std::pair<std::string, c10::TypePtr>> arguments_;
};

}  // namespace

std::vector<std::string> argument_names(const pt2::Program& program) {
  std::vector<std::string> all;
  if (program.arguments) all = leaf_names(program);
  size_t count = 0;
  std::vector<std::string> out;
  std::set<std::string> used;
  for (const pt2::InputSpec& input : program.inputs) {
    if (!is_users(input)) continue;
    const size_t index = count++;
    const auto* value = input.argument.get<pt2::ValueName>();
    if (input.kind != InputKind::user || value == nullptr) continue;
    if (program.arguments && index >= all.size())
      refuse_signature("the graph has more arguments than the tree");
    std::string name = program.arguments ? all[index] : value->name;
    if (!used.insert(name).second) used.insert(name = value->name);
    out.push_back(std::move(name));
  }
  return out;
}

void add_forward(torch::jit::Module& model, const pt2::Program& program,
                 const std::set<std::string>& wrappers) {
  ProgramBuilder(model, program, wrappers).run();
}

}  // namespace t2n::trace
