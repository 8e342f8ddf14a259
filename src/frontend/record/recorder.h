// SPDX-License-Identifier: Apache-2.0
// Records the program's operations on tensors as a graph without aliases or writes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "src/frontend/load/call.h"
#include "src/frontend/numbers/marks.h"
#include "src/frontend/record/alias_table.h"
#include "src/frontend/record/constants.h"
#include "src/frontend/record/layouts.h"
#include "src/frontend/record/regions.h"
#include "src/loops/rerolling.h"

namespace t2n::trace {

/// Appends all nodes to the graph while a model runs, and adds constants through `Constants`. A
/// view remembers its base. A write creates a new version of the root; other views become stale and
/// are recomputed when they are read.
class Recorder {
 public:
  Recorder(loops::Rerolling& rerolling, const ModuleNames& names,
           std::shared_ptr<const model_file::Mapping> mapping, bool pages_may_differ,
           bool name_constants_by_use, bool keep_sizes);

  void add_input(const at::Tensor& tensor, const std::string& name);
  /// Reads the operands. `marks`: those of containers among the operands; numbers have their own.
  /// Errors: `data-dependent-value`, `unsupported-dtype`.
  OpCall prepare(const torch::jit::Operator& op, Run run, const torch::jit::Stack& inputs,
                 const Marks& marks, Location location);
  /// Called after an operation without writes. At least one of `outputs` is a tensor not yet known.
  void record(OpCall call, const std::vector<at::Tensor>& outputs);
  /// Called after an operation whose schema writes to some of its arguments.
  void record_write(OpCall call, const std::vector<at::Tensor>& outputs);

  const AliasTable& aliases() const { return aliases_; }
  AliasTable& aliases() { return aliases_; }
  PackedParameters& packed() { return constants_.packed(); }
  /// The name of the input that the tensor is, or is a view of; "" for others.
  std::string input_of(const at::Tensor& tensor) const;
  /// Whether later operations may read the tensor: a value of an iteration exists only in it.
  bool is_available(const at::Tensor& tensor) const;
  /// The current value of a tensor; an unknown tensor is a constant of the model.
  ir::ValueId value(const at::Tensor& tensor, Location location, const std::string& use = {});
  ir::ValueId sized_value(const at::Tensor& tensor, Location location);
  /// What its values depend on: data of an input, sizes (opaque), or null for the model alone.
  Mark mark(const at::Tensor& tensor) const;
  /// The marks of the numbers in a tensor if all are exact, null for plain ones; else empty.
  std::vector<Mark> numbers(const at::Tensor& tensor) const;
  void set_numbers(const at::Tensor& tensor, std::vector<Mark> marks);
  /// The sizes of results depend on values of tensors; `by_rank`: so does the number of axes.
  void mark_dynamic_shapes(const std::vector<at::Tensor>& outputs, const torch::jit::Stack& inputs,
                           bool by_rank);
  /// Forbids reads of a tensor that torch changed in an unrecorded way.
  void invalidate(const at::Tensor& tensor, Location location);
  /// Contiguity decided whether an operation returned a view of `tensor` or a copy. `is_alias`: it
  /// returned the tensor itself, and `result` is an alias in its stead.
  void relies_on_layout(const at::Tensor& tensor, const at::Tensor& result, bool is_alias);
  /// Whether an operation that this size depends on gives data-dependent sizes.
  bool may_be_unbacked(const ir::Dim& size) const;
  std::vector<ir::Comparison> sharing_conditions(const at::Tensor& tensor) const;
  /// The conditions on sizes under which a tensor is contiguous.
  std::vector<ir::Comparison> layout_conditions(const at::Tensor& tensor);
  Regions& regions() { return regions_; }
  /// Propagates writes through views to their bases: at the boundaries of iterations.
  void flush_writes();
  void end_iteration();  ///< called in loops that become one scan
  /// Marks new values of the graph. Called after the iterations of a loop were replaced.
  void mark_additions();

 private:
  Mark entry_mark(int entry) const;
  int entry_of(const at::Tensor& tensor, Location location, const std::string& use);
  ir::ValueId new_value(const ir::Node& node, const at::Tensor& like);
  Mark shape_mark(ir::ValueId id);
  void append(ir::Node node);
  Mark mark_of_results(const ir::Node& node);
  ir::Attr attribute(const c10::IValue& value, const c10::Argument& argument, const Marks& marks,
                     Location location, const TensorReader& reader);
  void bind_view(const at::Tensor& output, ir::ValueId value, const std::shared_ptr<OpCall>& call,
                 size_t index);

  // recorder_writes.cpp, recorder_scatter.cpp
  void check_view(const TensorInfo& entry) const;
  ir::ValueId read(int entry);
  ir::ValueId refresh(int entry);
  void flush_write(Root& root);
  void write_to_root(int entry, ir::ValueId value, Location location);
  void write(int entry, ir::ValueId value, Location location);
  std::optional<ir::ValueId> scatter_back_complex(std::string_view op, ir::ValueId base,
                                                  ir::ValueId source, Location location);
  ir::ValueId scatter_back(const TensorInfo& view, ir::ValueId base, ir::ValueId source,
                           Location location);
  ir::ValueId sized_as(const TensorInfo& entry) const;
  ir::ValueId scatter_indices(const at::Tensor& base_indices, const at::Tensor& indices,
                              const TensorInfo& base, ir::ValueId source, Location location);
  ir::ValueId emit(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                   const ir::Ints& shape, Location location);
  void replace_view(const at::Tensor& tensor, const OpCall& call);
  std::vector<ir::ValueId> written_values(OpCall call, const std::vector<at::Tensor>& written,
                                          const std::string& functional);
  ir::ValueId index_constant(const at::Tensor& tensor, Location location);
  loops::Rerolling& rerolling_;
  ir::Graph& graph_;
  ir::Naming& naming_;
  bool keep_sizes_;
  AliasTable aliases_;
  std::vector<int> written_views_;  ///< Root::writer of all roots, and earlier writers
  Constants constants_;
  Regions regions_;
  Layouts layouts_;
  std::vector<Mark> value_marks_;                               ///< per value
  std::unordered_map<ir::ValueId, std::vector<Mark>> numbers_;  ///< see numbers()
};

}  // namespace t2n::trace
