#include "src/trace/loader.h"

#include <caffe2/serialize/inline_container.h>
#include <caffe2/serialize/read_adapter_interface.h>
#include <sys/mman.h>
#include <torch/csrc/jit/operator_upgraders/upgraders_entry.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/import_read.h>
#include <torch/csrc/jit/serialization/import_source.h>
#include <torch/csrc/jit/serialization/storage_context.h>

#include <algorithm>
#include <cstring>

#include "src/diag/error.h"
#include "src/trace/convert.h"
#include "src/trace/operators.h"
#include "src/trace/sniff.h"
#include "src/trace/torch_error.h"

namespace t2n::trace {
namespace {

using caffe2::serialize::PyTorchStreamReader;
using torch::jit::DeserializationStorageContext;

/// Lets LibTorch's zip reader read from the mapping.
class MappingAdapter : public caffe2::serialize::ReadAdapterInterface {
 public:
  explicit MappingAdapter(std::shared_ptr<const Mapping> mapping) : mapping_(std::move(mapping)) {}
  size_t size() const override { return mapping_->size(); }
  size_t read(uint64_t pos, void* buffer, size_t n, const char* /*what*/) const override {
    if (pos >= mapping_->size()) return 0;
    const size_t count = std::min<size_t>(n, mapping_->size() - pos);
    std::memcpy(buffer, mapping_->original() + pos, count);
    return count;
  }

 private:
  std::shared_ptr<const Mapping> mapping_;
};

/// Method 0 of the local header of a zip entry means "stored".
bool is_stored(const Mapping& mapping, size_t header) {
  if (header + 30 > mapping.size()) return false;
  return mapping.original()[header + 8] == std::byte{0} &&
         mapping.original()[header + 9] == std::byte{0};
}

/// Storages for every tensor record below `prefix`: aliases of the working pages where possible.
std::shared_ptr<DeserializationStorageContext> map_storages(
    PyTorchStreamReader& reader, const std::shared_ptr<const Mapping>& mapping,
    const std::string& prefix) {
  auto context = std::make_shared<DeserializationStorageContext>();
  constexpr size_t kAlignment = 16;
  for (const std::string& name : reader.getAllRecords()) {
    if (!name.starts_with(prefix)) continue;
    const size_t offset = reader.getRecordOffset(name);
    const size_t size = reader.getRecordSize(name);
    if (!is_stored(*mapping, reader.getRecordHeaderOffset(name)) || offset % kAlignment != 0)
      continue;
    if (size > mapping->size() || offset > mapping->size() - size)
      throw Error("model-corrupt",
                  cat("the record ", quoted(name), " reaches beyond the end of the file"), {},
                  "was it saved or downloaded completely?");
    auto* keep = new std::shared_ptr<const Mapping>(mapping);
    c10::DataPtr pointer(
        mapping->working() + offset, keep,
        [](void* held) { delete static_cast<std::shared_ptr<const Mapping>*>(held); },
        c10::Device(at::kCPU));
    context->addStorage(
        name.substr(prefix.size()),
        c10::Storage(c10::Storage::use_byte_size_t(), size, std::move(pointer), nullptr, false));
  }
  return context;
}

/// Traced inputs are kept without values: records of no bytes under tensors of some shape. One
/// reserve of zero pages, never touched, stands behind all of them.
std::shared_ptr<DeserializationStorageContext> empty_storages(PyTorchStreamReader& reader,
                                                              const std::string& prefix) {
  constexpr size_t kReserve = size_t{1} << 36;
  void* zeros =
      ::mmap(nullptr, kReserve, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (zeros == MAP_FAILED)
    throw Error("memory-limit", "too little address space to read the samples in the file",
                cat(kReserve >> 30, " GiB are reserved, and none of it is used"),
                "raise the limit that `ulimit -v` shows");
  const std::shared_ptr<void> owner(zeros, [](void* at) { ::munmap(at, kReserve); });
  auto context = std::make_shared<DeserializationStorageContext>();
  for (const std::string& name : reader.getAllRecords()) {
    if (!name.starts_with(prefix)) continue;
    c10::DataPtr pointer(
        zeros, new std::shared_ptr<void>(owner),
        [](void* held) { delete static_cast<std::shared_ptr<void>*>(held); },
        c10::Device(at::kCPU));
    context->addStorage(name.substr(prefix.size()),
                        c10::Storage(c10::Storage::use_byte_size_t(), kReserve, std::move(pointer),
                                     nullptr, false));
  }
  return context;
}

std::optional<std::vector<char>> read_record(PyTorchStreamReader& reader, const std::string& name) {
  if (!reader.hasRecord(name)) return std::nullopt;
  const auto [data, size] = reader.getRecord(name);
  const auto* begin = static_cast<const char*>(data.get());
  return std::vector<char>(begin, begin + size);
}

/// One reading of an archive into a module.
class Deserializer {
 public:
  Deserializer(std::shared_ptr<PyTorchStreamReader> reader, std::shared_ptr<const Mapping> mapping)
      : reader_(std::move(reader)),
        mapping_(std::move(mapping)),
        unit_(std::make_shared<torch::jit::CompilationUnit>()),
        importer_(
            unit_, &constants_, [this](const std::string& qualifier) { return source(qualifier); },
            reader_->version()) {}

  Loaded run() {
    torch::jit::populate_upgraders_graph_map();
    const c10::IValue constants = read("constants", map_storages(*reader_, mapping_, "constants/"));
    for (const c10::IValue& constant : constants.toTuple()->elements())
      constants_.push_back(constant);
    const c10::IValue data = read("data", map_storages(*reader_, mapping_, "data/"));
    Loaded out;
    out.mapping = mapping_;
    out.module = torch::jit::Module(data.toObject());
    out.format_version = static_cast<int64_t>(reader_->version());
    out.sources = std::make_shared<SourceMap>(
        [reader = reader_](const std::string& name) { return read_record(*reader, name); });
    out.ran_code = ran_code_;
    if (reader_->hasRecord("traced_inputs.pkl")) out.traced_inputs = traced_inputs();
    return out;
  }

 private:
  std::shared_ptr<torch::jit::Source> source(const std::string& qualifier) {
    std::string path = "code/" + qualifier;
    std::replace(path.begin() + 5, path.end(), '.', '/');
    path += ".py";
    const auto text = read_record(*reader_, path);
    if (!text) return nullptr;
    return std::make_shared<torch::jit::Source>(std::string_view(text->data(), text->size()), path,
                                                1);
  }

  c10::intrusive_ptr<c10::ivalue::Object> make_object(const c10::StrongTypePtr& type,
                                                      c10::IValue state) {
    const auto class_type = type.type_->expect<c10::ClassType>();
    if (auto* method = class_type->findMethod("__setstate__")) {
      refuse_denied(*method, "while it is loaded (__setstate__)");
      ran_code_ = true;
    }
    return torch::jit::ObjLoaderFunc(type, std::move(state));
  }

  c10::IValue read(const std::string& archive,
                   std::shared_ptr<DeserializationStorageContext> storages) {
    const auto resolve = [this](const c10::QualifiedName& name) {
      return c10::StrongTypePtr(unit_, importer_.loadType(name));
    };
    const auto make = [this](const c10::StrongTypePtr& type, c10::IValue state) {
      return make_object(type, std::move(state));
    };
    return torch::jit::readArchiveAndTensors(
        archive, "", archive + "/", resolve, make, c10::Device(at::kCPU), *reader_,
        torch::jit::Unpickler::defaultTypeParser, std::move(storages));
  }

  std::optional<c10::IValue> traced_inputs() {
    auto storages = empty_storages(*reader_, "traced_inputs/");
    if (!storages) return std::nullopt;
    // They only save typing: a model whose traced inputs cannot be read is exported with --input.
    try {
      return read("traced_inputs", std::move(storages));
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  std::shared_ptr<PyTorchStreamReader> reader_;
  std::shared_ptr<const Mapping> mapping_;
  std::shared_ptr<torch::jit::CompilationUnit> unit_;
  std::vector<at::IValue> constants_;
  torch::jit::SourceImporter importer_;
  bool ran_code_ = false;
};

std::shared_ptr<PyTorchStreamReader> open_archive(const std::shared_ptr<const Mapping>& mapping,
                                                  const std::string& path) {
  sniff_bytes({mapping->original(), mapping->size()}, path);
  try {
    auto reader = std::make_shared<PyTorchStreamReader>(std::make_shared<MappingAdapter>(mapping));
    const auto pickle = read_record(*reader, "data.pkl");
    constexpr size_t kHead = 256;
    const std::string head =
        pickle ? std::string(pickle->data(), std::min(pickle->size(), kHead)) : std::string();
    sniff_records(reader->getAllRecords(), head, path);
    return reader;
  } catch (const std::exception&) {
    refuse_archive(current_torch_message(), path);
  }
}

}  // namespace

Loaded load_model(const std::string& path) {
  const auto mapping = Mapping::open(path);
  const auto reader = open_archive(mapping, path);
  // Each round declares one more operator that this LibTorch lacks.
  constexpr int kMaxUnknown = 200;
  for (int round = 0;; ++round) {
    try {
      return Deserializer(reader, mapping).run();
    } catch (const std::exception&) {
      const std::string message = current_torch_message();
      const std::string unknown = unknown_operator_in(message);
      if (unknown.empty() || round == kMaxUnknown) refuse_archive(message, path);
      declare_unknown(unknown);
    }
  }
}

Loaded compile_model(const InlineModel& model) {
  Loaded out;
  out.sources = std::make_shared<SourceMap>([](const std::string&) { return std::nullopt; });
  out.module = torch::jit::Module("Model");
  out.module.register_attribute("training", c10::BoolType::get(), false);
  for (const auto& [name, value] : model.parameters)
    out.module.register_buffer(name, to_torch_copy(value));
  try {
    out.module.define(model.source + "\n");  // the parser wants the last line ended
  } catch (const std::exception&) {
    throw Error("model-corrupt", "the source text does not compile", current_torch_message());
  }
  return out;
}

}  // namespace t2n::trace
