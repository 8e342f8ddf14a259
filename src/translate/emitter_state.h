// The Emitter's state while a document grows; private to this folder (tests/fence).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/tract_forms/tract_draft.h"
#include "src/translate/emitter.h"
#include "src/translate/nan.h"
#include "src/translate/sizes.h"

namespace t2n::ops {

using draft::for_each_id;
using draft::is_loaded;
using draft::is_zero;
using draft::kLargeBytes;
using draft::TensorEntry;
using draft::type_str;
using draft::without_broadcast_axes;

struct Emitter::State : tract_forms::TractDraft {
  /// `outer_in`: the outer document's state, if this is the body of a scan.
  State(const ir::Graph& graph_in, const target::Target& target_in, State* outer_in);

  const ir::Graph& graph;
  State* outer;
  std::vector<int> of_value;        ///< per IR value: its entry or -1
  std::vector<int> constant_index;  ///< per IR value: index in graph.constants or -1
  std::vector<int> use_counts;
  const ir::Node* node = nullptr;               ///< the node being translated
  std::vector<const ir::Node*> location_nodes;  ///< per entry of notes.locations
  int first_of_node = 0;                        ///< the first entry of this node
  /// Starts the translation of a node, or ends it.
  void begin(const ir::Node* next);

  int64_t at_sample(const Dim& size) const;
  /// Whether two sizes may be equal: expressions are compared at the sample.
  bool agrees(const Dim& a, const Dim& b) const;
  bool agrees(const Shape& a, const Shape& b) const;

  Ref copied(Emitter& emitter, Ref ref);
  /// An identifier that no other result has; `taken`: those of other results.
  Ref result_identifier(Emitter& emitter, Ref ref, std::set<int>& taken);
  void add_outputs(Emitter& emitter);
  /// Resolves names; the names of symbols are reserved.
  void resolve_names();

  /// Gives placeholders to the outputs of an operation that failed, for later operations.
  void add_placeholders(const ir::Node& failed);
  std::shared_ptr<const NanAnalysis> nan;  ///< computed on first use (nan.cpp)

  // Data-dependent sizes (unbacked_sizes.cpp).
  struct UnbackedSize {
    Ref indices;  ///< [count], or [rank, count]; none is negative
    Ref mask;     ///< the tensor whose nonzero elements are counted
    std::optional<Ref> count;
  };
  std::map<std::string, UnbackedSize> unbacked_sizes;  ///< by the name of the size
  std::map<int, std::set<std::string>> dependent_on;   ///< per identifier: the sizes it depends on
  std::set<std::string> undefined_sizes;               ///< those of refused operations; outermost
  std::set<size_t> emitted_assertions;
  std::optional<Ref> failed_assertions;  ///< 0 if all assertions hold, else more

  bool is_incomplete = false;  ///< contains placeholders: its statements are unusable

  // Bodies of scans (emitter_body.cpp).
  /// An outer tensor that a body reads: its parameter in the body, and the tensor.
  struct Capture {
    Ref inner;
    Ref outer;
  };
  std::optional<Ref> iteration;    ///< in a body: the iteration number, a state in f32
  std::optional<Ref> zero;         ///< in a body with inner scans: a state that is always 0
  std::vector<Ref> inner_results;  ///< of those scans, one each
  std::vector<Capture> captures;
  std::map<ir::Symbol, Ref> carriers;  ///< tensors that pass sizes to bodies (body_sizes.cpp)
  int scans = 0;  ///< fragments made for bodies so far; kept in the outermost state
  /// Translates all operations of a graph; set once, in the outermost state.
  std::function<void(const ir::Graph& graph, Emitter& emitter)> translate_nodes;
  State& outermost();
  /// A parameter of the fragment.
  Ref add_parameter(std::string_view name, DType dtype, const Shape& shape, bool varies);
  /// An outer tensor inside the body: constants stay constants, others become parameters.
  Ref capture(Ref outside);
  /// `x`, which is loop-invariant, in a form that tract does not recognise as such.
  Ref varying(Emitter& emitter, Ref x);
  /// Makes constant factors vary. tract drops the other operand of a factor 0, and takes a state
  /// that an integer multiplies or divides for a multiple; both lead to contradictions later.
  void add_constant_barriers(Emitter& emitter, std::vector<Ref>& factors);
  /// `x`, which varies between iterations, broadcast to `shape`.
  Ref broadcast_varying(Emitter& emitter, Ref x, const Shape& shape);
  /// Moves loop-invariant statements to the outer document.
  void hoist();
};

/// Refuses dtypes that the target lacks; `what` names the tensor in the message.
void check_dtype(DType dtype, std::string_view what, const target::Target& target);

/// The fragment of ops/fragments with this name, or nullptr.
const nnef::Fragment* find_fragment(std::string_view name);

}  // namespace t2n::ops
