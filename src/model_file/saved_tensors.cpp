// SPDX-License-Identifier: Apache-2.0
// Finds tensors in a pickle's values, and their bytes in the archive.
#include "src/model_file/saved_tensors.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "src/diag/error.h"
#include "src/model_file/mapping.h"
#include "src/model_file/sniff.h"
#include "src/model_file/unpickle.h"
#include "src/model_file/zip_directory.h"

namespace t2n::model_file {
namespace {

using Value = PickleValue;
using Kind = Value::Kind;
using ir::DType;

struct TypeName {
  std::string_view storage;  ///< "torch.FloatStorage"
  std::string_view dtype;    ///< "torch.float32", with an untyped storage
  DType type;
};
constexpr std::array kTypes = {
    TypeName{"torch.FloatStorage", "torch.float32", DType::f32},
    TypeName{"torch.DoubleStorage", "torch.float64", DType::f64},
    TypeName{"torch.HalfStorage", "torch.float16", DType::f16},
    TypeName{"torch.BFloat16Storage", "torch.bfloat16", DType::bf16},
    TypeName{"torch.LongStorage", "torch.int64", DType::i64},
    TypeName{"torch.IntStorage", "torch.int32", DType::i32},
    TypeName{"torch.ShortStorage", "torch.int16", DType::i16},
    TypeName{"torch.CharStorage", "torch.int8", DType::i8},
    TypeName{"torch.ByteStorage", "torch.uint8", DType::u8},
    TypeName{"torch.BoolStorage", "torch.bool", DType::boolean},
    TypeName{"torch.ComplexFloatStorage", "torch.complex64", DType::c64},
    TypeName{"torch.ComplexDoubleStorage", "torch.complex128", DType::c128},
    TypeName{"", "torch.uint16", DType::u16},
    TypeName{"", "torch.uint32", DType::u32},
    TypeName{"", "torch.uint64", DType::u64},
};

const TypeName* type_called(std::string_view name) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeName& type) {
    return type.storage == name || type.dtype == name;
  });
  return found == kTypes.end() || name.empty() ? nullptr : &*found;
}

/// Tensors with more elements than their storage (`expand`) are written out at most up to here.
constexpr int64_t kMostExpandedBytes = int64_t{1} << 32;

[[noreturn]] void fail_corrupt(std::string why) {
  throw Error("model-corrupt", "the tensors of the model cannot be read", std::move(why),
              "was it saved or downloaded completely?");
}

class Reader {
 public:
  Reader(std::shared_ptr<const Mapping> mapping, std::span<const std::byte> bytes,
         const std::string& path)
      : path_(path), mapping_(std::move(mapping)), file_(bytes) {
    sniff_bytes(file_, path);
    records_ = read_zip_directory(file_, path);
    if (!records_.contains("data.pkl")) refuse_other_archive();
    if (const auto order = records_.find("byteorder"); order != records_.end())
      if (text_of(bytes_of("byteorder")) == "big")
        throw Error("model-format", cat(quoted(path), " was saved on a big-endian machine"), {},
                    "load it in Python, and save it again");
  }

  std::vector<SavedTensor> run() {
    add_pickle("data", "");
    if (records_.contains("constants.pkl")) add_pickle("constants", "constants");
    mapping_->require_unchanged();
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse_other_archive() const {
    std::vector<std::string> names;
    for (const auto& [name, record] : records_) names.push_back(name);
    sniff_records(names, "", path_);
    fail_corrupt("it has no data.pkl");
  }

  static std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  /// The bytes of a record, whose checksum is right.
  std::span<const std::byte> bytes_of(const std::string& name) {
    const auto found = records_.find(name);
    if (found == records_.end()) fail_corrupt(cat("it has no record ", quoted(name)));
    const ZipRecord& record = found->second;
    if (!record.is_stored)
      throw Error("model-format", cat(quoted(path_), " has the compressed record ", quoted(name)),
                  "torch.save and torch.jit.save do not compress data",
                  "load it in Python, and save it again");
    const auto bytes = file_.subspan(record.begin, record.size);
    if (checked_.insert(name).second) check_crc(name, record, bytes, path_);
    return bytes;
  }

  void add_pickle(const std::string& archive, const std::string& name) {
    archive_ = archive;
    pickle_ = read_pickle(text_of(bytes_of(archive + ".pkl")), path_);
    visit(pickle_.root, name);
  }

  const Value& at(Value::Id id) const { return pickle_.values[id]; }

  void visit(Value::Id id, const std::string& name) {
    const Value& value = at(id);
    const auto inside = [&](const std::string& key) {
      return name.empty() ? key : name + "." + key;
    };
    switch (value.kind) {
      case Kind::call: return add_call(value, name);
      case Kind::object:
        for (const Value::Id state : value.items) visit(state, name);
        return;
      case Kind::list:
        for (size_t i = 0; i < value.items.size(); ++i)
          visit(value.items[i], inside(std::to_string(i)));
        return;
      case Kind::dict:
        for (size_t i = 0; i + 1 < value.items.size(); i += 2)
          visit(value.items[i + 1], inside(key_text(at(value.items[i]))));
        return;
      case Kind::none:
      case Kind::integer:
      case Kind::other:
      case Kind::string:
      case Kind::global:
      case Kind::storage: return;
    }
  }

  static std::string key_text(const Value& key) {
    if (key.kind == Kind::string) return key.text;
    return key.kind == Kind::integer ? std::to_string(key.integer) : "?";
  }

  /// Whether torch's bits for negation or conjugation are set, in the argument {'neg': True}: the
  /// stored numbers are not the tensor's.
  bool is_lazy_view(const Value& call, size_t metadata) const {
    if (metadata >= call.items.size() || at(call.items[metadata]).kind != Kind::dict) return false;
    const std::vector<Value::Id>& entries = at(call.items[metadata]).items;
    return std::any_of(entries.begin(), entries.end(), [&](Value::Id each) {
      return at(each).kind == Kind::integer && at(each).integer != 0;
    });
  }

  void add_call(const Value& call, const std::string& name) {
    constexpr std::string_view kRebuild = "torch._utils._rebuild_";
    const auto argument = [&](size_t i) -> const Value& {
      if (i >= call.items.size()) fail_corrupt(cat(call.text, " has too few arguments"));
      return at(call.items[i]);
    };
    if (call.text == "torch._tensor._rebuild_from_type_v2") {  // (function, type, arguments, state)
      argument(3);
      return visit(call.items[3], name);
    }
    if (!call.text.starts_with(kRebuild)) {
      // TorchScript wraps lists: torch.jit._pickle.restore_type_tag(value, type).
      if (call.text.starts_with("torch.jit._pickle.") && !call.items.empty())
        visit(call.items[0], name);
      return;
    }
    const std::string kind = call.text.substr(kRebuild.size());
    if (kind == "parameter" || kind == "parameter_with_state") {
      argument(0);
      return visit(call.items[0], name);
    }
    if (kind.starts_with("tensor") && argument(1).kind != PickleValue::Kind::integer)
      fail_corrupt("a tensor's offset is no number");
    if (is_lazy_view(call, kind == "tensor_v3" ? 7 : 6)) {
      out_.push_back({.name = name,
                      .value = {},
                      .kind = "negated or conjugated",
                      .shape = numbers(argument(2)),
                      .same_as = {}});
      return;
    }
    if (kind == "tensor" || kind == "tensor_v2")
      return add(name, argument(0), argument(1).integer, argument(2), argument(3), nullptr);
    if (kind == "tensor_v3")
      return add(name, argument(0), argument(1).integer, argument(2), argument(3), &argument(6));
    const bool has_shape = kind == "qtensor";
    out_.push_back({.name = name,
                    .value = {},
                    .kind = kind == "qtensor" ? "quantised" : kind.substr(0, kind.find('_')),
                    .shape = has_shape ? numbers(argument(2)) : ir::Ints(),
                    .same_as = {}});
  }

  ir::Ints numbers(const Value& list) const {
    const std::vector<Value::Id>& items =
        list.kind == Kind::call && !list.items.empty() ? at(list.items[0]).items : list.items;
    ir::Ints out;
    for (const Value::Id item : items) {
      if (at(item).kind != Kind::integer || at(item).integer < 0)
        fail_corrupt("a tensor has a size or a stride that is no number from 0 on");
      out.push_back(at(item).integer);
    }
    return out;
  }

  void add(const std::string& name, const Value& storage, int64_t offset, const Value& sizes,
           const Value& strides, const Value* dtype) {
    // ('storage', torch.FloatStorage, '0', 'cpu', 9)
    if (storage.kind != Kind::storage || storage.items.size() < 3)
      fail_corrupt(cat("the tensor ", quoted(name), " has no storage"));
    const std::string& type_name = dtype == nullptr ? at(storage.items[1]).text : dtype->text;
    SavedTensor out{.name = name, .value = {}, .kind = {}, .shape = numbers(sizes), .same_as = {}};
    const ir::Ints steps = numbers(strides);
    const TypeName* const type = type_called(type_name);
    if (type == nullptr) {
      out.kind = type_name.substr(type_name.rfind('.') + 1);
      out_.push_back(std::move(out));
      return;
    }
    const std::string& key = at(storage.items[2]).text;
    out.value = view(name, key, type->type, offset, out.shape, steps);
    const std::string identity =
        cat(archive_, "/", key, " ", offset, " ", ir::dtype_name(type->type),
            ir::shape_str(ir::to_shape(out.shape)), ir::shape_str(ir::to_shape(steps)));
    const auto [first, is_new] = first_names_.emplace(identity, name);
    if (!is_new && out.value->elements() > 0) out.same_as = first->second;
    out_.push_back(std::move(out));
  }

  ir::Tensor view(const std::string& name, const std::string& key, DType dtype, int64_t offset,
                  const ir::Ints& shape, const ir::Ints& strides) {
    const std::span<const std::byte> bytes = bytes_of(cat(archive_, "/", key));
    const int64_t item = ir::dtype_size(dtype);
    const int64_t stored = static_cast<int64_t>(bytes.size()) / item;
    const auto refuse = [&] {
      fail_corrupt(cat("the tensor ", quoted(name), " reaches beyond its storage"));
    };
    if (shape.size() != strides.size() || offset < 0 || offset > stored) refuse();
    int64_t last = offset, elements = 1;
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t reach = 0;
      if (__builtin_mul_overflow(elements, shape[i], &elements) ||
          __builtin_mul_overflow(std::max<int64_t>(shape[i] - 1, 0), strides[i], &reach) ||
          __builtin_add_overflow(last, reach, &last))
        refuse();
    }
    if (elements > 0 && last >= stored) refuse();
    if (elements > stored && elements > kMostExpandedBytes / item)
      throw Error("trace-limit", cat("the tensor ", quoted(name), " has ", elements, " elements"),
                  cat("the file stores ", stored, " of them; t2nnef writes out at most ",
                      kMostExpandedBytes, " bytes of an expanded tensor"));
    ir::Tensor out{
        .dtype = dtype, .shape = shape, .strides = strides, .bytes = {}, .owner = mapping_};
    if (elements > 0) out.bytes = bytes.subspan(static_cast<size_t>(offset * item));
    return out;
  }

  const std::string& path_;
  std::shared_ptr<const Mapping> mapping_;
  std::span<const std::byte> file_;
  ZipDirectory records_;
  std::string archive_;  ///< "data" or "constants"
  Pickle pickle_;
  std::set<std::string> checked_;
  std::unordered_map<std::string, std::string> first_names_;
  std::vector<SavedTensor> out_;
};

}  // namespace

std::vector<SavedTensor> read_saved_tensors(const std::string& path) {
  const auto mapping = Mapping::open(path);
  return Reader(mapping, {mapping->original(), mapping->size()}, path).run();
}

std::vector<SavedTensor> read_saved_tensors(const std::shared_ptr<const Mapping>& mapping,
                                            std::span<const std::byte> bytes,
                                            const std::string& name) {
  return Reader(mapping, bytes, name).run();
}

}  // namespace t2n::model_file
