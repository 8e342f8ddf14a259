// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/archive.h"

#include <caffe2/serialize/read_adapter_interface.h>

#include <algorithm>
#include <cstring>

#include "src/diag/error.h"
#include "src/frontend/load/torch_error.h"
#include "src/model_file/sniff.h"

namespace t2n::trace {
namespace {

using caffe2::serialize::PyTorchStreamReader;

/// A limit for code, pickles and tables; weights may be longer.
constexpr size_t kMaxText = size_t{1} << 29;

/// Lets LibTorch's zip reader read from the mapping.
class MappingAdapter : public caffe2::serialize::ReadAdapterInterface {
 public:
  explicit MappingAdapter(std::shared_ptr<const model_file::Mapping> mapping)
      : mapping_(std::move(mapping)) {}
  size_t size() const override { return mapping_->size(); }
  size_t read(uint64_t pos, void* buffer, size_t n, const char* /*what*/) const override {
    if (pos >= mapping_->size()) return 0;
    const size_t count = std::min<size_t>(n, mapping_->size() - pos);
    std::memcpy(buffer, mapping_->original() + pos, count);
    return count;
  }

 private:
  std::shared_ptr<const model_file::Mapping> mapping_;
};

template <typename Owner>
c10::DataPtr owned_data(void* data, Owner owner) {
  return {data, new Owner(std::move(owner)),
          [](void* context) { delete static_cast<Owner*>(context); }, c10::Device(at::kCPU)};
}

}  // namespace

std::shared_ptr<const Archive> Archive::open(const std::string& path) {
  const std::shared_ptr<Archive> out(new Archive());
  out->path_ = path;
  out->mapping_ = model_file::Mapping::open(path);
  const std::span<const std::byte> file{out->mapping_->original(), out->mapping_->size()};
  model_file::sniff_bytes(file, path);
  out->records_ = model_file::read_zip_directory(file, path);
  if (out->records_.contains(model_file::kOldExportedProgram)) return out;
  try {
    out->reader_ =
        std::make_shared<PyTorchStreamReader>(std::make_shared<MappingAdapter>(out->mapping_));
    const auto pickle = out->read("data.pkl");
    constexpr size_t kHead = 256;
    const std::string head =
        pickle ? std::string(pickle->data(), std::min(pickle->size(), kHead)) : std::string();
    model_file::sniff_records(out->reader_->getAllRecords(), head, path);
  } catch (const std::exception&) {
    model_file::refuse_archive(current_torch_message(), path);
  }
  return out;
}

int64_t Archive::format_version() const {
  return reader_ ? static_cast<int64_t>(reader_->version()) : 0;
}

/// Only LibTorch's reader inflates records.
void Archive::require_reader(const std::string& record) const {
  if (!reader_)
    throw Error("model-format", cat("the record ", quoted(record), " of the model is compressed"),
                "torch.export.save does not compress records", "export the model again");
}

std::vector<char> Archive::bytes(const std::string& name,
                                 const model_file::ZipRecord& record) const {
  if (record.is_stored) {
    const auto* begin = reinterpret_cast<const char*>(mapping_->original() + record.begin);
    return {begin, begin + record.size};
  }
  require_reader(name);
  const auto [data, size] = reader_->getRecord(name);
  const auto* begin = static_cast<const char*>(data.get());
  return {begin, begin + size};
}

std::optional<std::vector<char>> Archive::read(const std::string& name) const {
  const auto found = records_.find(name);
  if (found == records_.end()) return std::nullopt;
  if (found->second.size > kMaxText)
    throw Error("trace-limit", cat("the record ", quoted(name), " of the model is too long"),
                cat("it has ", found->second.size, " bytes; code and tables may have ", kMaxText));
  std::vector<char> out = bytes(name, found->second);
  model_file::check_crc(name, found->second, std::as_bytes(std::span(out)), path_);
  return out;
}

c10::Storage Archive::storage(const std::string& name, const model_file::ZipRecord& record) const {
  constexpr size_t kAlignment = 16;
  const auto make_storage = [&](c10::DataPtr data) {
    return c10::Storage(c10::Storage::use_byte_size_t(), record.size, std::move(data), nullptr,
                        false);
  };
  if (record.is_stored && record.begin % kAlignment == 0)
    return make_storage(owned_data(mapping_->working() + record.begin, mapping_));
  if (record.is_stored) {
    auto copy = std::make_shared<std::vector<char>>(bytes(name, record));
    model_file::check_crc(name, record, std::as_bytes(std::span(*copy)), path_);
    void* const begin = copy->data();
    return make_storage(owned_data(begin, std::move(copy)));
  }
  require_reader(name);
  auto [data, size] = reader_->getRecord(name);
  model_file::check_crc(name, record, {static_cast<const std::byte*>(data.get()), size}, path_);
  if (size != record.size)
    throw Error("model-corrupt", cat(quoted(path_), " is damaged or not complete"),
                cat("the record ", quoted(name), " does not have its stated length"));
  return make_storage(std::move(data));
}

void Archive::verify(bool checks_bytes) const {
  mapping_->require_unchanged();
  if (!checks_bytes) return;
  for (const auto& [name, record] : records_)
    // Traced inputs are stored without values.
    if (record.is_stored && !name.starts_with("traced_inputs/"))
      model_file::check_crc(name, record, {mapping_->original() + record.begin, record.size},
                            path_);
  mapping_->require_unchanged();
}

}  // namespace t2n::trace
