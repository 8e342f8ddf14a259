// SPDX-License-Identifier: Apache-2.0
// How an operator is emitted, for each target.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/op_table.h"
#include "src/translate/emitter.h"
#include "src/translate/op_view.h"

namespace t2n::ops {

using target::Feature;
using Translate = void (*)(const OpView& op, Emitter& out);

/// The targets of a variant: those with all of these features.
struct When {
  std::vector<Feature> features;
};
inline When any_target() { return {}; }
inline When has(Feature feature) { return {{feature}}; }
inline When has(Feature a, Feature b) { return {{a, b}}; }

/// One translation of an operator. The most specific applicable one is chosen before it runs; its
/// refusal is final.
struct Variant {
  When when;
  std::string_view nnef;
  Translate translate;
};

/// Why no target supports an operator, and what to do instead.
struct Refusal {
  Limit limit;
  std::string_view help;
};

/// How an operator is translated.
struct Entry {
  std::string_view op;  ///< schema name with overload: "aten::add.Tensor"
  /// Further overloads with the same arguments and meaning.
  std::vector<std::string_view> also = {};
  std::string_view doc;  ///< the formula
  std::vector<Variant> variants = {};
  std::string_view limits = {};         ///< what is refused, for `t2nnef ops`
  std::optional<Refusal> refusal = {};  ///< of the entire operator; there are no variants then
  std::optional<ir::Promotion> promotion = {};
  std::string_view file = {};  ///< "ops/pointwise/activation.cpp"; set by the registry
};

/// Properties shared by operators with the same arguments, for any target.
struct Shared {
  std::string_view nnef;
  std::string_view doc;
  Translate translate;
  std::optional<ir::Promotion> promotion = {};
  std::string_view limits = {};  ///< what is refused, for `t2nnef ops`
};

/// The translations of table rows.
void unary_row(const OpView& op, Emitter& out);
void binary_row(const OpView& op, Emitter& out);

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

/// The oldest version of tract that has everything a variant needs.
target::Version oldest_version(const Variant& variant);

}  // namespace t2n::ops
