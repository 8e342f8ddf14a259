// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/session/inputs.h"

#include <ATen/core/jit_type.h>
#include <ATen/ops/scalar_tensor.h>

#include <algorithm>

#include "src/diag/error.h"
#include "src/frontend/load/allocation.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/numbers/mark.h"
#include "src/frontend/session/input_locations.h"

namespace t2n::trace {

namespace {

using Path = InputPath;

/// The text of a value that is no tensor, for `--input`.
const char* example_of(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::TensorType: return "1,16,f32";
    case c10::TypeKind::IntType: return "int:3";
    case c10::TypeKind::FloatType: return "float:0.5";
    case c10::TypeKind::BoolType: return "bool:true";
    case c10::TypeKind::StringType: return "str:text";
    default: return "none";
  }
}

/// Builds arguments by their types from samples.
class Binder {
 public:
  explicit Binder(const std::vector<SampleInput>& samples)
      : samples_(samples), used_(samples.size(), false) {}

  BoundInputs run(const c10::FunctionSchema& schema) {
    for (const SampleInput& sample : samples_) {
      const auto location = argument_location(schema, sample);
      locations_.push_back(location ? location->path : Path{flat_name(sample.path)});
      if (!location && !is_position(locations_.back()[0])) unknown_ = locations_.back()[0];
    }
    for (size_t i = 1; i < schema.arguments().size(); ++i)
      names_.push_back(schema.arguments()[i].name());
    for (size_t i = 1; i < schema.arguments().size(); ++i) {
      const c10::Argument& argument = schema.arguments()[i];
      const Path path = {argument.name()};
      if (argument.default_value() && !exists(path) && by_position(argument.type()) < 0)
        out_.arguments.push_back(*argument.default_value());
      else
        out_.arguments.push_back(build(argument.type(), path));
    }
    refuse_missing();
    refuse_unused();
    return std::move(out_);
  }

 private:
  struct Missing {
    std::string name;
    c10::TypePtr type;
  };

  static bool is_tensor(const c10::TypePtr& type) {
    return type->isSubtypeOf(*c10::TensorType::get());
  }

  /// The option that gives the sample.
  static std::string example(const Missing& input) {
    return cat("--input ", input.name, "=", example_of(*input.type));
  }

  /// Nothing stands for a missing sample, so that all of them are found.
  c10::IValue note_missing(const Path& path, const c10::TypePtr& type) {
    missing_.push_back({flat_name(path), type});
    if (is_tensor(type)) ++tensors_;
    return {};
  }

  void refuse_missing() const {
    if (missing_.empty()) return;
    if (!unknown_.empty()) refuse_unknown(unknown_, names_);
    const Missing& first = missing_.front();
    const bool tensor = is_tensor(first.type);
    Diagnostic out{.id = "input-missing"};
    if (missing_.size() == 1) {
      out.message =
          cat("the input ", quoted(first.name), " (", first.type->str(), ") has no sample");
      out.why =
          tensor ? "the file does not contain its shape" : "the file does not contain its value";
      out.help = tensor ? cat("give its shape, such as ", example(first),
                              ", or its values: --input ", first.name, "=@file.npy")
                        : cat("give its value: ", example(first));
      throw Error(std::move(out));
    }
    std::vector<Use> uses;
    std::vector<std::string> examples;
    for (const Missing& input : missing_) {
      uses.push_back({.what = cat(quoted(input.name), " (", input.type->str(), ")")});
      examples.push_back(example(input));
    }
    out.message = cat(missing_.size(), " inputs have no samples");
    set_uses(out, std::move(uses));
    out.why = "the file contains neither their shapes nor their values";
    out.help = cat("give shapes and values, such as ", joined(examples, " "),
                   "; `t2nnef inspect` shows the arguments");
    throw Error(std::move(out));
  }

  [[noreturn]] static void refuse_unknown(const std::string& name,
                                          const std::vector<std::string>& known) {
    const std::string near = nearest(name, known);
    throw Error("input-unknown", cat("the model has no input ", quoted(name)),
                cat("its inputs are: ", joined(known, ", ")),
                near.empty() ? "" : cat("did you mean ", quoted(near), "?"), name);
  }

  void refuse_unused() const {
    for (size_t i = 0; i < samples_.size(); ++i)
      if (!used_[i]) refuse_unknown(flat_name(samples_[i].path), out_.names);
  }

  int find(const Path& path) const {
    const auto found = std::find(locations_.begin(), locations_.end(), path);
    return found == locations_.end() ? -1 : static_cast<int>(found - locations_.begin());
  }

  /// The next parts of the locations below `path`, in order of first appearance.
  std::vector<std::string> children(const Path& path) const {
    std::vector<std::string> out;
    for (const Path& location : locations_)
      if (location.size() > path.size() && std::equal(path.begin(), path.end(), location.begin()) &&
          std::find(out.begin(), out.end(), location[path.size()]) == out.end())
        out.push_back(location[path.size()]);
    return out;
  }

  /// The sample `input_N` for the next tensor, which may be optional.
  int by_position(const c10::TypePtr& type) const {
    c10::TypePtr plain = type;
    if (const auto optional = type->cast<c10::OptionalType>()) plain = optional->getElementType();
    return is_tensor(plain) ? find({cat("input_", tensors_)}) : -1;
  }

  bool exists(const Path& path) const { return find(path) >= 0 || !children(path).empty(); }

  c10::IValue build(const c10::TypePtr& type, const Path& path) {
    int index = find(path);
    if (index < 0) index = by_position(type);
    if (index >= 0) {
      used_[index] = true;
      return leaf(samples_[index].value, type, path);
    }
    if (const auto optional = type->cast<c10::OptionalType>())
      return children(path).empty() ? c10::IValue() : build(optional->getElementType(), path);
    if (const auto tuple = type->cast<c10::TupleType>()) return build_tuple(tuple, path);
    if (const auto list = type->cast<c10::ListType>()) return build_list(list, path);
    if (const auto dict = type->cast<c10::DictType>()) return build_dict(dict, path);
    return note_missing(path, type);
  }

  c10::IValue build_tuple(const c10::TupleTypePtr& type, Path path) {
    std::vector<c10::IValue> elements;
    const auto fields = type->schema();
    for (size_t i = 0; i < type->elements().size(); ++i) {
      path.push_back(std::to_string(i));
      if (fields && !exists(path)) path.back() = fields->arguments()[i].name();
      elements.push_back(build(type->elements()[i], path));
      path.pop_back();
    }
    if (type->name()) return c10::ivalue::Tuple::createNamed(std::move(elements), type);
    return c10::ivalue::Tuple::create(std::move(elements));
  }

  c10::IValue build_list(const c10::ListTypePtr& type, Path path) {
    c10::impl::GenericList list(type->getElementType());
    for (int i = 0;; ++i) {
      path.push_back(std::to_string(i));
      if (!exists(path)) break;
      list.push_back(build(type->getElementType(), path));
      path.pop_back();
    }
    path.pop_back();
    if (!list.empty()) return list;
    path.emplace_back("0");
    return note_missing(path, type->getElementType());
  }

  c10::IValue build_dict(const c10::DictTypePtr& type, Path path) {
    c10::impl::GenericDict dict(type->getKeyType(), type->getValueType());
    if (type->getKeyType()->kind() != c10::TypeKind::StringType) return note_missing(path, type);
    for (const std::string& key : children(path)) {
      path.push_back(key);
      dict.insert(key, build(type->getValueType(), path));
      path.pop_back();
    }
    if (!dict.empty()) return dict;
    path.emplace_back("key");
    return note_missing(path, type->getValueType());
  }

  c10::IValue leaf(const Leaf& value, c10::TypePtr type, const Path& path) {
    const std::string name = flat_name(path);
    if (const auto optional = type->cast<c10::OptionalType>()) {
      if (std::holds_alternative<ir::None>(value)) {
        out_.constants.push_back(name);
        return {};
      }
      type = optional->getElementType();
    }
    const auto kind = type->kind();
    if (const auto* tensor = std::get_if<ir::Tensor>(&value);
        tensor != nullptr &&
        (kind == c10::TypeKind::TensorType || kind == c10::TypeKind::AnyType)) {
      out_.tensors.push_back(to_torch_copy(*tensor));
      ++tensors_;
      out_.names.push_back(name);
      return out_.tensors.back();
    }
    out_.constants.push_back(name);
    if (const auto* number = std::get_if<int64_t>(&value)) {
      if (kind == c10::TypeKind::FloatType) return static_cast<double>(*number);
      if (kind == c10::TypeKind::IntType || kind == c10::TypeKind::NumberType) return *number;
    }
    if (const auto* number = std::get_if<double>(&value);
        number != nullptr &&
        (kind == c10::TypeKind::FloatType || kind == c10::TypeKind::NumberType))
      return *number;
    if (const auto* flag = std::get_if<bool>(&value);
        flag != nullptr && kind == c10::TypeKind::BoolType)
      return *flag;
    if (const auto* text = std::get_if<std::string>(&value);
        text != nullptr && kind == c10::TypeKind::StringType)
      return *text;
    throw Error("input-shape",
                cat("the sample of the input ", quoted(name), " does not fit its type ",
                    quoted(type->str())),
                {}, cat("give a value of this type: --input ", name, "=", example_of(*type)));
  }

  const std::vector<SampleInput>& samples_;
  std::vector<Path> locations_;  ///< of `samples_`; the flat name if there is no such argument
  std::vector<bool> used_;
  std::vector<std::string> names_;  ///< of the arguments
  std::string unknown_;             ///< a sample that belongs to no argument, or ""
  std::vector<Missing> missing_;
  size_t tensors_ = 0;  ///< so far, missing ones included
  BoundInputs out_;
};

void flatten(const c10::IValue& value, Path& path, bool with_bytes, std::vector<SampleInput>& out) {
  const auto below = [&](const std::string& key, const c10::IValue& element) {
    path.push_back(key);
    flatten(element, path, with_bytes, out);
    path.pop_back();
  };
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (with_bytes) return out.push_back({path, copy(tensor)});
    ir::Tensor shape_only;
    shape_only.dtype = require_dtype(tensor.scalar_type());
    shape_only.shape = tensor.sizes().vec();
    shape_only.strides = ir::contiguous_strides(shape_only.shape);
    out.push_back({path, std::move(shape_only)});
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict())
      if (entry.key().isString()) below(entry.key().toStringRef(), entry.value());
  } else if (value.isTuple() || value.isList()) {
    const auto elements = value.isTuple() ? c10::ArrayRef<c10::IValue>(value.toTuple()->elements())
                                          : value.toListRef();
    for (size_t i = 0; i < elements.size(); ++i) below(std::to_string(i), elements[i]);
  } else if (value.isNone()) {
    out.push_back({path, ir::None{}});
  } else if (value.isBool()) {
    out.push_back({path, value.toBool()});
  } else if (value.isInt()) {
    out.push_back({path, value.toInt()});
  } else if (value.isDouble()) {
    out.push_back({path, value.toDouble()});
  } else if (value.isString()) {
    out.push_back({path, value.toStringRef()});
  }
}

/// The names of a tuple's elements; null for a tuple without names.
std::shared_ptr<c10::FunctionSchema> names_in(const c10::ivalue::Tuple& tuple) {
  try {
    return tuple.type<c10::TupleType>()->schema();
  } catch (const c10::Error&) {
    return nullptr;  // it consists of its elements' types, and an undefined tensor has none
  }
}

/// Lists the tensors of a result, and what an artefact cannot return. An undefined tensor is None,
/// as it is in Python.
class Flattening {
 public:
  std::vector<FlatOutput> run(const c10::IValue& result) {
    add(result, "", true);
    if (!refused_.empty()) refuse();
    return std::move(out_);
  }

 private:
  void add(const c10::IValue& value, const std::string& name, bool top) {
    const auto below = [&](const std::string& key, bool named) {
      if (!top) return name + "_" + key;
      return named ? key : "output_" + key;
    };
    if (value.isTensor() && !value.toTensor().defined()) return;
    if (value.isTensor()) {
      if (value.toTensor().numel() > kMaxElements)
        throw Error("unsupported-output",
                    cat("the model returns a tensor of ", value.toTensor().numel(), " elements"),
                    cat("the limit is ", kMaxElements, " elements"));
      out_.push_back({top ? "output_0" : name, value.toTensor()});
    } else if (value.isGenericDict()) {
      for (const auto& entry : value.toGenericDict()) {
        const bool text = entry.key().isString();
        add(entry.value(), below(text ? entry.key().toStringRef() : cat(entry.key()), text), false);
      }
    } else if (value.isTuple()) {
      const auto tuple = value.toTuple();
      const auto fields = names_in(*tuple);
      for (size_t i = 0; i < tuple->elements().size(); ++i)
        add(tuple->elements()[i],
            below(fields ? fields->arguments()[i].name() : std::to_string(i), fields != nullptr),
            false);
    } else if (value.isList()) {
      size_t i = 0;
      for (const c10::IValue& element : value.toListRef())
        add(element, below(std::to_string(i++), false), false);
    } else if (is_number(value)) {
      const at::ScalarType type = value.isBool()  ? at::kBool
                                  : value.isInt() ? at::kLong
                                                  : at::kFloat;
      out_.push_back({top ? "output_0" : name, at::scalar_tensor(value.toScalar(), type)});
    } else if (!value.isNone()) {
      refused_.push_back({.what = cat("a value of type ", quoted(value.tagKind()), " (",
                                      top ? "its result" : quoted(name), ")")});
    }
  }

  [[noreturn]] void refuse() {
    const bool one = refused_.size() == 1;
    Diagnostic out{
        .id = "unsupported-output",
        .message = one ? cat("the model returns ", refused_[0].what)
                       : cat("the model returns ", refused_.size(), " values that are no tensors"),
        .where = {},
        .details = {},
        .why = "all outputs of an artefact are tensors",
        .help = one ? "return a tensor, or leave the value out"
                    : "return tensors, or leave these values out"};
    if (!one) set_uses(out, std::move(refused_));
    throw Error(std::move(out));
  }

  std::vector<FlatOutput> out_;
  std::vector<Use> refused_;
};

}  // namespace

BoundInputs bind_inputs(const c10::FunctionSchema& schema,
                        const std::vector<SampleInput>& samples) {
  return Binder(samples).run(schema);
}

std::vector<SampleInput> flatten_samples(const c10::FunctionSchema& schema,
                                         const std::vector<c10::IValue>& arguments) {
  std::vector<SampleInput> out;
  for (size_t i = 0; i < arguments.size() && i + 1 < schema.arguments().size(); ++i) {
    Path path = {schema.arguments()[i + 1].name()};
    flatten(arguments[i], path, false, out);
  }
  return out;
}

std::vector<SampleInput> flatten_value(const std::string& name, const c10::IValue& value) {
  std::vector<SampleInput> out;
  Path path;
  if (!name.empty()) path.push_back(name);
  flatten(value, path, true, out);
  return out;
}

std::vector<FlatOutput> flatten_outputs(const c10::IValue& result) {
  std::vector<FlatOutput> out = Flattening().run(result);
  if (out.empty())
    throw Error("unsupported-output", "the model returns no tensor", {},
                "an artefact needs at least one output");
  return out;
}

}  // namespace t2n::trace
