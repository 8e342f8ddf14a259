// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/modules.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "nnef_writer/npz.h"
#include "nnef_writer/output.h"
#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/export/stages.h"
#include "src/model/torch_module.h"
#include "src/reduce/judge.h"

namespace t2n::reduce {
namespace {

namespace fs = std::filesystem;
using Calls = std::vector<trace::ModuleCall>;

size_t depth(const trace::ModuleCall& call) {
  return static_cast<size_t>(std::count(call.module.begin(), call.module.end(), '.'));
}

bool is_below(const trace::ModuleCall& call, const std::string& module) {
  return module.empty() || call.module.starts_with(module + ".");
}

size_t count_below(const Calls& calls, const std::string& module) {
  return static_cast<size_t>(std::count_if(
      calls.begin(), calls.end(), [&](const auto& call) { return is_below(call, module); }));
}

/// Traces a model at the sizes of its inputs.
std::optional<Diagnostic> failure_in(std::shared_ptr<trace::Session> session,
                                     const std::vector<trace::SampleInput>& inputs,
                                     const ReduceOptions& options) {
  return failure_of([&] {
    LoadedModel model;
    model.info = torch_module().describe(*session);
    model.session = std::move(session);
    for (const trace::SampleInput& input : inputs) model.samples.push_back({input, {}});
    ModelOptions request = options;
    request.samples.clear();
    request.dynamic = {};
    request.report = {};
    (void)trace_model(model, request);
  });
}

/// The smallest module that fails, from the outside to the inside.
class ModuleSearch {
 public:
  ModuleSearch(const Calls& calls, Kept kept, const ReduceOptions& options)
      : calls_(calls), kept_(std::move(kept)), options_(options) {
    std::stable_sort(calls_.begin(), calls_.end(),
                     [](const auto& a, const auto& b) { return depth(a) < depth(b); });
  }

  const trace::ModuleCall* smallest() {
    const trace::ModuleCall* out = nullptr;
    for (const trace::ModuleCall& call : calls_) {
      if (is_over()) break;
      if (out != nullptr && !is_below(call, out->module)) continue;
      ++candidates_;
      auto found = failure_of([&] {
        auto failure = failure_in(torch_module().load_module(options_.model, call.module),
                                  call.inputs, options_);
        if (failure) throw Error(*std::move(failure));
      });
      if (!is_kept(kept_, found)) continue;
      out = &call;
      failure_ = std::move(found);
      if (options_.say) options_.say(cat("fails alone: ", call.module, " (", call.class_name, ")"));
    }
    return out;
  }

  const Diagnostic& failure() const { return *failure_; }
  size_t candidates() const { return candidates_; }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
  bool is_over() const { return seconds() > options_.seconds; }

 private:
  Calls calls_;
  Kept kept_;
  const ReduceOptions& options_;
  std::optional<Diagnostic> failure_;
  size_t candidates_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

std::vector<nnef::NamedTensor> sample_tensors(const std::vector<trace::SampleInput>& inputs) {
  std::vector<nnef::NamedTensor> out;
  for (const trace::SampleInput& input : inputs)
    if (const auto* tensor = std::get_if<ir::Tensor>(&input.value))
      out.push_back({trace::flat_name(input.path), ir::contiguous(*tensor)});
  return out;
}

/// The inputs with the tensors of a file.
std::vector<trace::SampleInput> with_tensors(std::vector<trace::SampleInput> inputs,
                                             const std::vector<nnef::NamedTensor>& tensors) {
  size_t at = 0;
  for (trace::SampleInput& input : inputs)
    if (std::holds_alternative<ir::Tensor>(input.value) && at < tensors.size())
      input.value = tensors[at++].value;
  return inputs;
}

nnef::Destination destination_at(const fs::path& path, const std::vector<nnef::Taken>& taken) {
  nnef::Destination out = nnef::file_destination(path);
  out.form = nnef::Destination::Form::file;
  out.taken = taken;
  return out;
}

std::vector<WrittenFile> write(const fs::path& stem, const trace::ModuleCall& call,
                               const std::string& bytes, const std::vector<nnef::Taken>& taken) {
  std::vector<WrittenFile> out;
  const fs::path model = files_at(stem).module;
  nnef::write_file(destination_at(model, taken),
                   [&](nnef::FileWriter& file) { file.write(std::as_bytes(std::span(bytes))); });
  out.push_back({model.string(), static_cast<int64_t>(bytes.size()), "the module"});
  const std::vector<nnef::NamedTensor> tensors = sample_tensors(call.inputs);
  if (tensors.empty()) return out;
  const fs::path inputs = files_at(stem).inputs;
  nnef::write_npz(tensors, destination_at(inputs, taken));
  out.push_back({inputs.string(), size_on_disk(inputs), "its inputs"});
  return out;
}

void verify_module(const fs::path& stem, const trace::ModuleCall& call, const Kept& kept,
                   const ReduceOptions& options) {
  std::vector<nnef::NamedTensor> tensors;
  if (!sample_tensors(call.inputs).empty()) tensors = nnef::read_npz(files_at(stem).inputs);
  const auto found = failure_in(torch_module().load(files_at(stem).module.string(), "forward"),
                                with_tensors(call.inputs, tensors), options);
  if (is_kept(kept, found)) return;
  throw Error("not-reducible",
              cat("the module ", quoted(call.module),
                  " does not fail any more when it is read from its file"),
              found ? cat("it fails otherwise: ", headline(*found)) : "");
}

}  // namespace

Reduction reduce_modules(const LoadedModel& loaded, const Error& first,
                         const ReduceOptions& options, const fs::path& scratch) {
  const Kept kept{first.diagnostic().id, options.keep};
  if (first.code() == ExitCode::usage || !loaded.session) throw Error(first.diagnostic());
  const auto refuse = [&](const std::string& message, const std::string& why) {
    Diagnostic out{.id = "not-reducible", .message = message, .why = why};
    out.where = first.diagnostic().where;
    out.details = {cat("the failure: ", headline(first.diagnostic()))};
    out.help = "the location above is the smallest that is known";
    throw Error(std::move(out));
  };
  if (!is_kept(kept, first.diagnostic()))
    refuse("the model fails otherwise", cat("--keep requires the text ", quoted(options.keep)));
  const std::vector<trace::SampleInput> inputs = fill(loaded.samples, 0);
  if (!is_kept(kept, failure_in(loaded.session, inputs, options)))
    refuse("the model fails while it is traced with dynamic axes",
           "a part of it would need dynamic axes of its own");
  const Calls calls = torch_module().module_calls(*loaded.session, inputs);
  ModuleSearch search(calls, kept, options);
  const trace::ModuleCall* const call = search.smallest();
  if (call == nullptr)
    refuse("no module of the model fails alone",
           "it fails while it is traced, before there is a graph: only modules can be tried");
  Reduction out;
  out.module = call->module;
  out.failure = search.failure();
  out.before.operations = calls.size() + 1;
  out.after.operations = count_below(calls, call->module) + 1;
  out.candidates = search.candidates();
  out.seconds = search.seconds();
  out.is_complete = !search.is_over();
  const std::string bytes =
      torch_module().saved(*torch_module().load_module(options.model, call->module));
  write(scratch / "reduced", *call, bytes, {});
  verify_module(scratch / "reduced", *call, kept, options);
  out.files = write(stem_of(options), *call, bytes, options.taken);
  return out;
}

}  // namespace t2n::reduce
