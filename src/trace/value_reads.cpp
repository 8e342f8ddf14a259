#include "src/trace/value_reads.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "src/diag/one_of.h"

namespace t2n::trace {
namespace {

thread_local ValueReads* observer = nullptr;

struct Traits {
  bool decides_shape = false;
  bool reads_number = false;
};

/// As torch's own table of operators says.
Traits traits_of(const c10::OperatorName& name) {
  static thread_local std::unordered_map<c10::OperatorName, Traits> known;
  const auto [found, is_new] = known.try_emplace(name);
  if (!is_new) return found->second;
  const auto op = c10::Dispatcher::singleton().findSchema(name);
  // With indices that are no masks this one is known from shapes; masks become nonzero().
  const bool is_index = name.name == "aten::index";
  if (op)
    found->second = {!is_index && op->hasTag(at::Tag::dynamic_output_shape),
                     op->hasTag(at::Tag::data_dependent_output)};
  return found->second;
}

/// The shape of the result follows from those of the operands, whatever is looked up on the way.
bool keeps_shape(const std::string& name) {
  constexpr std::array<std::string_view, 7> kNames = {"aten::combinations",
                                                      "aten::index_put",
                                                      "aten::_unsafe_index_put",
                                                      "aten::_index_put_impl",
                                                      "aten::masked_fill",
                                                      "aten::masked_scatter",
                                                      "aten::_unsafe_masked_index_put_accumulate"};
  return is_one_of(name, kNames);
}

/// Kernels that look at memory themselves: no operator in them says so.
bool reads_memory(const std::string& name, const torch::jit::Stack& inputs) {
  constexpr std::array<std::string_view, 10> kNames = {"aten::_pack_padded_sequence",
                                                       "aten::_pad_packed_sequence",
                                                       "aten::sparse_coo_tensor",
                                                       "aten::_sparse_coo_tensor_unsafe",
                                                       "aten::sparse_csr_tensor",
                                                       "aten::to_sparse",
                                                       "aten::coalesce",
                                                       "aten::segment_reduce",
                                                       "aten::_ctc_loss",
                                                       "aten::sparse_compressed_tensor"};
  if (name == "aten::tensor_split" && inputs.size() > 1) return inputs[1].isTensor();
  return is_one_of(name, kNames);
}

/// They read numbers to check them, or as values, and not as sizes.
bool reads_no_size(const std::string& name, const torch::jit::Stack& inputs) {
  if (name == "aten::one_hot") return inputs.size() == 2 && inputs[1].toInt() >= 0;
  // Linear algebra looks whether it went well.
  if (name.starts_with("aten::linalg_") || name.starts_with("aten::_linalg_")) return true;
  // The kernel of a spread over everything adds up in a number.
  constexpr std::array<std::string_view, 34> kNames = {"aten::std",
                                                       "aten::std_mean",
                                                       "aten::var",
                                                       "aten::var_mean",
                                                       "aten::quantile",
                                                       "aten::nanquantile",
                                                       "aten::multinomial",
                                                       "aten::linspace",
                                                       "aten::logspace",
                                                       "aten::full",
                                                       "aten::narrow",
                                                       "aten::fill",
                                                       "aten::clamp",
                                                       "aten::histc",
                                                       "aten::normal",
                                                       "aten::embedding_bag",
                                                       "aten::masked_fill",
                                                       "aten::masked_fill_",
                                                       "aten::index_fill",
                                                       "aten::index_fill_",
                                                       "aten::cov",
                                                       "aten::corrcoef",
                                                       "aten::ctc_loss",
                                                       "aten::istft",
                                                       "aten::inverse",
                                                       "aten::cholesky",
                                                       "aten::pinverse",
                                                       "aten::logdet",
                                                       "aten::slogdet",
                                                       "aten::matrix_exp",
                                                       "aten::cholesky_inverse",
                                                       "aten::cholesky_solve",
                                                       "aten::svd",
                                                       "aten::rrelu"};
  return is_one_of(name, kNames);
}

}  // namespace

std::unique_ptr<at::ObserverContext> ValueReads::observe(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  if (observer == nullptr || !name) return nullptr;
  const Traits traits = traits_of(*name);
  observer->decides_shape_ = observer->decides_shape_ || traits.decides_shape;
  observer->reads_number_ = observer->reads_number_ || traits.reads_number;
  return nullptr;
}

ValueReads::ValueReads()
    : handle_(at::addThreadLocalCallback(
          at::RecordFunctionCallback(&observe).scopes({at::RecordScope::FUNCTION}))) {
  observer = this;
}

ValueReads::~ValueReads() {
  observer = nullptr;
  at::removeCallback(handle_);
}

bool ValueReads::decided_shapes(const std::string& name, const torch::jit::Stack& inputs) const {
  if (reads_memory(name, inputs)) return true;
  return (decides_shape_ && !keeps_shape(name)) || (reads_number_ && !reads_no_size(name, inputs));
}

}  // namespace t2n::trace
