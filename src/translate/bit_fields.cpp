// SPDX-License-Identifier: Apache-2.0
#include "ir/bit_fields.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "ir/spilled.h"
#include "src/diag/error.h"
#include "src/draft/attribute.h"
#include "src/draft/tensor_entry.h"
#include "src/nnef/names.h"
#include "src/nnef/walk.h"
#include "src/target/target.h"
#include "src/translate/folded_weights.h"
#include "src/translate/statements.h"

namespace t2n::ops {
namespace {

using draft::Attribute;
using ir::DType;
using ir::Ints;

std::optional<ir::BitFields> fields_of(const nnef::Blob& blob) {
  if ((blob.dtype != DType::i8 && blob.dtype != DType::u8) || blob.q4_0) return {};
  draft::TensorEntry entry{.kind = draft::TensorEntry::Kind::constant,
                           .dtype = blob.dtype,
                           .shape = ir::to_shape(blob.shape)};
  entry.parts = blob.parts;
  entry.axis = blob.axis;
  if (!draft::is_loaded(entry)) return {};
  std::optional<ir::BitFields> out = ir::bit_fields(draft::joined(entry));
  if (out) out->bytes = ir::spilled(std::move(out->bytes));
  return out;
}

nnef::Values identifiers(const std::vector<std::string>& names) {
  nnef::Values out;
  for (const std::string& name : names) out.push_back(nnef::identifier(name));
  return out;
}

class Packing {
 public:
  Packing(nnef::Document& document, const target::Target& target)
      : document_(document), target_(target), statements_(document) {
    for (nnef::Blob& blob : document.blobs) {
      labels_.reserve(blob.label);
      blobs_.emplace(blob.label, std::move(blob));
    }
    document.blobs.clear();
  }

  UnpackedParts run() {
    for (nnef::Assignment& statement : std::exchange(document_.graph.body, {})) {
      if (statement.right.text != "variable") {
        statements_.add(std::move(statement));
        continue;
      }
      nnef::Blob& blob = blobs_.at(nnef::find_argument(statement.right, "label")->text);
      const auto packed = fields_of(blob);
      const auto [dtype, shape] = std::pair(blob.dtype, blob.shape);
      if (packed) {
        blob.dtype = DType::u8;
        blob.shape = packed->bytes.shape;
        blob.parts = {packed->bytes};
        blob.axis = 0;
      }
      document_.blobs.push_back(std::move(blob));
      if (packed)
        unpack(std::move(statement), *packed, dtype, shape);
      else
        statements_.add(std::move(statement));
    }
    document_.graph.body = statements_.take();
    return std::move(unpacked_);
  }

 private:
  /// A weight, and the name of the variable of its fields.
  struct Packed {
    std::string name;
    std::string fields;
    const ir::BitFields& values;
    DType dtype;
    Ints shape;
  };

  /// The variable of the fields, and the statements that assign the integers to its former name.
  void unpack(nnef::Assignment variable, const ir::BitFields& values, DType dtype,
              const Ints& shape) {
    const std::string name = nnef::first_name(variable.left);
    const Packed packed{name, statements_.new_name(cat(name, "_fields")), values, dtype, shape};
    for (nnef::Argument& argument : variable.right.arguments)
      if (argument.name == "shape") argument.value = Attribute("shape", values.bytes.shape).value;
    variable.left = nnef::identifier(packed.fields);
    statements_.add(std::move(variable));
    // Every part can be cast to numbers of 64 bits.
    constexpr int64_t kMostElements = kFoldedBytes / 8;
    const int64_t length = limits_folding(target_) ? kMostElements : values.padded;
    std::vector<std::string> parts;
    for (int64_t first = 0; first < values.padded; first += length)
      parts.push_back(part(packed, first, std::min(values.padded, first + length)));
    std::string row = parts[0];
    if (parts.size() > 1) {
      row = statements_.new_name(cat(name, "_joined"));
      statements_.add_joined(row, identifiers(parts), 0);
      unpacked_[name] = std::move(parts);
    }
    statements_.add_shaped(name, row, values.padded, packed.shape);
  }

  /// Integers from `first` to `last` in one row: the sum of their fields. Returns the name.
  std::string part(const Packed& packed, int64_t first, int64_t last) {
    constexpr int64_t kByte = 8;
    std::string sum;
    for (const ir::FieldRow& row : packed.values.rows) {
      const std::string each = statements_.new_name(cat(packed.name, "_", row.width));
      const std::string lookup = table(row, sum.empty() ? packed.values.lowest : 0, packed.dtype);
      statements_.add(each, "t2n_fields",
                      {{"", nnef::identifier(packed.fields)},
                       {"", nnef::identifier(lookup)},
                       {"begin", nnef::integer(row.begin + first * row.width / kByte)},
                       {"end", nnef::integer(row.begin + last * row.width / kByte)},
                       {"count", nnef::integer(last - first)}});
      const std::string before = std::exchange(sum, each);
      if (before.empty()) continue;
      sum = statements_.new_name(cat(packed.name, "_sum"));
      statements_.add(sum, "add", {{"", nnef::identifier(before)}, {"", nnef::identifier(each)}});
    }
    return sum;
  }

  /// Whether tract folds operations on a constant that several of them read: before 0.23.9, only if
  /// it has few elements.
  bool may_share(const ir::FieldRow& row) const {
    constexpr int kSmallTable = 4;
    return row.width == kSmallTable || target_.version >= target::Version{0, 23, 9};
  }

  /// The variable of a table, which weights share if they may.
  std::string table(const ir::FieldRow& row, int64_t added, DType dtype) {
    std::string& known = tables_[{row.width, row.shift, added, dtype}];
    if (!known.empty() && may_share(row)) return known;
    // Engines that do not fold what several operations read join equal constants, too.
    ir::Tensor values = ir::field_table(row, added, dtype, may_share(row) ? 0 : own_tables_++);
    known = statements_.new_name(cat("fields_of_", row.width));
    const std::string label = labels_.claim(known);
    statements_.add(
        known, "variable",
        {{"label", nnef::string(label)}, {"shape", Attribute("shape", values.shape).value}},
        "integer");
    document_.blobs.push_back({.label = label, .dtype = dtype, .shape = values.shape});
    document_.blobs.back().parts = {std::move(values)};
    return known;
  }

  nnef::Document& document_;
  const target::Target& target_;
  Statements statements_;
  nnef::UniqueNames labels_{nnef::UniqueNames::Case::ignored};
  std::unordered_map<std::string, nnef::Blob> blobs_;
  std::map<std::tuple<int, int, int64_t, DType>, std::string> tables_;
  int64_t own_tables_ = 0;  ///< with one reader each
  UnpackedParts unpacked_;
};

}  // namespace

UnpackedParts store_bit_fields(nnef::Document& document, const target::Target& target) {
  return Packing(document, target).run();
}

}  // namespace t2n::ops
