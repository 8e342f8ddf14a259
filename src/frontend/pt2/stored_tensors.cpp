// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/pt2/stored_tensors.h"

#include <ATen/Utils.h>
#include <ATen/ops/empty.h>

#include <array>

#include "src/diag/error.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/pt2/records.h"
#include "src/pt2/stored.h"

namespace t2n::trace {
namespace {

constexpr std::array<std::pair<int64_t, at::ScalarType>, 16> kDTypes = {{
    {1, at::kByte},
    {2, at::kChar},
    {3, at::kShort},
    {4, at::kInt},
    {5, at::kLong},
    {6, at::kHalf},
    {7, at::kFloat},
    {8, at::kDouble},
    {10, at::kComplexFloat},
    {11, at::kComplexDouble},
    {12, at::kBool},
    {13, at::kBFloat16},
    {28, at::kUInt16},
    {29, at::kFloat8_e4m3fn},
    {30, at::kFloat8_e5m2},
    {34, at::kUInt32},
}};
constexpr int64_t kStrided = 7;  ///< the code of dense layouts

[[noreturn]] void refuse(const std::string& address, const std::string& why) {
  throw Error("model-corrupt", cat("the tensor ", quoted(address), " of the model cannot be read"),
              why, "was it saved or downloaded completely?");
}

int64_t number(const pt2::Size& size, const std::string& address) {
  const auto* value = std::get_if<int64_t>(&size);
  if (value == nullptr || *value < 0) refuse(address, "its sizes are not numbers");
  return *value;
}

std::vector<int64_t> numbers(const std::vector<pt2::Size>& sizes, const std::string& address) {
  std::vector<int64_t> out;
  for (const pt2::Size& size : sizes) out.push_back(number(size, address));
  return out;
}

}  // namespace

at::ScalarType torch_dtype(pt2::DTypeCode dtype) {
  for (const auto& [code, type] : kDTypes)
    if (code == dtype.code) return type;
  throw Error("unsupported-dtype", cat("the model has a tensor of the unknown dtype ", dtype.code),
              "a newer PyTorch may have saved it");
}

StoredTensors::StoredTensors(std::shared_ptr<const Archive> archive, const std::string& program)
    : archive_(std::move(archive)) {
  if (has_old_layout(*archive_))
    for (const char* const record : pt2::kOldTensors) read_old(record);
  for (const auto& [folder, kind] :
       {std::pair("data/weights/", "weights"), std::pair("data/constants/", "constants")}) {
    const std::string record = cat(folder, program, "_", kind, "_config.json");
    const auto text = archive_->read(record);
    if (!text) continue;
    for (auto& [address, payload] : pt2::read_payloads({text->data(), text->size()}, record))
      payloads_.try_emplace(address, folder, std::move(payload));
  }
}

/// The same tensor under several names is stored once, and is one tensor again.
void StoredTensors::read_old(const std::string& record) {
  for (model_file::SavedTensor& each : saved_in(record, record)) {
    if (!each.value) {
      no_tensors_[each.name] = each.kind;
      continue;
    }
    const auto known = old_.find(each.same_as);
    old_[each.name] = known == old_.end() ? view(*each.value) : known->second;
  }
}

at::Tensor StoredTensors::get(const std::string& address) {
  const auto old = old_.find(address);
  if (old != old_.end()) return old->second;
  if (const auto other = no_tensors_.find(address); other != no_tensors_.end())
    throw Error("unsupported-dtype", cat(quoted(address), " of the model is ", other->second));
  const auto found = payloads_.find(address);
  if (found == payloads_.end()) refuse(address, "the file does not contain it");
  const auto& [folder, payload] = found->second;
  if (payload.is_pickled || !payload.meta)
    throw Error("model-format", cat(quoted(address), " of the model is a pickled Python object"),
                "it is no tensor, such as packed weights; t2nnef does not run Python",
                "export a model whose parameters and buffers are plain tensors");
  return read(address, folder + payload.file, *payload.meta);
}

bool StoredTensors::is_wrapper(const std::string& address) const {
  const auto found = payloads_.find(address);
  return found != payloads_.end() && found->second.second.is_pickled &&
         found->second.second.meta.has_value();
}

std::vector<std::pair<std::string, at::Tensor>> StoredTensors::wrapped(const std::string& address) {
  const auto& [folder, payload] = payloads_.at(address);
  std::vector<std::pair<std::string, at::Tensor>> out;
  for (const model_file::SavedTensor& each : saved_in(folder + payload.file, address)) {
    if (!each.value) refuse(address, cat("its part ", quoted(each.name), " is ", each.kind));
    out.emplace_back(each.name, view(*each.value));
  }
  if (out.empty()) refuse(address, "it is a Python object without tensors");
  return out;
}

/// The tensors in a record that is a file of torch.save.
std::vector<model_file::SavedTensor> StoredTensors::saved_in(const std::string& record,
                                                             const std::string& address) const {
  const auto found = archive_->records().find(record);
  if (found == archive_->records().end() || !found->second.is_stored)
    refuse(address, cat("the record ", quoted(record), " is missing, or compressed"));
  const std::shared_ptr<const model_file::Mapping>& mapping = archive_->mapping();
  return model_file::read_saved_tensors(
      mapping, {mapping->original() + found->second.begin, found->second.size}, record);
}

/// Over the working pages of the file; a copy if its bytes are not aligned.
at::Tensor StoredTensors::view(const ir::Tensor& stored) const {
  const auto& mapping = archive_->mapping();
  const auto item = static_cast<size_t>(ir::dtype_size(stored.dtype));
  const auto offset = static_cast<size_t>(stored.bytes.data() - mapping->original());
  if (stored.bytes.empty() || offset % item != 0) return to_torch_copy(stored);
  c10::DataPtr data(
      mapping->working() + offset, new std::shared_ptr<const model_file::Mapping>(mapping),
      [](void* owner) { delete static_cast<std::shared_ptr<const model_file::Mapping>*>(owner); },
      c10::Device(at::kCPU));
  const c10::Storage memory(c10::Storage::use_byte_size_t(), stored.bytes.size(), std::move(data),
                            nullptr, false);
  at::Tensor out = at::empty({0}, at::TensorOptions().dtype(to_torch(stored.dtype)));
  out.set_(memory, 0, stored.shape, stored.strides);
  return out;
}

at::Tensor StoredTensors::read(const std::string& address, const std::string& record,
                               const pt2::TensorMeta& meta) {
  const at::ScalarType dtype = torch_dtype(meta.dtype);
  if (meta.layout.code != kStrided)
    throw Error("unsupported-dtype", cat(quoted(address), " of the model is a sparse tensor"), {},
                "convert it with to_dense() before the export");
  const std::vector<int64_t> sizes = numbers(meta.sizes, address);
  const std::vector<int64_t> strides = numbers(meta.strides, address);
  const int64_t offset = number(meta.offset, address);
  const Key key{record, meta.dtype.code, sizes, strides, offset};
  const auto known = tensors_.find(key);
  if (known != tensors_.end()) return known->second;
  if (sizes.size() != strides.size()) refuse(address, "it has not as many strides as axes");
  const c10::Storage memory = storage(record);
  const auto bytes = pt2::extent(sizes, strides, offset, c10::elementSize(dtype));
  if (!bytes || *bytes > memory.nbytes())
    refuse(address, cat("its elements exceed the record ", quoted(record)));
  at::Tensor out = at::empty({0}, at::TensorOptions().dtype(dtype));
  out.set_(memory, offset, sizes, strides);
  return tensors_.emplace(key, std::move(out)).first->second;
}

c10::Storage StoredTensors::storage(const std::string& record) {
  const auto known = storages_.find(record);
  if (known != storages_.end()) return known->second;
  const auto found = archive_->records().find(record);
  if (found == archive_->records().end())
    throw Error("model-corrupt", cat("the record ", quoted(record), " of the model is missing"), {},
                "was it saved or downloaded completely?");
  return storages_.emplace(record, archive_->storage(record, found->second)).first->second;
}

}  // namespace t2n::trace
