// SPDX-License-Identifier: Apache-2.0
// The table of traits.
#include "ir/op_traits.h"

#include <unordered_map>

#include "src/diag/one_of.h"

namespace t2n::ir {
namespace {

struct TraitRow {
  OpTrait trait;
  std::string_view title;
  std::string_view names;  ///< separated by spaces
};

constexpr TraitRow kTraits[] = {
    {OpTrait::random, "random",
     "_fused_dropout _sample_dirichlet _standard_gamma alpha_dropout bernoulli binomial cauchy "
     "dropout exponential feature_alpha_dropout feature_dropout geometric log_normal "
     "multinomial native_dropout normal normal_functional poisson rand rand_like randint "
     "randint_like randn randn_like random randperm rrelu rrelu_with_noise "
     "rrelu_with_noise_functional uniform _dirichlet_grad"},
    {OpTrait::uninitialised, "uninitialised memory",
     "empty empty_like empty_permuted empty_quantized empty_strided new_empty "
     "_empty_affine_quantized _empty_per_channel_affine_quantized "
     "new_empty_strided"},
    {OpTrait::predicate, "predicate",
     "eq ne lt le gt ge equal not_equal less less_equal greater greater_equal logical_and "
     "logical_or logical_xor logical_not isnan isinf isfinite isposinf isneginf isreal signbit "
     "isclose"},
    {OpTrait::sums, "sums many elements",
     "sum mean nansum nanmean std var std_mean var_mean norm linalg_vector_norm logsumexp "
     "adaptive_avg_pool2d"},
    {OpTrait::mixes, "mixes elements",
     "_convolution addbmm addmm addmv avg_pool1d avg_pool2d avg_pool3d baddbmm batch_norm bilinear "
     "bmm conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution "
     "dot einsum group_norm inner instance_norm layer_norm linear log_softmax "
     "logcumsumexp matmul mm mv native_group_norm native_layer_norm rms_norm "
     "scaled_dot_product_attention softmax tensordot vdot"},
    {OpTrait::steps, "step function",
     "ceil fix floor floor_divide fmod frac grid_sampler grid_sampler_2d grid_sampler_3d "
     "hardshrink heaviside histc quantize_per_channel quantize_per_tensor "
     "quantize_per_tensor_dynamic remainder roi_pool round sgn sign threshold trunc"},
    {OpTrait::recurrent, "recurrent layer", "gru lstm rnn_relu rnn_tanh"},
    {OpTrait::autocast_narrow, "f16 in autocast",
     "_convolution addbmm addmm addmv addr baddbmm bmm chain_matmul conv1d conv2d conv3d conv_tbc "
     "conv_transpose1d conv_transpose2d conv_transpose3d convolution einsum gru gru_cell "
     "linalg_multi_dot linalg_vecdot linear lstm lstm_cell matmul mm mv prelu rnn_relu "
     "rnn_relu_cell rnn_tanh rnn_tanh_cell scaled_dot_product_attention"},
    {OpTrait::autocast_wide, "f32 in autocast",
     "acos asin batch_norm binary_cross_entropy cdist cosh cosine_embedding_loss "
     "cosine_similarity cumprod cumsum dist erfinv exp expm1 frobenius_norm group_norm "
     "hinge_embedding_loss huber_loss instance_norm kl_div l1_loss layer_norm linalg_matrix_norm "
     "linalg_vector_norm log log10 log1p log2 log_softmax logcumsumexp logsumexp "
     "margin_ranking_loss mean mse_loss multi_margin_loss multilabel_margin_loss "
     "native_group_norm native_layer_norm nll_loss norm nuclear_norm pdist poisson_nll_loss pow "
     "prod reciprocal renorm rms_norm rsqrt sinh smooth_l1_loss soft_margin_loss softmax softplus "
     "std std_mean sum tan triplet_margin_loss var var_mean binary_cross_entropy_with_logits"},
    {OpTrait::takes_wide_number, "takes wide numbers",
     "mul multiply div divide true_divide floor_divide"},
    {OpTrait::compares_first, "compares with a number",
     "gt lt ge le eq ne greater less clamp clamp_min clamp_max hardtanh threshold relu6 clip "
     "hardsigmoid"},
    {OpTrait::reads_bits, "reads bits", "view.dtype nextafter frexp.Tensor ldexp.Tensor"},
    {OpTrait::keeps_values, "keeps values",
     "view reshape flatten squeeze unsqueeze expand permute transpose slice select to clone t "
     "split alias contiguous long unflatten _to_copy detach expand_as type_as"},
    {OpTrait::moves_elements, "moves elements",
     "_reshape_alias _unsafe_view alias broadcast_to channel_shuffle chunk clone contiguous "
     "detach diagonal expand expand_as flatten flip gather hsplit index index_select movedim "
     "narrow native_channel_shuffle permute pixel_shuffle pixel_unshuffle reflection_pad1d "
     "reflection_pad2d repeat replication_pad1d replication_pad2d reshape reshape_as roll "
     "select select_scatter slice slice_scatter split split_with_sizes squeeze swapaxes t "
     "tensor_split tile transpose unbind unflatten unfold unsqueeze upsample_nearest1d "
     "upsample_nearest2d upsample_nearest3d view view_as _upsample_nearest_exact1d "
     "_upsample_nearest_exact2d _upsample_nearest_exact3d"},
    {OpTrait::keeps_all_values, "keeps all values",
     "detach lift_fresh alias to.device unsqueeze expand view reshape contiguous expand_as "
     "transpose.int clone repeat permute"},
    {OpTrait::reads_shape_of_self, "reads the shape of self only",
     "copy fill.Scalar fill.Tensor zero zeros_like ones_like full_like empty_like new_zeros "
     "new_ones new_full new_empty zero_ fill_.Scalar fill_.Tensor copy_ _shape_as_tensor"},
    {OpTrait::reads_shape_of_other, "reads the shape of other only",
     "view_as expand_as reshape_as type_as"},
    {OpTrait::copies_by_layout, "view or copy by layout",
     "contiguous reshape flatten ravel reshape_as"},
    {OpTrait::changes_view, "changes a view",
     "t_ transpose_ squeeze_ unsqueeze_ swapaxes_ swapdims_ detach_ as_strided_ requires_grad_"},
    {OpTrait::repeats_elements, "repeats elements",
     "expand expand_as broadcast_to broadcast_tensors as_strided unfold meshgrid as_strided_"},
    {OpTrait::fills, "fills", "fill_ masked_fill_ index_fill_"},
    {OpTrait::divides, "fails for zeros", "div floor_divide remainder fmod"},
    {OpTrait::indexes, "indexes",
     "index gather index_select embedding take take_along_dim scatter scatter_add "
     "scatter_reduce index_put index_add index_copy index_fill one_hot"},
    {OpTrait::keeps_shape, "shape by shapes only",
     "combinations index_put _unsafe_index_put _index_put_impl masked_fill masked_scatter "
     "_unsafe_masked_index_put_accumulate"},
    {OpTrait::gives_unbacked_size, "data-dependent size",
     "nonzero nonzero_numpy argwhere where masked_select index _unsafe_index repeat_interleave "
     "_unique _unique2 unique_consecutive unique_dim unique_dim_consecutive bincount one_hot "
     "_pack_padded_sequence "
     "t2n::batch_sizes torchvision::nms"},
    {OpTrait::reads_memory, "reads memory",
     "_pack_padded_sequence sparse_coo_tensor _sparse_coo_tensor_unsafe "
     "sparse_csr_tensor to_sparse coalesce segment_reduce _ctc_loss sparse_compressed_tensor "
     "torchvision::nms"},
    {OpTrait::reads_no_size, "reads no sizes",
     "std std_mean var var_mean quantile nanquantile multinomial linspace logspace full narrow "
     "floor_divide floor_divide_ div div_ remainder remainder_ fmod fmod_ "
     "fill clamp histc normal embedding_bag masked_fill masked_fill_ index_fill index_fill_ "
     "cov corrcoef ctc_loss istft inverse cholesky pinverse logdet slogdet matrix_exp "
     "cholesky_inverse cholesky_solve svd rrelu "
     "quantize_per_tensor quantize_per_channel fake_quantize_per_tensor_affine "
     "fake_quantize_per_tensor_affine_cachemask fake_quantize_per_channel_affine "
     "fake_quantize_per_channel_affine_cachemask "
     "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams "
     "_fake_quantize_learnable_per_tensor_affine _fake_quantize_learnable_per_channel_affine "
     "_make_per_channel_quantized_tensor _pad_packed_sequence lstm gru rnn_tanh rnn_relu "
     "_grouped_mm"},
};

using Mask = uint32_t;
constexpr Mask bit(OpTrait trait) { return Mask{1} << static_cast<int>(trait); }

std::unordered_map<std::string_view, Mask> masks() {
  std::unordered_map<std::string_view, Mask> out;
  for (const TraitRow& row : kTraits)
    for_each_word(row.names, [&](std::string_view name) { out[name] |= bit(row.trait); });
  return out;
}

}  // namespace

std::vector<std::string_view> names_with(OpTrait trait) {
  std::vector<std::string_view> out;
  for (const TraitRow& row : kTraits)
    if (row.trait == trait)
      for_each_word(row.names, [&](std::string_view name) { out.push_back(name); });
  return out;
}

bool has_trait(std::string_view name, OpTrait trait) {
  constexpr std::string_view kAten = "aten::";
  static const std::unordered_map<std::string_view, Mask> table = masks();
  const auto found = table.find(name.starts_with(kAten) ? name.substr(kAten.size()) : name);
  return found != table.end() && (found->second & bit(trait)) != 0;
}

std::vector<std::string_view> traits_of(OpId op) {
  std::string_view name = op_name(op);
  if (name.starts_with("aten::")) name.remove_prefix(std::string_view("aten::").size());
  std::vector<std::string_view> out;
  for (const TraitRow& row : kTraits)
    if (has_trait(name, row.trait) || has_trait(name.substr(0, name.find('.')), row.trait) ||
        has_trait(op_short_name(op), row.trait))
      out.push_back(row.title);
  return out;
}

bool is_random(OpId op) { return has_trait(op_short_name(op), OpTrait::random); }

bool is_unpredictable(OpId op) {
  return is_random(op) || has_trait(op_short_name(op), OpTrait::uninitialised) ||
         op_name(op) == "t2n::refused";
}

}  // namespace t2n::ir
