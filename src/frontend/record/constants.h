// SPDX-License-Identifier: Apache-2.0
// Tensors that the program does not compute: constants of the graph, under the model's own names.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "ir/building.h"
#include "src/frontend/load/call.h"
#include "src/frontend/record/module_names.h"
#include "src/frontend/record/packed_parameters.h"
#include "src/model_file/mapping.h"

namespace t2n::trace {

/// Adds values and constants to the graph. Reads the mapped file, never the tensors of the run.
class Constants {
 public:
  Constants(ir::Graph& graph, ir::Naming& naming, const ModuleNames& names,
            std::shared_ptr<const model_file::Mapping> mapping, bool pages_may_differ,
            bool name_by_use)
      : graph_(graph),
        naming_(naming),
        names_(names),
        mapping_(std::move(mapping)),
        pages_may_differ_(pages_may_differ),
        name_by_use_(name_by_use) {}

  /// `use`: the fallback name of an unnamed constant. Small constants without a name are shared.
  ir::ValueId add(const at::Tensor& tensor, Location location, const std::string& use);
  /// Parameters that LibTorch packed for its kernels.
  PackedParameters& packed() { return packed_; }

 private:
  std::string path_of(const at::Tensor& tensor);
  std::string name_for_use(const at::Tensor& tensor, Location location, const std::string& use);

  ir::Graph& graph_;
  ir::Naming& naming_;
  const ModuleNames& names_;
  PackedParameters packed_;
  std::shared_ptr<const model_file::Mapping> mapping_;
  bool pages_may_differ_;
  bool name_by_use_;
  std::unordered_multimap<size_t, ir::ValueId> small_;  ///< by hash of their content
};

}  // namespace t2n::trace
