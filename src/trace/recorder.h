// Writes down what the program does to tensors, as a graph without aliases or writes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "src/loops/note_taker.h"
#include "src/loops/rolling.h"
#include "src/model_file/mapping.h"
#include "src/trace/call.h"
#include "src/trace/loop_record.h"
#include "src/trace/marks.h"
#include "src/trace/names.h"
#include "src/trace/packed.h"
#include "src/trace/track.h"

namespace t2n::trace {

struct Box;

/// Tensors are told apart by their TensorImpl. A view remembers its base; a write makes a new
/// version of the root and leaves the other views stale until they are read again.
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

  bool knows(const at::Tensor& tensor) const;
  /// Current value of a tensor; one never seen is a constant of the model.
  ir::ValueId value(const at::Tensor& tensor, Place place, const std::string& use = {});
  /// What its values follow from: data of an input, sizes (opaque), or null for the model alone.
  Mark mark(const at::Tensor& tensor) const;
  /// Of a tensor of rank 0 that is a number over sizes, exactly that.
  Mark number_mark(const at::Tensor& tensor) const;
  void set_number(const at::Tensor& tensor, Mark mark);
  /// Whether its sizes may follow from values of tensors.
  bool is_open_shape(const at::Tensor& tensor) const;
  bool has_open_shape(const torch::jit::Stack& inputs) const;
  /// `by_rank`: how many axes a result has follows from sizes.
  void open_shapes(const std::vector<at::Tensor>& outputs, const torch::jit::Stack& inputs,
                   bool by_rank);
  bool is_open_rank(const at::Tensor& tensor) const;
  /// A tensor that torch has changed in a way that the graph does not hold: it must not be read.
  void lose(const at::Tensor& tensor, Place place);
  /// The contiguous tensor that a view's memory belongs to, if the program still has it.
  std::optional<at::Tensor> owner(const at::Tensor& tensor) const;
  /// Changes with every write to a tensor's memory.
  int64_t version(const at::Tensor& tensor) const;
  bool is_choice(const at::Tensor& tensor) const;
  /// Whether a rolled loop computed it in one of its iterations.
  bool is_of_iteration(const at::Tensor& tensor) const;
  /// Whether a loop that is being recorded computed it.
  bool is_of_open_loop(const at::Tensor& tensor) const;
  /// Whether these, each with a place, are results of one operation, or of one in the iterations
  /// of a loop, in the order of their places.
  bool are_made_in_order(const std::vector<std::pair<int64_t, at::Tensor>>& placed) const;
  /// How much memory is known, to tell older from younger.
  size_t roots() const { return roots_.size(); }
  /// Of a choice and what it chose between: torch gives one of them itself, the file a third.
  /// Nothing may be written to them, unless they were made later than `known`, each for itself.
  void forbid_writes(const std::vector<at::Tensor>& choice, size_t known);
  /// Whether contiguity lets an operation give a view of `tensor` or a copy was seen on
  /// `tensor` and `result`: a write to either is right only where it is as in this run.
  void relies_on_layout(const at::Tensor& tensor, const at::Tensor& result);
  /// What contiguity of a tensor follows from, as far as sizes decide it.
  std::vector<ir::Comparison> layout_conditions(const at::Tensor& tensor);
  /// What the writes since the last call rely on.
  std::vector<ir::Comparison> take_relied() { return std::exchange(relied_, {}); }
  /// Sizes that decide in a way which nobody can say whether they read what they write.
  std::vector<ir::Dim> take_overlaps() { return std::exchange(overlaps_, {}); }
  /// The size of a value as a symbol of its own.
  ir::Dim size_symbol(ir::ValueId value, int64_t axis) {
    return ir::size_symbol(graph_, value, axis);
  }

  /// Of loops that stay as they run.
  loops::NoteTaker& notes() { return notes_; }
  // Loops that become one scan (src/loops): their iterations are recorded one after the other,
  // compared at the end, and replaced. Errors: `dynamic-loop`.
  void begin_loop(const ir::Symbol& number);
  void end_iteration();
  /// `length`: how many iterations there are, over sizes.
  loops::Rolled end_loop(const ir::Dim& length, Place place);
  /// When an iteration of the innermost loop ends.
  IterationEnd left_by_iteration(const at::Tensor& tensor) const;
  /// After the loop: the value that its iterations passed on, or that is the same in all of them;
  /// nothing for one that its scan gives.
  std::optional<IterationEnd> from_outside(const IterationEnd& end) const;

 private:
  // recorder_loops.cpp
  std::optional<loops::Origin> origin(const at::Tensor& tensor) const;
  void check_view(const Track& track) const;

  // recorder.cpp
  int find(const at::Tensor& tensor) const;
  Mark track_mark(int track) const;
  int add_track(const at::Tensor& tensor, ir::ValueId value, int parent,
                std::shared_ptr<const View> view);
  int track_of(const at::Tensor& tensor, Place place, const std::string& use);
  ir::ValueId constant(const at::Tensor& tensor, Place place, const std::string& use);
  ir::ValueId new_value(const ir::Node& node, const at::Tensor& like);
  Mark shape_mark(ir::ValueId id);
  void append(ir::Node node);
  void mark_new_nodes();
  Mark mark_of_results(const ir::Node& node);
  ir::Attr attribute(const c10::IValue& value, const c10::Argument& argument, const Marks& marks,
                     Place place, const Use& use);
  void bind_view(const at::Tensor& output, ir::ValueId value, const std::shared_ptr<OpCall>& call,
                 size_t index);

  // places.cpp
  Box box_of(int track, int base);
  void rely_on_sizes(int track, int base);
  void rely_on_places(const std::string& name, const at::Tensor& written,
                      const torch::jit::Stack& inputs);

  // functionalise.cpp
  ir::ValueId refresh(int track);
  bool repeats(int track) const;
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
  const ModuleNames& names_;
  PackedParameters packed_;
  std::shared_ptr<const model_file::Mapping> mapping_;
  bool pages_may_differ_;
  bool name_constants_by_use_;
  bool keep_sizes_;
  std::vector<Track> tracks_;
  std::vector<Root> roots_;
  std::unordered_map<const c10::TensorImpl*, int> by_tensor_;
  std::unordered_map<const c10::StorageImpl*, int> by_storage_;
  std::vector<Mark> value_marks_;                  ///< per value
  std::unordered_map<ir::ValueId, Mark> numbers_;  ///< of values of rank 0: exact ones
  ir::Naming naming_;
  std::unordered_multimap<size_t, ir::ValueId> small_constants_;  ///< by hash of their content
  loops::NoteTaker notes_;
  loops::Rolling rolling_;
  size_t marked_nodes_ = 0;  ///< of the graph: what their results follow from is known
  std::vector<ir::Comparison> relied_;
  std::vector<ir::Dim> overlaps_;
  int64_t iteration_ = 0;  ///< counts the iterations of all loops
};

}  // namespace t2n::trace
