// SPDX-License-Identifier: Apache-2.0
// Loads, runs and inspects models through tract's C functions.
#include "src/tract/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "src/diag/error.h"
#include "src/tract/datum_type.h"
#include "src/tract/wording.h"

namespace t2n::tract {
namespace {

constexpr std::string_view kRefuses = "refuses the model";
constexpr std::string_view kFails = "failed to run the model";

Abi open_abi(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw Error("engine-not-found", cat("cannot load the engine: ", dlerror()));
  return bind_abi(library);
}

std::string help_for(std::string_view id, const std::string& version) {
  const std::string report =
      cat("if t2nnef wrote this model for tract@", version, ", please report it as a bug");
  return id == "engine-failed" ? cat("check that the inputs fit the model; ", report) : report;
}

Owned own(Handle handle, Status (*destroy)(Handle*)) { return Owned(handle, Destroy{destroy}); }

std::string take_text(const Abi& abi, char* text) {
  std::string copy(text);
  abi.free_cstring(text);
  return copy;
}

/// tract requires non-null arrays even if they have no elements.
std::vector<Handle> handles_of(const std::vector<Owned>& tensors) {
  std::vector<Handle> handles(std::max<size_t>(tensors.size(), 1), nullptr);
  for (size_t i = 0; i < tensors.size(); ++i) handles[i] = tensors[i].get();
  return handles;
}

size_t count_ports(const Library& library, Handle model, bool inputs) {
  const Abi& abi = library.abi();
  size_t counts[2] = {};
  if (abi.model_counts != nullptr)
    library.check(abi.model_counts(model, &counts[0], &counts[1]), "engine-rejects", kRefuses);
  else
    library.check(
        (inputs ? abi.model_input_count : abi.model_output_count)(model, &counts[inputs ? 0 : 1]),
        "engine-rejects", kRefuses);
  return counts[inputs ? 0 : 1];
}

/// Constants show their values after a blank or an equals sign; in shapes, these occur only inside
/// brackets.
std::string without_value(const std::string& fact) {
  int depth = 0;
  size_t end = 0;
  while (end < fact.size()) {
    const bool value = fact[end] == ' ' || std::string_view(fact).substr(end).starts_with("🟰");
    if (value && depth == 0) break;
    if (fact[end] == '(') ++depth;
    if (fact[end] == ')') --depth;
    ++end;
  }
  return fact.substr(0, end);
}

EnginePort describe_port(const Library& library, Handle model, bool input, size_t index) {
  const Abi& abi = library.abi();
  const auto check = [&](Status status) { library.check(status, "engine-rejects", kRefuses); };
  EnginePort port;
  char* text = nullptr;
  check((input ? abi.model_input_name : abi.model_output_name)(model, index, &text));
  port.name = take_text(abi, text);
  Handle fact = nullptr;
  check((input ? abi.model_input_fact : abi.model_output_fact)(model, index, &fact));
  const Owned keep = own(fact, abi.fact_destroy);
  check(abi.fact_dump(fact, &text));
  port.fact = without_value(take_text(abi, text));
  return port;
}

std::vector<EnginePort> describe_ports(const Library& library, Handle model, bool inputs) {
  std::vector<EnginePort> ports;
  const size_t count = count_ports(library, model, inputs);
  for (size_t i = 0; i < count; ++i) ports.push_back(describe_port(library, model, inputs, i));
  return ports;
}

Owned import_tensor(const Library& library, const ir::Tensor& tensor) {
  const auto type = datum_type(tensor.dtype);
  if (!type)
    throw Error("engine-failed",
                cat("tract has no element type ", quoted(ir::dtype_name(tensor.dtype))));
  const ir::Tensor rows = ir::contiguous(tensor);
  std::vector<size_t> shape(rows.shape.begin(), rows.shape.end());
  shape.push_back(0);  // avoids a null pointer for rank 0
  std::byte nothing{};
  // tract copies the bytes, although its signature allows writing.
  void* const data = rows.bytes.empty() ? &nothing : const_cast<std::byte*>(rows.bytes.data());
  Handle handle = nullptr;
  const Abi& abi = library.abi();
  library.check(abi.tensor_from_bytes(*type, rows.shape.size(), shape.data(), data, &handle),
                "engine-failed", kFails);
  return own(handle, abi.tensor_destroy);
}

/// The plain type of tract's internal types: dimensions become integers, quantised values floats.
ir::DType plain_type(const EnginePort& port) {
  const bool dimension =
      port.fact.find("tdim") != std::string::npos || port.fact.find("TDim") != std::string::npos;
  return dimension ? ir::DType::i64 : ir::DType::f32;
}

/// A copy of the values; nothing for an element type that is internal to tract.
std::optional<ir::Tensor> plain_tensor(const Abi& abi, Handle tensor) {
  uint32_t type = 0;
  size_t rank = 0;
  const size_t* shape = nullptr;
  const void* data = nullptr;
  if (abi.tensor_as_bytes(tensor, &type, &rank, &shape, &data) != 0) return std::nullopt;
  const auto dtype = dtype_of(type);
  if (!dtype) return std::nullopt;
  ir::OwnedTensor copy = ir::allocate(*dtype, ir::Ints(shape, shape + rank));
  if (!copy.data.empty()) std::memcpy(copy.data.data(), data, copy.data.size());
  return std::move(copy.tensor);
}

}  // namespace

Library::Library(const std::string& path) : abi_(open_abi(path)) {}

void Library::check(Status status, std::string_view id, std::string_view what) const {
  if (status == 0) return;
  const char* const text = abi_.last_error();
  const Reason reason = reason_of_error(text == nullptr ? "" : text);
  throw Error(Diagnostic{.id = std::string(id),
                         .message = cat("tract ", version(), " ", what, ": ", reason.headline),
                         .where = {},
                         .details = reason.details,
                         .why = {},
                         .help = help_for(id, version())});
}

Handle Library::reader() const {
  if (reader_ == nullptr) {
    Handle handle = nullptr;
    check(abi_.nnef_create(&handle), "engine-rejects", kRefuses);
    reader_ = own(handle, abi_.nnef_destroy);
    for (const auto enable : abi_.enable_registry)
      check(enable(reader_.get()), "engine-rejects", kRefuses);
  }
  return reader_.get();
}

Model::Model(const Library& library, const std::string& artefact, std::optional<Pulse> pulse)
    : library_(library), artefact_(artefact), pulse_(std::move(pulse)) {
  const Abi& abi = library.abi();
  Owned model = load_optimised();
  info_ = {describe_ports(library, model.get(), true), describe_ports(library, model.get(), false)};
  if (pulse_) note_pulses(model.get());
  Handle taken = model.release();
  Handle runnable = nullptr;
  library.check(abi.model_into_runnable(&taken, &runnable), "engine-rejects", kRefuses);
  runnable_ = own(runnable, abi.runnable_release);
}

Owned Model::load_optimised() const {
  const Abi& abi = library_.abi();
  const auto check = [&](Status status) { library_.check(status, "engine-rejects", kRefuses); };
  Handle handle = nullptr;
  check(abi.nnef_load(library_.reader(), artefact_.c_str(), &handle));
  Owned model = own(handle, abi.model_destroy);
  if (abi.model_declutter != nullptr) check(abi.model_declutter(model.get()));
  if (pulse_) apply_pulse(model);
  if (abi.model_optimize != nullptr) check(abi.model_optimize(model.get()));
  return model;
}

std::vector<Owned> Model::import_inputs(const std::vector<ir::Tensor>& inputs) const {
  if (inputs.size() != info_.inputs.size())
    throw Error("engine-failed",
                cat("the engine expects ", info_.inputs.size(), " inputs, got ", inputs.size()));
  std::vector<Owned> handles;
  handles.reserve(inputs.size());
  for (const ir::Tensor& input : inputs) handles.push_back(import_tensor(library_, input));
  return handles;
}

std::vector<ir::Tensor> Model::run(const std::vector<ir::Tensor>& inputs) const {
  return run_in(nullptr, inputs);
}

std::vector<ir::Tensor> Model::run_in(Handle state, const std::vector<ir::Tensor>& inputs) const {
  const Abi& abi = library_.abi();
  const std::vector<Owned> owned_inputs = import_inputs(inputs);
  std::vector<Handle> in = handles_of(owned_inputs);
  std::vector<Handle> out(info_.outputs.size() + 1, nullptr);
  const Status status = state == nullptr ? abi.runnable_run(runnable_.get(), in.data(), out.data())
                                         : abi.state_run(state, in.data(), out.data());
  library_.check(status, "engine-failed", kFails);
  std::vector<Owned> owned;
  owned.reserve(info_.outputs.size());
  for (size_t i = 0; i < info_.outputs.size(); ++i)
    owned.push_back(own(out[i], abi.tensor_destroy));
  std::vector<ir::Tensor> outputs;
  for (size_t i = 0; i < owned.size(); ++i)
    outputs.push_back(export_output(owned[i], info_.outputs[i]));
  return outputs;
}

ir::Tensor Model::export_output(const Owned& tensor, const EnginePort& port) const {
  const Abi& abi = library_.abi();
  if (const auto plain = plain_tensor(abi, tensor.get())) return *plain;
  const std::string what = cat("cannot return ", quoted(port.name), " (", port.fact, ")");
  if (abi.tensor_convert_to != nullptr) {
    Handle handle = nullptr;
    library_.check(abi.tensor_convert_to(tensor.get(), *datum_type(plain_type(port)), &handle),
                   "engine-failed", what);
    const Owned converted = own(handle, abi.tensor_destroy);
    if (const auto plain = plain_tensor(abi, converted.get())) return *plain;
  }
  throw Error("engine-failed", cat("tract ", library_.version(), " ", what),
              "only plain element types cross its C interface",
              "end the graph with a cast to a plain type");
}

TimedRun::TimedRun(const Model& model, const std::vector<ir::Tensor>& inputs)
    : model_(model), inputs_(model.import_inputs(inputs)) {
  const Abi& abi = model.library_.abi();
  Handle state = nullptr;
  model.library_.check(abi.runnable_spawn_state(model.runnable_.get(), &state), "engine-failed",
                       kFails);
  state_ = own(state, abi.state_destroy);
}

double TimedRun::run() {
  const Abi& abi = model_.library_.abi();
  std::vector<Handle> in = handles_of(inputs_);
  std::vector<Handle> out(model_.info_.outputs.size() + 1, nullptr);
  const auto begin = std::chrono::steady_clock::now();
  const Status status = abi.state_run(state_.get(), in.data(), out.data());
  const auto end = std::chrono::steady_clock::now();
  model_.library_.check(status, "engine-failed", kFails);
  for (size_t i = 0; i < model_.info_.outputs.size(); ++i) abi.tensor_destroy(&out[i]);
  return std::chrono::duration<double>(end - begin).count();
}

std::string Model::profile_json(const std::vector<ir::Tensor>& inputs) const {
  const Abi& abi = library_.abi();
  const std::vector<Owned> owned = inputs.empty() ? std::vector<Owned>() : import_inputs(inputs);
  std::vector<Handle> handles = handles_of(owned);
  Handle* const in = inputs.empty() ? nullptr : handles.data();
  const auto check = [&](Status status) { library_.check(status, "engine-failed", kFails); };
  char* json = nullptr;
  if (abi.runnable_profile != nullptr) {
    check(abi.runnable_profile(runnable_.get(), in, &json));
    return take_text(abi, json);
  }
  // Up to 0.22 a model is profiled, not a runnable, and making the runnable consumed the model.
  const Owned model = load_optimised();
  if (abi.model_profile_states != nullptr)
    check(abi.model_profile_states(model.get(), in, nullptr, 0, &json));
  else
    check(abi.model_profile(model.get(), in, &json));
  return take_text(abi, json);
}

}  // namespace t2n::tract
