// SPDX-License-Identifier: Apache-2.0
// Embedding tables of small integers; each row has a scale and a minimum.
#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

bool refuse_embedding(QuantBuilder& b) {
  const std::string_view mapping = "compressed_indices_mapping";  // of bags only
  if (b.flag("pruned_weights", false) || (b.has(mapping) && !b.is_none(mapping)))
    b.refuse("rows of its table were pruned");
  else if (!b.has("scales"))
    b.refuse("its table depends on inputs, and is in LibTorch's internal layout",
             "pack a constant of the model");
  else
    return false;
  return true;
}

ValueId column(QuantBuilder& b, std::string_view name) {
  const ValueId vector = b.tensor(name);
  return b.reshape(vector, {b.shape(vector).at(0), Dim(1)});
}

ValueId rows(QuantBuilder& b, ValueId table, ValueId indices) {
  ir::Shape shape = b.shape(indices);
  shape.push_back(b.shape(table).at(1));
  return b.emit("aten::embedding",
                {{"weight", TensorRef{table}},
                 {"indices", TensorRef{indices}},
                 {"padding_idx", Dim(-1)},
                 {"scale_grad_by_freq", false},
                 {"sparse", false}},
                b.dtype(table), shape);
}

ValueId dequantised_table(QuantBuilder& b, ValueId integers, ValueId scale, ValueId least) {
  const ValueId product = b.binary("aten::mul.Tensor", b.cast(integers, DType::f32), scale);
  return b.binary("aten::add.Tensor", product, least);
}

ValueId dequantised_table_rows(QuantBuilder& b) {
  const ValueId indices = b.tensor("indices");
  const ValueId integers = rows(b, b.tensor("weight"), indices);
  const ValueId scales = rows(b, column(b, "scales"), indices);
  return dequantised_table(b, integers, scales, rows(b, column(b, "least"), indices));
}

void embedding(QuantBuilder& b) {
  if (!refuse_embedding(b)) b.define(dequantised_table_rows(b));
}

/// Bags of equal size: each row of indices is a bag. LibTorch drops the last bag if
/// include_last_offset is set.
void sum_of_rows(QuantBuilder& b) {
  b.ignore({"offsets"}, "a row of indices is a bag");
  ValueId all = dequantised_table_rows(b);
  if (!b.is_none("per_sample_weights"))
    all = b.binary("aten::mul.Tensor", all, b.unsqueeze(b.tensor("per_sample_weights"), 2));
  const ir::Shape rows = b.shape(all);
  const ValueId bags = b.emit("aten::sum.dim_IntList",
                              {{"self", TensorRef{all}},
                               {"dim", std::vector<Dim>{Dim(1)}},
                               {"keepdim", false},
                               {"dtype", ir::None{}}},
                              DType::f32, {rows.at(0), rows.at(2)});
  const bool drops_last = b.flag("include_last_offset", false);
  b.define(drops_last ? b.slice(bags, 0, Dim(0), b.size(bags, 0) - Dim(1)) : bags);
}

/// The engine dequantises the entire table at load time, since bags read most of its rows.
void embedding_bag(QuantBuilder& b) {
  if (refuse_embedding(b)) return;
  b.ignore({"mode"}, "LibTorch's kernels always sum");
  b.ignore({"scale_grad_by_freq", "sparse"}, "they are for training");
  if (b.rank(b.tensor("indices")) == 2) return sum_of_rows(b);
  const ValueId table =
      dequantised_table(b, b.tensor("weight"), column(b, "scales"), column(b, "least"));
  const auto or_none = [&](std::string_view name) {
    return b.is_none(name) ? ir::Attr(ir::None{}) : ir::Attr(TensorRef{b.tensor(name)});
  };
  const std::vector<ValueId> results =
      b.emit_all("aten::embedding_bag.padding_idx",
                 {{"weight", TensorRef{table}},
                  {"indices", TensorRef{b.tensor("indices")}},
                  {"offsets", or_none("offsets")},
                  {"scale_grad_by_freq", false},
                  {"mode", Dim(0)},
                  {"sparse", false},
                  {"per_sample_weights", or_none("per_sample_weights")},
                  {"include_last_offset", b.flag("include_last_offset", false)},
                  {"padding_idx", ir::None{}}},
                 {{DType::f32, b.output().shape},
                  {DType::i64, {Dim(0)}},
                  {DType::i64, {Dim(0)}},
                  {DType::i64, {Dim(0)}}});
  b.define(results[0]);
}

}  // namespace

const QuantRules& embedding_rules() {
  static const QuantRules rules = {{"embedding_byte", embedding},
                                   {"embedding_4bit", embedding},
                                   {"embedding_bag_byte", embedding_bag},
                                   {"embedding_bag_4bit", embedding_bag},
                                   {"embedding_bag_byte_rowwise_offsets", embedding_bag},
                                   {"embedding_bag_4bit_rowwise_offsets", embedding_bag},
                                   {"embedding_bag_2bit_rowwise_offsets", embedding_bag}};
  return rules;
}

}  // namespace t2n::quant
