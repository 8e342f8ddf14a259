// The table of translations: which operator is said how, for which target.
#pragma once

#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/emitter.h"
#include "ops/op_view.h"

namespace t2n::ops {

using target::Feature;
using Translate = void (*)(const OpView& op, Emitter& out);

/// On which targets a variant applies: all of these features must be there.
struct When {
  std::vector<Feature> features;
};
inline When any_target() { return {}; }
inline When has(Feature feature) { return {{feature}}; }
inline When has(Feature a, Feature b) { return {{a, b}}; }

/// One way to say an operator. The most specific applicable one is chosen before it runs; its
/// refusal is final.
struct Variant {
  When when;
  std::string_view nnef;
  Translate translate;
};

/// Why no target has an operator, and what to do instead.
struct Refusal {
  Limit limit;
  std::string_view help;
};

struct Entry {
  std::string_view op;  ///< schema name with overload: "aten::add.Tensor"
  std::vector<std::string_view> also =
      {};                ///< further overloads with the same arguments and meaning
  std::string_view doc;  ///< the formula
  std::vector<Variant> variants = {};
  std::string_view limits = {};         ///< what is refused, for `t2nnef ops`
  std::optional<Refusal> refusal = {};  ///< of the whole operator, instead of variants
  std::optional<ir::Promotion> promotion = {};
};

/// What operators of the same arguments have in common, for any target.
struct Shared {
  std::string_view nnef;
  std::string_view doc;
  Translate translate;
  std::optional<ir::Promotion> promotion = {};
  std::string_view limits = {};  ///< what is refused, for `t2nnef ops`
};

/// One tensor `self` in, one of the same shape out, no other argument.
struct UnaryRow {
  std::string_view op;
  std::string_view nnef;
  std::string_view doc = {};
  std::optional<ir::Promotion> promotion = ir::Promotion::to_float;
};

/// `self` and `other`, tensors or numbers, broadcast; no other argument.
struct BinaryRow {
  std::string_view op;
  std::string_view nnef;
  std::string_view doc = {};
  std::optional<ir::Promotion> promotion = ir::Promotion::operands;
};

class Registry {
 public:
  void add(Entry entry, std::source_location place = std::source_location::current());
  /// An entry for each name.
  void same(std::initializer_list<std::string_view> ops, const Shared& shared,
            std::source_location place = std::source_location::current());
  void unary(std::span<const UnaryRow> rows,
             std::source_location place = std::source_location::current());
  void binary(std::span<const BinaryRow> rows,
              std::source_location place = std::source_location::current());
};

/// What is known of one operator; see Entry.
struct Translation {
  std::string_view doc;
  std::vector<Variant> variants;
  std::string_view limits;
  std::optional<Refusal> refusal;
  std::string_view file;  ///< "ops/activation.cpp"
};

/// The filled column; the first call registers every family (all.cpp).
const ir::Column<Translation>& translations();
/// The operators of `translations()` by name.
std::vector<ir::OpId> sorted_ops();
/// The oldest version of tract that has all that a variant needs.
target::Version oldest_version(const Variant& variant);
/// The variant for a target; nullptr if the operator or a suitable variant is missing.
const Variant* find_variant(ir::OpId op, const target::Target& target);

}  // namespace t2n::ops
