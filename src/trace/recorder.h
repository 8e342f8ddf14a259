// Writes down what the program does to tensors, as a graph without aliases or writes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "src/loops/note_taker.h"
#include "src/loops/rolling.h"
#include "src/trace/call.h"
#include "src/trace/constants.h"
#include "src/trace/marks.h"
#include "src/trace/origins.h"
#include "src/trace/places.h"

namespace t2n::trace {

/// Adds all nodes and values to the graph while a model runs, constants through `Constants`. A view
/// remembers its base; a write makes a new version of the root and leaves the other views stale
/// until they are read again.
class Recorder {
 public:
  Recorder(ir::Graph& graph, const ModuleNames& names,
           std::shared_ptr<const model_file::Mapping> mapping, bool pages_may_differ,
           bool name_constants_by_use, bool keep_sizes);

  void add_input(const at::Tensor& tensor, const std::string& name);
  /// Reads the operands. Errors: `data-dependent-value`, `unsupported-dtype`.
  /// `marks` of the operands' containers; numbers carry their own.
  OpCall prepare(const torch::jit::Operator& op, Run run, const torch::jit::Stack& inputs,
                 const Marks& marks, Place place);
  /// After an operation without writes: `outputs` holds at least one tensor not known yet.
  void record(OpCall call, const std::vector<at::Tensor>& outputs);
  /// After an operation whose schema writes to some of its arguments.
  void record_write(OpCall call, const std::vector<at::Tensor>& outputs);

  const Tracks& tracks() const { return tracks_; }
  /// Which iterations of rolled loops made what.
  Origins origins() const { return {tracks_, rolling_}; }
  /// Current value of a tensor; one never seen is a constant of the model.
  ir::ValueId value(const at::Tensor& tensor, Place place, const std::string& use = {});
  /// What its values follow from: data of an input, sizes (opaque), or null for the model alone.
  Mark mark(const at::Tensor& tensor) const;
  /// Of a tensor of rank 0 that is a number over sizes, exactly that.
  Mark number_mark(const at::Tensor& tensor) const;
  void set_number(const at::Tensor& tensor, Mark mark);
  /// The sizes of results follow from values of tensors; `by_rank`: the number of their axes, too.
  void open_shapes(const std::vector<at::Tensor>& outputs, const torch::jit::Stack& inputs,
                   bool by_rank);
  /// A tensor that torch has changed in a way that the graph does not hold: it must not be read.
  void lose(const at::Tensor& tensor, Place place);
  /// See Tracks.
  void forbid_writes(const std::vector<Tracks::Choice>& choices,
                     const std::vector<at::Tensor>& given, size_t known) {
    tracks_.forbid_writes(choices, given, known);
  }
  /// Whether contiguity lets an operation give a view of `tensor` or a copy was seen on
  /// `tensor` and `result`: a write to either is right only where it is as in this run.
  void relies_on_layout(const at::Tensor& tensor, const at::Tensor& result);
  /// What contiguity of a tensor follows from, as far as sizes decide it.
  std::vector<ir::Comparison> layout_conditions(const at::Tensor& tensor);
  /// What writes rely on.
  Places& places() { return places_; }
  /// Of loops that stay as they run.
  loops::NoteTaker& notes() { return notes_; }
  // Loops that become one scan (src/loops): their iterations are recorded one after the other,
  // compared at the end, and replaced. Errors: `dynamic-loop`.
  void begin_loop(const ir::Symbol& number);
  void end_iteration();
  /// `length`: how many iterations there are, over sizes.
  loops::Rolled end_loop(const ir::Dim& length, Place place);

 private:
  Mark track_mark(int track) const;
  int track_of(const at::Tensor& tensor, Place place, const std::string& use);
  ir::ValueId new_value(const ir::Node& node, const at::Tensor& like);
  Mark shape_mark(ir::ValueId id);
  void append(ir::Node node);
  void mark_new_nodes();
  Mark mark_of_results(const ir::Node& node);
  ir::Attr attribute(const c10::IValue& value, const c10::Argument& argument, const Marks& marks,
                     Place place, const Use& use);
  void bind_view(const at::Tensor& output, ir::ValueId value, const std::shared_ptr<OpCall>& call,
                 size_t index);

  // functionalise.cpp, scatter_back.cpp
  void check_view(const Track& track) const;
  ir::ValueId refresh(int track);
  void write_to_root(int track, ir::ValueId value, Place place);
  void write(int track, ir::ValueId value, Place place);
  std::optional<ir::ValueId> scatter_back_complex(std::string_view op, ir::ValueId base,
                                                  ir::ValueId source, Place place);
  ir::ValueId scatter_back(const Track& view, ir::ValueId base, ir::ValueId source, Place place);
  ir::Shape shape_of(ir::ValueId value);
  ir::ValueId scatter_positions(const at::Tensor& whole, const at::Tensor& positions,
                                ir::ValueId base, ir::ValueId source, Place place);
  ir::ValueId emit(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                   const ir::Ints& shape, Place place);
  void replace_view(const at::Tensor& tensor, const OpCall& call);
  std::vector<ir::ValueId> written_values(OpCall call, const std::vector<at::Tensor>& written,
                                          const std::string& functional);
  ir::ValueId index_constant(const at::Tensor& tensor, Place place);

  ir::Graph& graph_;
  bool keep_sizes_;
  Tracks tracks_;
  ir::Naming naming_;
  Constants constants_;
  Places places_;
  std::vector<Mark> value_marks_;                  ///< per value
  std::unordered_map<ir::ValueId, Mark> numbers_;  ///< of values of rank 0: exact ones
  loops::NoteTaker notes_;
  loops::Rolling rolling_;
  size_t marked_nodes_ = 0;  ///< of the graph: what their results follow from is known
};

}  // namespace t2n::trace
