// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/loader.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <torch/csrc/jit/operator_upgraders/upgraders_entry.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/import_read.h>
#include <torch/csrc/jit/serialization/import_source.h>
#include <torch/csrc/jit/serialization/storage_context.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/extend/own_fragments.h"
#include "src/frontend/load/code.h"
#include "src/frontend/load/guards.h"
#include "src/frontend/load/nesting.h"
#include "src/frontend/load/operator_scan.h"
#include "src/frontend/load/operators.h"
#include "src/frontend/load/slots.h"
#include "src/frontend/load/torch_error.h"
#include "src/frontend/load/vision.h"
#include "src/model_file/allowed.h"
#include "src/model_file/pickle_scan.h"
#include "src/model_file/sniff.h"

namespace t2n::trace {
namespace {

using torch::jit::DeserializationStorageContext;

/// Storages for the tensor records of `<pickle>.pkl`; of the deflated records only those in
/// `named`.
std::shared_ptr<DeserializationStorageContext> map_storages(const Archive& archive,
                                                            const std::string& pickle,
                                                            const std::set<std::string>& named) {
  auto context = std::make_shared<DeserializationStorageContext>();
  const std::string prefix = pickle + "/";
  for (const auto& [name, record] : archive.records())
    if (const std::string key = name.starts_with(prefix) ? name.substr(prefix.size()) : "";
        !key.empty() && (record.is_stored || named.contains(key)))
      context->addStorage(key, archive.storage(name, record));
  return context;
}

/// Traced inputs are stored without values: records without bytes, for tensors with a shape. All of
/// them share one reservation of zero pages, which is never touched.
std::shared_ptr<DeserializationStorageContext> empty_storages(const Archive& archive,
                                                              const std::string& prefix) {
  constexpr size_t kMaximum = size_t{1} << 36, kMinimum = size_t{1} << 28;
  size_t reserve = kMaximum;
  const auto map = [&] {
    return ::mmap(nullptr, reserve, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  };
  void* zeros = map();
  while (zeros == MAP_FAILED && reserve > kMinimum) {  // the address space may be limited
    reserve /= 2;
    zeros = map();
  }
  if (zeros == MAP_FAILED)
    throw Error("memory-limit", "too little address space to read the samples in the file",
                cat(kMinimum >> 20, " MiB are reserved, but not used"),
                "raise the limit that `ulimit -v` shows");
  const std::shared_ptr<void> owner(zeros, [reserve](void* pages) { ::munmap(pages, reserve); });
  auto context = std::make_shared<DeserializationStorageContext>();
  for (const auto& [name, record] : archive.records()) {
    if (!name.starts_with(prefix)) continue;
    c10::DataPtr pointer(
        zeros, new std::shared_ptr<void>(owner),
        [](void* shared) { delete static_cast<std::shared_ptr<void>*>(shared); },
        c10::Device(at::kCPU));
    context->addStorage(
        name.substr(prefix.size()),
        c10::Storage(c10::Storage::use_byte_size_t(), reserve, std::move(pointer), nullptr, false));
  }
  return context;
}

/// Types in pickles are text. LibTorch's parsers read it by recursion.
void check_type(const std::string& text) {
  constexpr int kMaxBrackets = 100;
  int depth = 0;
  for (const char c : text) {
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (depth > kMaxBrackets)
      throw Error("model-corrupt", "the data of the model cannot be read",
                  cat("a type in them is nested more than ", kMaxBrackets, " levels deep"));
  }
}

c10::TypePtr parse_type(const std::string& text) {
  check_type(text);
  return torch::jit::Unpickler::defaultTypeParser(text);
}

/// Reads an archive into modules that share their code.
class Deserializer : public std::enable_shared_from_this<Deserializer> {
 public:
  Deserializer(std::shared_ptr<const Archive> archive, MakeBySetstate make_by_setstate)
      : archive_(std::move(archive)),
        unit_(std::make_shared<torch::jit::CompilationUnit>()),
        sources_(std::make_shared<SourceMap>(
            [archive = archive_](const std::string& name) { return archive->read(name); })),
        importer_(
            unit_, &constants_, [this](const std::string& qualifier) { return source(qualifier); },
            archive_->reader().version()),
        make_by_setstate_(make_by_setstate) {}

  Loaded run() {
    torch::jit::populate_upgraders_graph_map();
    const c10::IValue constants = read("constants");
    if (!constants.isTuple()) refuse_data("its constants are not a tuple");
    check_tensors(constants);
    for (const c10::IValue& constant : constants.toTuple()->elements())
      constants_.push_back(constant);
    Loaded out = read_objects();
    if (archive_->records().contains("traced_inputs.pkl")) out.traced_inputs = traced_inputs();
    return out;
  }

 private:
  Loaded read_objects() {
    const c10::IValue data = read("data");
    if (!data.isObject()) refuse_data("it does not contain a module");
    check_nesting(data, "model-corrupt", "the model");
    scan_.require(*unit_, sources_.get());
    Loaded out;
    out.mapping = archive_->mapping();
    out.archive = archive_;
    out.module = torch::jit::Module(data.toObject());
    out.format_version = archive_->format_version();
    out.sources = sources_;
    out.ran_code = ran_code_;
    if (!ran_code_ && std::all_of(constants_.begin(), constants_.end(),
                                  [&](const c10::IValue& each) { return is_restorable(each); }))
      out.again = [self = shared_from_this()]() -> std::optional<Loaded> {
        if (!self->has_constants_as_read()) return std::nullopt;
        self->archive_->mapping()->restore();
        return self->read_objects();
      };
    return out;
  }

  /// True for a tensor whose elements are the file's when the mapping is restored.
  bool is_restorable(const c10::IValue& constant) const {
    return constant.isTensor() && !constant.toTensor().is_inference() &&
           constant.toTensor().layout() == at::kStrided &&
           archive_->mapping()->original_of(constant.toTensor().storage().data()) != nullptr;
  }

  /// False if a run has resized, replaced or written to a constant of the code.
  bool has_constants_as_read() const {
    return std::all_of(constants_.begin(), constants_.end(), [](const c10::IValue& constant) {
      return constant.toTensor()._version() == 0;
    });
  }

  [[noreturn]] static void refuse_data(const std::string& why) {
    throw Error("model-corrupt", "the data of the model cannot be read", why,
                "was it saved or downloaded completely?");
  }

  /// Refuses types with two elements per byte: LibTorch expects one byte each.
  static void refuse_half_bytes(std::string_view pickle) {
    if (pickle.find("QUInt4x2Storage") == std::string_view::npos) return;
    throw Error("unsupported-dtype", "the model holds a tensor of 4 bits (quint4x2)",
                "LibTorch cannot read such a tensor back",
                "quantise the table to 8 bits (quint8), or hold its rows as bytes "
                "(torch.ops.quantized.embedding_bag_4bit_prepack)");
  }

  std::shared_ptr<torch::jit::Source> source(const std::string& qualifier) {
    if (!qualifier.starts_with("__torch__")) return nullptr;
    std::string path = "code/" + qualifier;
    std::replace(path.begin() + 5, path.end(), '.', '/');
    path += ".py";
    const auto text = archive_->read(path);
    if (!text) return nullptr;
    return std::make_shared<torch::jit::Source>(std::string_view(text->data(), text->size()), path,
                                                1);
  }

  /// Scans all compiled code before any of it runs, and again whenever more was compiled.
  c10::intrusive_ptr<c10::ivalue::Object> make_object(const c10::StrongTypePtr& type,
                                                      c10::IValue state) {
    const auto class_type = type.type_->expect<c10::ClassType>();
    auto* method = class_type->findMethod("__setstate__");
    check_tensors(state);
    if (method != nullptr) scan_.require(*unit_, sources_.get());
    const std::string name = class_type->name() ? class_type->name()->qualifiedName() : "";
    if (model_file::is_native_class(name) && !model_file::is_allowed_class(name))
      throw Error("denied-operator", cat("the model holds an object of ", quoted(name)),
                  "it is implemented in C++ and not a known class",
                  "remove it from the model and save it again");
    if (method == nullptr || torch::jit::tryToGraphFunction(*method) == nullptr) {
      auto object = torch::jit::ObjLoaderFunc(type, std::move(state));
      if (!model_file::is_native_class(name)) check_slots(*object);
      return object;
    }
    ran_code_ = true;
    check_nesting(state, "model-corrupt", "the model");
    return make_by_setstate_(type, state, *sources_);
  }

  /// The deflated records that a pickle refers to.
  std::set<std::string> check(const std::string& archive) {
    std::set<std::string> named;
    const auto note = [&](std::string_view text) {
      const auto record = archive_->records().find(cat(archive, "/", text));
      if (record != archive_->records().end() && !record->second.is_stored) named.emplace(text);
    };
    if (const auto pickle = archive_->read(archive + ".pkl")) {
      refuse_half_bytes({pickle->data(), pickle->size()});
      model_file::check_pickle(*pickle, "model-corrupt", "the data of the model", note);
    }
    return named;
  }

  c10::IValue read(const std::string& archive) {
    const std::set<std::string> named = check(archive);
    return load(archive, map_storages(*archive_, archive, named));
  }

  c10::IValue load(const std::string& archive,
                   std::shared_ptr<DeserializationStorageContext> storages) {
    const auto resolve = [this](const c10::QualifiedName& name) {
      check_type(name.qualifiedName());
      return c10::StrongTypePtr(unit_, importer_.loadType(name));
    };
    const auto make = [this](const c10::StrongTypePtr& type, c10::IValue state) {
      return make_object(type, std::move(state));
    };
    return torch::jit::readArchiveAndTensors(archive, "", archive + "/", resolve, make,
                                             c10::Device(at::kCPU), archive_->reader(), parse_type,
                                             std::move(storages));
  }

  std::optional<c10::IValue> traced_inputs() {
    auto storages = empty_storages(*archive_, "traced_inputs/");
    if (!storages) return std::nullopt;
    // Traced inputs are optional: if they cannot be read, the user gives --input.
    try {
      check("traced_inputs");
      c10::IValue inputs = load("traced_inputs", std::move(storages));
      check_nesting(inputs, "model-corrupt", "the traced inputs");
      scan_.require(*unit_, sources_.get());
      return fits(inputs, c10::DictType::create(c10::StringType::get(),
                                                c10::ListType::create(c10::AnyType::get())))
                 ? std::optional(inputs)
                 : std::nullopt;
    } catch (const Error& error) {
      if (error.diagnostic().id == "denied-operator") throw;
      return std::nullopt;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  std::shared_ptr<const Archive> archive_;
  std::shared_ptr<torch::jit::CompilationUnit> unit_;
  std::shared_ptr<SourceMap> sources_;
  std::vector<at::IValue> constants_;
  torch::jit::SourceImporter importer_;
  MakeBySetstate make_by_setstate_;
  OperatorScan scan_;
  bool ran_code_ = false;
};

/// Enlarges the stack for values that nest as deep as the checks allow, whatever `ulimit -s` says.
/// Linux keeps at least this much free below the main thread's stack.
void raise_stack() {
  constexpr rlim_t kStack = rlim_t{112} << 20;
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStack) return;
  limit.rlim_cur = std::min(kStack, limit.rlim_max);
  ::setrlimit(RLIMIT_STACK, &limit);
}

/// LibTorch compiles code that names a class only if it knows the class.
void refuse_unknown_class(const std::string& message) {
  constexpr std::string_view kBefore = "Unknown type name '";
  const size_t begin = message.find(kBefore);
  if (begin == std::string::npos) return;
  const std::string rest = message.substr(begin + kBefore.size());
  const std::string name = rest.substr(0, rest.find('\''));
  if (model_file::is_native_class(name))
    throw Error("denied-operator", cat("the model holds an object of ", quoted(name)),
                "it is implemented in C++, and LibTorch has no such class: a library that the "
                "model was saved with, or another PyTorch, defines it",
                "replace the layer by one of torch.ao.nn.quantized, or keep it in floats, and "
                "save the model again");
}

/// A call that does not fit the schema that a fragment gives its operator.
void refuse_call_of_fragment(const std::string& message) {
  for (const extend::OwnOperator& own : extend::extensions().operators) {
    if (own.plugin != nullptr) continue;  // the schema is the plugin's
    std::string in_code = cat("ops.", own.op, "(");
    in_code.replace(in_code.find("::"), 2, ".");
    if (message.find(cat(own.op, "(")) == std::string::npos &&
        message.find(in_code) == std::string::npos)
      continue;
    throw Error("fragment-signature",
                cat("the model's call of ", own.op, " does not fit the fragment ",
                    quoted(own.fragment.name)),
                first_line(message),
                cat("the fragment gives it the schema ", extend::schema_of(own)));
  }
}

}  // namespace

void prepare_process() {
  raise_stack();
  register_vision();
  install_guards();
}

Loaded load_model(const std::shared_ptr<const Archive>& archive, MakeBySetstate make_by_setstate) {
  const model_file::CodeScan code = scan_code(*archive);
  const std::set<std::string> called = operators_in(code);
  for (;;) {
    try {
      return std::make_shared<Deserializer>(archive, make_by_setstate)->run();
    } catch (const std::exception&) {
      const std::string message = current_torch_message();
      refuse_unknown_class(message);
      refuse_call_of_fragment(message);
      refuse_prepared(called);
      if (declare_unknown(called)) continue;
      refuse_uncompiled(*archive, code, message);
      model_file::refuse_archive(message, archive->path());
    }
  }
}

}  // namespace t2n::trace
