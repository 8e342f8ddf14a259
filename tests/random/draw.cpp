// SPDX-License-Identifier: Apache-2.0
#include "tests/random/draw.h"

#include <rapidcheck.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "src/diag/error.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;
using ir::Ints;

int pick(int low, int high_exclusive) { return *rc::gen::inRange(low, high_exclusive); }
bool chance(int percent) { return pick(0, 100) < percent; }
template <typename T>
T one_of(const std::vector<T>& choices) {
  return choices[static_cast<size_t>(pick(0, static_cast<int>(choices.size())))];
}

bool is_among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

class Drawing {
 public:
  Drawing(const std::string& op, const ir::Schema& schema) : op_(op), schema_(schema) {
    const int rank = one_of<int>({0, 1, 2, 2, 3, 3, 4, 4, 5});
    for (int i = 0; i < rank; ++i) base_.push_back(chance(2) ? 0 : pick(1, 6));
    dtype_ = one_of<DType>({DType::f32, DType::f32, DType::f32, DType::f32, DType::f64, DType::f16,
                            DType::i64, DType::i64, DType::i32, DType::u8, DType::boolean});
    is_empty_ = std::find(base_.begin(), base_.end(), 0) != base_.end();
    is_broadcast_ = !is_empty_ && chance(50);
  }

  DrawnCall run() {
    std::string arguments;
    for (const ir::SchemaArgument& argument : schema_.arguments) {
      if (argument.fallback && chance(50)) continue;
      const auto value = text_of(argument);
      if (value) arguments += cat(arguments.empty() ? "" : ", ", argument.name, "=", *value);
    }
    const std::string name = op_.substr(op_.find("::") + 2);
    call_.expression = cat("torch.", name.substr(0, name.find('.')), "(", arguments, ")");
    return std::move(call_);
  }

 private:
  int rank() const { return static_cast<int>(base_.size()); }
  int extent() const { return base_.empty() ? 1 : static_cast<int>(one_of(base_)); }

  /// TorchScript for an argument; nullopt leaves it out.
  std::optional<std::string> text_of(const ir::SchemaArgument& argument) {
    const std::string& type = argument.type;
    if (contains(type, "Optional[") && chance(30)) return "None";
    if (contains(type, "Generator") || contains(type, "MemoryFormat")) return {};
    // Sizes and scales that contradict each other come from no model.
    if (contains(argument.name, "scales")) return "None";
    if (is_among(argument.name, {"layout", "device", "pin_memory", "memory_format", "out"}))
      return {};
    if (contains(type, "List[Tensor]") || contains(type, "List[Optional[Tensor]]"))
      return list_of(pick(1, 4), [&] { return tensor(argument.name); });
    if (contains(type, "Tensor")) return tensor(argument.name);
    if (contains(type, "ScalarType") || argument.name == "dtype")
      return one_of<std::string>({"6", "6", "4", "7", "3"});
    if (contains(type, "List[int]")) return integers(argument.name);
    if (contains(type, "List[bool]")) return list_of(pick(1, 4), [] { return boolean(); });
    if (contains(type, "List[float]")) return list_of(pick(1, 3), [] { return number(); });
    if (contains(type, "int")) return integer(argument.name);
    if (contains(type, "bool")) return boolean();
    if (argument.name == "label_smoothing") return one_of<std::string>({"0.1", "0.5"});
    if (contains(type, "float") || contains(type, "number")) return number();
    return {};
  }

  template <typename Draw>
  static std::string list_of(int count, const Draw& draw) {
    std::string out;
    for (int i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + draw();
    return "[" + out + "]";
  }

  static std::string boolean() { return chance(50) ? "True" : "False"; }
  static std::string number() {
    return one_of<std::string>({"0.5", "1.0", "2.0", "-1.5", "3", "2", "1", "0.25"});
  }

  std::string integer(std::string_view name) const {
    if (contains(name, "dim") || contains(name, "axis"))
      return std::to_string(pick(-std::max(rank(), 1), std::max(rank(), 1)));
    if (is_among(name, {"start", "storage_offset", "padding_idx", "ignore_index"}))
      return std::to_string(pick(-2, 3));
    if (is_among(name, {"end", "index", "offset", "diagonal", "k"}))
      return std::to_string(pick(-1, extent() + 1));
    if (contains(name, "_mode")) return std::to_string(pick(0, 3));
    if (is_among(name, {"groups", "num_groups", "step"})) return std::to_string(pick(1, 4));
    return std::to_string(pick(0, 5));
  }

  std::string integers(std::string_view name) const {
    if (name == "dim" || contains(name, "dims") || contains(name, "axis")) {
      std::vector<int> all;
      for (int i = 0; i < rank(); ++i)
        if (chance(50)) all.push_back(chance(30) ? i - rank() : i);
      size_t next = 0;
      if (contains(op_, "permute")) {
        all.clear();
        for (int i = 0; i < rank(); ++i) all.push_back(rank() - 1 - i);
      }
      return list_of(static_cast<int>(all.size()), [&] { return std::to_string(all[next++]); });
    }
    if (is_among(name, {"size", "shape", "sizes"}) && chance(60)) {
      std::string out = chance(30) ? "[2, " : "[";
      for (const int64_t extent : base_) out += cat(extent, ", ");
      return out + "]";
    }
    const int low = contains(name, "pad") ? 0 : 1;
    return list_of(pick(1, contains(name, "pad") ? 5 : 4),
                   [&] { return std::to_string(pick(low, 4)); });
  }

  std::string tensor(std::string_view name) {
    const std::string parameter = cat("a", call_.inputs.size());
    call_.parameters += ", " + parameter;
    call_.inputs.push_back(value_of(name));
    return parameter;
  }

  /// The base shape, or one that broadcasts with it, or another one.
  Ints shape() const {
    Ints out = base_;
    if (is_broadcast_ && chance(60)) {
      for (int64_t& extent : out)
        if (chance(30)) extent = 1;
      if (!out.empty() && chance(30)) out.erase(out.begin());
    } else if (!is_empty_ && chance(8)) {
      out.assign(static_cast<size_t>(pick(0, 4)), 2);
    }
    return out;
  }

  /// Rows that a binary search may look through.
  ir::Tensor ascending() const {
    const int64_t rows = is_broadcast_ ? 1 : 0, columns = pick(1, 6);
    std::vector<double> steps;
    for (int64_t i = 0; i < columns; ++i) steps.push_back(static_cast<double>(i) - 2.5);
    return values(rows == 0 ? Ints{columns} : Ints{rows, columns}, steps);
  }

  ir::Tensor value_of(std::string_view name) {
    const auto seed = static_cast<uint64_t>(pick(1, 1000));
    const bool is_index = contains(name, "index") || contains(name, "indices") || name == "target";
    // Torch does not always look whether an index is in range.
    const int64_t least = base_.empty() ? 1 : *std::min_element(base_.begin(), base_.end());
    if (is_index) return randint(shape(), 0, std::max<int64_t>(least, 1), seed, DType::i64);
    if (contains(name, "boundaries") || contains(name, "sorted_sequence")) return ascending();
    if (contains(name, "mask") || name == "condition")
      return randint(shape(), 0, 2, seed, DType::boolean);
    const DType dtype = chance(85) ? dtype_ : one_of<DType>({DType::f32, DType::i64, DType::u8});
    if (dtype == DType::boolean || dtype == DType::u8)
      return randint(shape(), 0, dtype == DType::boolean ? 2 : 12, seed, dtype);
    if (!ir::is_float(dtype)) return randint(shape(), -9, 10, seed, dtype);
    return chance(30) ? uniform(shape(), 0.1, 0.9, seed, dtype) : randn(shape(), seed, dtype);
  }

  const std::string& op_;
  const ir::Schema& schema_;
  Ints base_;
  DType dtype_ = DType::f32;
  bool is_empty_ = false;
  bool is_broadcast_ = false;
  DrawnCall call_;
};

}  // namespace

void showValue(const DrawnCall& call, std::ostream& out) {
  out << call.expression;
  for (const ir::Tensor& input : call.inputs)
    out << " " << ir::dtype_name(input.dtype) << ir::shape_str(ir::to_shape(input.shape));
}

DrawnCall draw_call(const std::string& op, const ir::Schema& schema) {
  return Drawing(op, schema).run();
}

}  // namespace t2n::test
