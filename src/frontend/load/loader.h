// SPDX-License-Identifier: Apache-2.0
// Opens a TorchScript archive without copying its weights.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/frontend/load/archive.h"
#include "src/frontend/load/source_map.h"
#include "src/model/model.h"
#include "src/model_file/mapping.h"

namespace t2n::trace {

struct Loaded {
  std::shared_ptr<const model_file::Mapping> mapping;  ///< null for a model compiled from text
  std::shared_ptr<const Archive> archive;              ///< likewise
  std::shared_ptr<SourceMap> sources;
  torch::jit::Module module;
  int64_t format_version = 0;
  bool is_exported = false;           ///< of a .pt2 file
  std::vector<std::string> programs;  ///< likewise: the names of all that it holds
  /// Of a .pt2 file: the values of the arguments in the sample's run.
  std::vector<c10::IValue> samples;
  std::vector<DeclaredAxis> dynamic_axes;
  std::vector<std::string> assertions, guards;
  std::optional<c10::IValue>
      traced_inputs;      ///< Dict[str, List[Any]]: method -> arguments, shapes only
  bool ran_code = false;  ///< a `__setstate__` ran

  /// The same file's objects once more, as it stores them, over code that is compiled already.
  /// Ends the use of those that were read before, whose memory is the file's again. nullopt if
  /// what ran since may have changed what the code holds; empty if nothing can be read again.
  std::function<std::optional<Loaded>()> again;
};

/// An object of a class, made from the state that the file stores: run/setstate.h, which runs code.
using MakeBySetstate = c10::intrusive_ptr<c10::ivalue::Object> (*)(const c10::StrongTypePtr& type,
                                                                   const c10::IValue& state,
                                                                   SourceMap& sources);

/// Storages alias the mapping's working pages; unaligned or deflated records are copied. Limits on
/// the structure are checked before anything is compiled, and all compiled code is scanned before
/// anything runs. Operators that this LibTorch lacks are declared as needed, so that the tracer can
/// name their uses. Errors: `model-…`, `denied-operator`, `trace-limit`, and those of forward.
Loaded load_model(const std::shared_ptr<const Archive>& archive, MakeBySetstate make_by_setstate);

/// Compiles source text; the parameters become buffers.
Loaded compile_model(const InlineModel& model);
/// Configures LibTorch; called before it loads or compiles anything.
void prepare_process();

}  // namespace t2n::trace
