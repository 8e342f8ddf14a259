// SPDX-License-Identifier: Apache-2.0
#include "src/model_file/unpickle.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/diag/error.h"
#include "src/model_file/pickle_bytes.h"
#include "src/model_file/pickle_scan.h"

namespace t2n::model_file {
namespace {

using Value = PickleValue;
using Kind = Value::Kind;

constexpr int kProtocol = 2;

/// Classes and functions of plain data; a trailing dot allows a module.
constexpr std::array kDataGlobals = {
    std::string_view("collections."),
    std::string_view("torch._utils._rebuild_"),
    std::string_view("torch."),
    std::string_view("torch._tensor._rebuild_from_type_v2"),
    std::string_view("torch.serialization._get_layout"),
    std::string_view("torchao."),
    std::string_view("__torch__."),
    std::string_view("torch.jit._pickle."),
    std::string_view("torch.storage.UntypedStorage"),
    std::string_view("__builtin__.set"),
    std::string_view("builtins.set"),
    std::string_view("argparse.Namespace"),
    std::string_view("datetime."),
    std::string_view("_codecs.encode"),
    std::string_view("numpy.dtype"),
    std::string_view("numpy.ndarray"),
    std::string_view("numpy.core.multiarray.scalar"),
    std::string_view("numpy.core.multiarray._reconstruct"),
    std::string_view("numpy._core.multiarray.scalar"),
    std::string_view("numpy._core.multiarray._reconstruct"),
};

/// "torch.FloatStorage" is allowed by "torch.", "torch.hub.load" by nothing: names directly in a
/// module only.
bool is_data(std::string_view name) {
  return std::any_of(kDataGlobals.begin(), kDataGlobals.end(), [&](std::string_view known) {
    if (known == "__torch__." || known == "torchao." || known.ends_with("_rebuild_"))
      return name.starts_with(known);
    if (!known.ends_with('.')) return name == known;
    return name.starts_with(known) && name.find('.', known.size()) == std::string_view::npos;
  });
}

/// Functions of the module torch that run code or read files.
bool is_harmful(std::string_view name) {
  constexpr std::array kHarmful = {std::string_view("torch.load"), std::string_view("torch.save"),
                                   std::string_view("torch.compile"),
                                   std::string_view("torch.from_file")};
  return std::find(kHarmful.begin(), kHarmful.end(), name) != kHarmful.end();
}

/// Interprets opcodes without calling anything.
class Machine {
 public:
  Machine(std::span<const char> bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  /// Nothing if the pickle is invalid.
  std::optional<Pickle> run() {
    while (!bytes_.is_at_end()) {
      const char opcode = bytes_.next();
      if (opcode == '.') {
        if (stack_.empty()) return std::nullopt;
        out_.root = stack_.back();
        return std::move(out_);
      }
      if (!step(opcode)) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  bool step(char opcode) {
    switch (opcode) {
      case '\x80': return bytes_.skip(1);                      // PROTO
      case 'K': return integer(1);                             // BININT1
      case 'M': return integer(2);                             // BININT2
      case 'J': return integer(4);                             // BININT
      case '\x8a': return long_integer();                      // LONG1
      case 'G': return bytes_.skip(8) && push({Kind::other});  // BINFLOAT
      case 'X': return string(4, Kind::string);                // BINUNICODE
      case '\x8c': return string(1, Kind::string);             // SHORT_BINUNICODE
      case '\x8d': return string(8, Kind::string);             // BINUNICODE8
      case 'T': return string(4, Kind::other);                 // BINSTRING
      case 'U': return string(1, Kind::other);                 // SHORT_BINSTRING
      case 'N': return push({Kind::none});                     // NONE
      case '\x88': return push({Kind::integer, 1});            // NEWTRUE
      case '\x89': return push({Kind::integer, 0});            // NEWFALSE
      case ')':                                                // EMPTY_TUPLE
      case ']': return push({Kind::list});                     // EMPTY_LIST
      case '}': return push({Kind::dict});                     // EMPTY_DICT
      case '(': marks_.push_back(stack_.size()); return true;  // MARK
      case 'c': return global();                               // GLOBAL
      case '\x81': return new_object();                        // NEWOBJ
      case 'q': return put(1);                                 // BINPUT
      case 'r': return put(4);                                 // LONG_BINPUT
      case 'h': return get(1);                                 // BINGET
      case 'j': return get(4);                                 // LONG_BINGET
      case 'a': return fill(1);                                // APPEND
      case 's': return fill(2);                                // SETITEM
      case 'e':                                                // APPENDS
      case 'u': return mark() && fill(count_);                 // SETITEMS
      case 't':                                                // TUPLE
      case 'l': return mark() && gather(count_, Kind::list);   // LIST
      case 'd': return mark() && gather(count_, Kind::dict);   // DICT
      case '\x85': return gather(1, Kind::list);               // TUPLE1
      case '\x86': return gather(2, Kind::list);               // TUPLE2
      case '\x87': return gather(3, Kind::list);               // TUPLE3
      case 'Q': return persistent_id();                        // BINPERSID
      case 'R': return call();                                 // REDUCE
      case 'b': return build();                                // BUILD
      case '0': return pop(1);                                 // POP
      default: return false;
    }
  }

  bool integer(size_t width) {
    const auto value = bytes_.number(width);
    if (!value) return false;
    const bool is_signed = width == 4;
    return push(
        {Kind::integer, is_signed ? static_cast<int32_t>(*value) : static_cast<int64_t>(*value)});
  }
  /// Two's complement; longer than 8 bytes is no size of a tensor.
  bool long_integer() {
    const auto count = bytes_.number(1);
    if (!count) return false;
    const auto width = static_cast<size_t>(*count);
    if (width > 8) return bytes_.skip(width) && push({Kind::other});
    const auto number = bytes_.number(width);
    if (!number) return false;
    uint64_t value = *number;
    if (width > 0 && width < 8 && (value >> (8 * width - 1)) != 0)
      value |= ~uint64_t{0} << (8 * width);
    return push({Kind::integer, static_cast<int64_t>(value)});
  }
  bool string(size_t width, Kind kind) {
    const auto text = bytes_.counted(width);
    return text && push({kind, 0, std::string(*text)});
  }
  bool global() {
    const auto module = bytes_.line();
    const auto name = module ? bytes_.line() : std::nullopt;
    if (!name) return false;
    std::string full = cat(*module, ".", *name);
    if (!is_data(full) || is_harmful(full))
      throw Error("model-format",
                  cat(quoted(path_), " holds more than tensors: it needs the Python code of ",
                      quoted(full)),
                  "such a file runs code when Python loads it; t2nnef runs none",
                  "load it in Python if you trust it, and save torch.save(model.state_dict(), …)");
    return push({Kind::global, 0, std::move(full)});
  }

  bool push(Value value) {
    out_.values.push_back(std::move(value));
    stack_.push_back(static_cast<Value::Id>(out_.values.size() - 1));
    return true;
  }
  bool pop(size_t count) {
    if (stack_.size() < count) return false;
    stack_.resize(stack_.size() - count);
    return true;
  }
  bool put(size_t width) {
    const auto key = bytes_.number(width);
    if (!key || stack_.empty()) return false;
    memo_[*key] = stack_.back();
    return true;
  }
  bool get(size_t width) {
    const auto key = bytes_.number(width);
    if (!key) return false;
    const auto found = memo_.find(*key);
    if (found == memo_.end()) return false;
    stack_.push_back(found->second);
    return true;
  }
  /// Removes the last mark; count_: the values above it.
  bool mark() {
    if (marks_.empty() || marks_.back() > stack_.size()) return false;
    count_ = stack_.size() - marks_.back();
    marks_.pop_back();
    return true;
  }
  bool fill(size_t count) {
    if (stack_.size() < count + 1) return false;
    std::vector<Value::Id>& items = out_.values[stack_[stack_.size() - count - 1]].items;
    items.insert(items.end(), stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    return pop(count);
  }
  bool gather(size_t count, Kind kind) {
    if (stack_.size() < count) return false;
    Value value{kind};
    value.items.assign(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    return pop(count) && push(std::move(value));
  }

  const Value& top(size_t index = 0) const {
    return out_.values[stack_[stack_.size() - 1 - index]];
  }

  bool persistent_id() {
    if (stack_.empty()) return false;
    Value value{Kind::storage, 0, {}, top().items};
    return pop(1) && push(std::move(value));
  }
  bool new_object() {
    if (stack_.size() < 2) return false;
    Value value{Kind::object, 0, top(1).text};
    return pop(2) && push(std::move(value));
  }
  /// `collections.OrderedDict()` is a dictionary; it is filled later, or has pairs as argument.
  bool call() {
    if (stack_.size() < 2) return false;
    Value value{Kind::call, 0, top(1).text, top().items};
    if (value.text == "collections.OrderedDict") value = ordered_dict(value.items);
    if (value.text == "collections.defaultdict") value = Value{Kind::dict};  // filled afterwards
    return pop(2) && push(std::move(value));
  }
  Value ordered_dict(const std::vector<Value::Id>& arguments) const {
    Value value{Kind::dict};
    if (arguments.empty()) return value;
    for (const Value::Id pair : out_.values[arguments[0]].items) {
      const std::vector<Value::Id>& entry = out_.values[pair].items;
      value.items.insert(value.items.end(), entry.begin(), entry.end());
    }
    return value;
  }
  /// TorchScript builds objects of classes, without NEWOBJ's result on the stack.
  bool build() {
    if (stack_.size() < 2) return false;
    const Value::Id state = stack_.back();
    stack_.pop_back();
    Value& object = out_.values[stack_.back()];
    if (object.kind == Kind::object) object.items = {state};
    return true;
  }

  PickleBytes bytes_;
  const std::string& path_;
  size_t count_ = 0;
  std::vector<Value::Id> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, Value::Id> memo_;
  Pickle out_;
};

}  // namespace

Pickle read_pickle(std::span<const char> bytes, const std::string& path) {
  if (bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] > kProtocol)
    throw Error("model-format",
                cat(quoted(path), " uses pickle protocol ", static_cast<int>(bytes[1])),
                cat("t2nnef reads protocol ", kProtocol, ", which torch.save uses by default"),
                "save it without pickle_protocol=");
  check_pickle(bytes, "model-corrupt", "the data of the model");
  std::optional<Pickle> out = Machine(bytes, path).run();
  if (!out)
    throw Error("model-corrupt", "the data of the model cannot be read",
                "it is damaged or not complete");
  return *std::move(out);
}

}  // namespace t2n::model_file
