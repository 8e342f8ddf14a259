// Records what the program does to tensors, as a graph without aliases or writes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "src/loops/rolling.h"
#include "src/trace/alias_table.h"
#include "src/trace/call.h"
#include "src/trace/constants.h"
#include "src/trace/layouts.h"
#include "src/trace/marks.h"
#include "src/trace/regions.h"

namespace t2n::trace {

/// Appends all nodes to the graph while a model runs, and adds constants through `Constants`. A
/// view remembers its base. A write makes a new version of the root; other views become stale and
/// are taken again when they are read.
class Recorder {
 public:
  Recorder(loops::Rolling& rolling, const ModuleNames& names,
           std::shared_ptr<const model_file::Mapping> mapping, bool pages_may_differ,
           bool name_constants_by_use, bool keep_sizes);

  void add_input(const at::Tensor& tensor, const std::string& name);
  /// Reads the operands. `marks`: those of containers among the operands; numbers carry their own.
  /// Errors: `data-dependent-value`, `unsupported-dtype`.
  OpCall prepare(const torch::jit::Operator& op, Run run, const torch::jit::Stack& inputs,
                 const Marks& marks, Location place);
  /// Called after an operation without writes. At least one of `outputs` is a tensor not yet known.
  void record(OpCall call, const std::vector<at::Tensor>& outputs);
  /// Called after an operation whose schema writes to some of its arguments.
  void record_write(OpCall call, const std::vector<at::Tensor>& outputs);

  const AliasTable& aliases() const { return aliases_; }
  PackedParameters& packed() { return constants_.packed(); }
  /// The name of the input that the tensor is, or shows a part of; "" for others.
  std::string input_of(const at::Tensor& tensor) const;
  /// Whether all that follows may read the tensor: an iteration's exists only in it.
  bool is_there(const at::Tensor& tensor) const;
  /// The current value of a tensor; a tensor never seen before is a constant of the model.
  ir::ValueId value(const at::Tensor& tensor, Location place, const std::string& use = {});
  ir::ValueId sized_value(const at::Tensor& tensor, Location place);
  /// What its values follow from: an input's data, sizes (opaque), or null for the model alone.
  Mark mark(const at::Tensor& tensor) const;
  /// The exact numbers over sizes that a tensor holds, null for plain ones; empty if not known.
  std::vector<Mark> numbers(const at::Tensor& tensor) const;
  void set_numbers(const at::Tensor& tensor, std::vector<Mark> marks);
  /// The sizes of results follow from values of tensors; `by_rank`: so does the number of axes.
  void open_shapes(const std::vector<at::Tensor>& outputs, const torch::jit::Stack& inputs,
                   bool by_rank);
  /// Marks a tensor that torch changed in an unrecorded way: it must not be read.
  void lose(const at::Tensor& tensor, Location place);
  void forbid_writes(const std::vector<AliasTable::Choice>& choices,
                     const std::vector<at::Tensor>& given, size_t known) {
    aliases_.forbid_writes(choices, given, known);
  }
  /// Contiguity decided whether the operation gave a view of `tensor` or a copy.
  void relies_on_layout(const std::string& op, const at::Tensor& tensor, const at::Tensor& result);
  std::vector<ir::Comparison> shared_where(const at::Tensor& tensor) const;
  /// The conditions, as far as sizes decide it, under which a tensor is contiguous.
  std::vector<ir::Comparison> layout_conditions(const at::Tensor& tensor);
  /// The conditions that writes rely on.
  Places& places() { return places_; }
  /// Gives writes through views to the tensors that these show: at the borders of iterations.
  void settle_writes();
  void end_iteration();  ///< called after each of a loop that becomes one scan
  /// Marks what came into the graph. Called after the iterations of a loop were replaced.
  void mark_additions();

 private:
  Mark entry_mark(int entry) const;
  int entry_of(const at::Tensor& tensor, Location place, const std::string& use);
  ir::ValueId new_value(const ir::Node& node, const at::Tensor& like);
  Mark shape_mark(ir::ValueId id);
  void append(ir::Node node);
  Mark mark_of_results(const ir::Node& node);
  ir::Attr attribute(const c10::IValue& value, const c10::Argument& argument, const Marks& marks,
                     Location place, const Use& use);
  void bind_view(const at::Tensor& output, ir::ValueId value, const std::shared_ptr<OpCall>& call,
                 size_t index);

  // functionalise.cpp, scatter_back.cpp
  void check_view(const TensorInfo& entry) const;
  ir::ValueId read(int entry);
  ir::ValueId refresh(int entry);
  void settle_write(Root& root);
  void write_to_root(int entry, ir::ValueId value, Location place);
  void write(int entry, ir::ValueId value, Location place);
  std::optional<ir::ValueId> scatter_back_complex(std::string_view op, ir::ValueId base,
                                                  ir::ValueId source, Location place);
  ir::ValueId scatter_back(const TensorInfo& view, ir::ValueId base, ir::ValueId source,
                           Location place);
  ir::Shape shape_of(ir::ValueId value);
  ir::ValueId scatter_positions(const at::Tensor& whole, const at::Tensor& positions,
                                ir::ValueId base, ir::ValueId source, Location place);
  ir::ValueId emit(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                   const ir::Ints& shape, Location place);
  void replace_view(const at::Tensor& tensor, const OpCall& call);
  std::vector<ir::ValueId> written_values(OpCall call, const std::vector<at::Tensor>& written,
                                          const std::string& functional);
  ir::ValueId index_constant(const at::Tensor& tensor, Location place);
  loops::Rolling& rolling_;
  ir::Graph& graph_;
  ir::Naming& naming_;
  bool keep_sizes_;
  AliasTable aliases_;
  std::vector<int> written_views_;  ///< Root::writer of all roots, and earlier ones
  Constants constants_;
  Places places_;
  Layouts layouts_;
  std::vector<Mark> value_marks_;                               ///< per value
  std::unordered_map<ir::ValueId, std::vector<Mark>> numbers_;  ///< see numbers()
};

}  // namespace t2n::trace
