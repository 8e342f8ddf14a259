// SPDX-License-Identifier: Apache-2.0
#include "src/pt2/stored.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "src/diag/error.h"
#include "src/model_file/mapping.h"
#include "src/model_file/sniff.h"
#include "src/model_file/zip_directory.h"
#include "src/pt2/read_program.h"

namespace t2n::pt2 {
namespace {

using ir::DType;
using model_file::SavedTensor;

constexpr std::array<std::pair<int64_t, DType>, 14> kDTypes = {{{1, DType::u8},
                                                                {2, DType::i8},
                                                                {3, DType::i16},
                                                                {4, DType::i32},
                                                                {5, DType::i64},
                                                                {6, DType::f16},
                                                                {7, DType::f32},
                                                                {8, DType::f64},
                                                                {10, DType::c64},
                                                                {11, DType::c128},
                                                                {12, DType::boolean},
                                                                {13, DType::bf16},
                                                                {28, DType::u16},
                                                                {34, DType::u32}}};
constexpr int64_t kStrided = 7;  ///< the code of dense layouts

[[noreturn]] void refuse_stored(const std::string& name, const std::string& why) {
  throw Error("model-corrupt", cat("the tensor ", quoted(name), " of the model cannot be read"),
              why, "was it saved or downloaded completely?");
}

ir::Ints known_sizes(const std::vector<Size>& sizes, const std::string& name) {
  ir::Ints out;
  for (const Size& size : sizes) {
    const auto* number = std::get_if<int64_t>(&size);
    if (number == nullptr || *number < 0) refuse_stored(name, "its sizes are not numbers");
    out.push_back(*number);
  }
  return out;
}

class StoredReader {
 public:
  StoredReader(std::shared_ptr<const model_file::Mapping> mapping,
               const model_file::ZipDirectory& records, const std::string& path)
      : mapping_(std::move(mapping)), records_(records), path_(path) {}

  std::vector<SavedTensor> run() {
    for (const char* const record : kOldTensors)
      if (records_.contains(record)) add_saved(record, "");
    const bool is_only = std::count_if(records_.begin(), records_.end(), [](const auto& record) {
                           return record.first.ends_with("_weights_config.json");
                         }) < 2;
    for (const std::string kind : {"weights", "constants"}) {
      const std::string folder = cat("data/", kind, "/");
      const std::string suffix = cat("_", kind, "_config.json");
      for (const auto& [record, where] : records_)
        if (record.starts_with(folder) && record.ends_with(suffix)) {
          const std::string program =
              record.substr(folder.size(), record.size() - folder.size() - suffix.size());
          add_config(folder, record, is_only ? "" : cat(program, "."));
        }
    }
    mapping_->require_unchanged();
    return std::move(out_);
  }

 private:
  std::span<const std::byte> bytes_of(const std::string& record) {
    const auto found = records_.find(record);
    if (found == records_.end() || !found->second.is_stored)
      throw Error("model-corrupt", cat("the record ", quoted(record), " of the model is missing"),
                  "or it is compressed", "was it saved or downloaded completely?");
    const std::span<const std::byte> bytes{mapping_->original() + found->second.begin,
                                           found->second.size};
    // Tensors may share a record.
    if (checked_.insert(record).second) model_file::check_crc(record, found->second, bytes, path_);
    return bytes;
  }

  /// A record that is a file of torch.save.
  void add_saved(const std::string& record, const std::string& prefix) {
    for (SavedTensor& each : model_file::read_saved_tensors(mapping_, bytes_of(record),
                                                            cat(path_, " (", record, ")"))) {
      each.name = prefix + each.name;
      if (!each.same_as.empty()) each.same_as = prefix + each.same_as;
      out_.push_back(std::move(each));
    }
  }

  void add_config(const std::string& folder, const std::string& record, const std::string& prefix) {
    const std::span<const std::byte> text = bytes_of(record);
    const auto payloads =
        read_payloads({reinterpret_cast<const char*>(text.data()), text.size()}, record);
    for (const auto& [address, payload] : payloads) {
      const std::string name = prefix + address;
      if (payload.is_pickled && payload.meta)
        add_saved(folder + payload.file, cat(name, "."));
      else if (payload.meta)
        add(name, folder + payload.file, *payload.meta);
      else
        out_.push_back(
            {.name = name, .value = {}, .kind = "an object", .shape = {}, .same_as = {}});
    }
  }

  void add(const std::string& name, const std::string& record, const TensorMeta& meta) {
    SavedTensor out{.name = name,
                    .value = {},
                    .kind = {},
                    .shape = known_sizes(meta.sizes, name),
                    .same_as = {}};
    const auto type = std::find_if(kDTypes.begin(), kDTypes.end(),
                                   [&](const auto& each) { return each.first == meta.dtype.code; });
    if (type == kDTypes.end() || meta.layout.code != kStrided) {
      out.kind = meta.layout.code != kStrided ? "sparse" : cat("of the dtype ", meta.dtype.code);
      out_.push_back(std::move(out));
      return;
    }
    const ir::Ints strides = known_sizes(meta.strides, name);
    const int64_t offset = known_sizes({meta.offset}, name).front();
    if (strides.size() != out.shape.size())
      refuse_stored(name, "it has not as many strides as axes");
    const std::span<const std::byte> bytes = bytes_of(record);
    const auto item = static_cast<size_t>(ir::dtype_size(type->second));
    const auto end = extent(out.shape, strides, offset, item);
    if (!end || *end > bytes.size())
      refuse_stored(name, cat("its elements exceed the record ", quoted(record)));
    out.value = ir::Tensor{.dtype = type->second,
                           .shape = out.shape,
                           .strides = strides,
                           .bytes = {},
                           .owner = mapping_};
    if (*end > 0) out.value->bytes = bytes.subspan(static_cast<size_t>(offset) * item);
    const std::string identity =
        cat(record, " ", offset, " ", meta.dtype.code, " ", ir::shape_str(ir::to_shape(out.shape)),
            ir::shape_str(ir::to_shape(strides)));
    const auto [first, is_new] = first_names_.emplace(identity, name);
    if (!is_new && *end > 0) out.same_as = first->second;
    out_.push_back(std::move(out));
  }

  std::shared_ptr<const model_file::Mapping> mapping_;
  const model_file::ZipDirectory& records_;
  const std::string& path_;
  std::map<std::string, std::string> first_names_;
  std::set<std::string> checked_;  ///< records whose checksum is right
  std::vector<SavedTensor> out_;
};

}  // namespace

std::optional<size_t> extent(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
                             int64_t offset, size_t item) {
  int64_t last = offset;
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t span = 0;
    if (sizes[d] == 0) return 0;
    if (__builtin_mul_overflow(sizes[d] - 1, strides[d], &span) ||
        __builtin_add_overflow(last, span, &last))
      return std::nullopt;
  }
  size_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(last) + 1, item, &bytes)) return std::nullopt;
  return bytes;
}

std::optional<std::vector<SavedTensor>> read_stored_tensors(const std::string& path) {
  constexpr std::string_view kZip = "PK\x03\x04";
  const auto mapping = model_file::Mapping::open(path);
  const std::string_view head(reinterpret_cast<const char*>(mapping->original()),
                              std::min(mapping->size(), kZip.size()));
  if (head != kZip) return std::nullopt;
  const model_file::ZipDirectory records =
      model_file::read_zip_directory({mapping->original(), mapping->size()}, path);
  if (!records.contains(model_file::kExportedFormat) &&
      !records.contains(model_file::kOldExportedProgram))
    return std::nullopt;
  return StoredReader(mapping, records, path).run();
}

}  // namespace t2n::pt2
