// SPDX-License-Identifier: Apache-2.0
// The Emitter's state while a document grows; private to this folder (tests/fence).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op_table.h"
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

/// Data-dependent sizes of a document (unbacked_sizes.cpp).
struct UnbackedState {
  struct Size {
    Ref indices;  ///< [count], or [rank, count]; none is negative
    Ref mask;     ///< the tensor whose nonzero elements are counted
    std::optional<Ref> count = {};
  };
  std::map<std::string, Size> sizes;                  ///< those that are defined, by name
  std::map<int, std::set<std::string>> dependent_on;  ///< per identifier: the sizes it depends on
  std::set<std::string> undefined;                    ///< of refused operations; outermost
  std::set<size_t> emitted_assertions;
  std::optional<Ref> failed_assertions;  ///< 0 if all assertions hold, else more
};

/// The body of a scan (emitter_body.cpp).
struct BodyState {
  /// An outer tensor that the body reads: its parameter in the body, and the tensor.
  struct Capture {
    Ref inner;
    Ref outer;
  };
  Emitter::State* outer = nullptr;  ///< null outside of bodies
  std::optional<Ref> iteration;     ///< the iteration number, a state in f32
  std::optional<Ref> zero;          ///< with inner scans: a state that is always 0
  std::vector<Ref> inner_results;   ///< of those scans, one each
  std::vector<Capture> captures;
};

struct Emitter::State : tract_forms::TractDraft {
  /// `outer`: the outer document's state, if this is the body of a scan.
  State(const ir::Graph& graph_in, const target::Target& target_in, State* outer);

  const ir::Graph& graph;
  std::vector<int> of_value;        ///< per IR value: its entry or -1
  std::vector<int> constant_index;  ///< per IR value: index in graph.constants or -1
  std::vector<int> use_counts;
  const ir::Node* node = nullptr;               ///< the node being translated
  std::vector<const ir::Node*> location_nodes;  ///< per entry of notes.locations
  int first_of_node = 0;                        ///< the first entry of this node
  bool is_incomplete = false;  ///< contains placeholders: its statements are unusable
  UnbackedState unbacked;
  BodyState body;
  std::shared_ptr<const NanAnalysis> nan;  ///< computed on first use (nan.cpp)
  std::map<ir::Symbol, Ref> carriers;      ///< tensors that pass sizes to bodies (body_sizes.cpp)
  int scans = 0;  ///< fragments made for bodies so far; kept in the outermost state
  /// Facts about operators; set once, in the outermost state.
  const ir::OpTable* operators = nullptr;
  /// Translates all operations of a graph; set once, in the outermost state.
  std::function<void(const ir::Graph& graph, Emitter& emitter)> translate_nodes;

  /// Starts the translation of a node, or ends it.
  void begin(const ir::Node* next);
  State& outermost();
  int64_t at_sample(const Dim& size) const;
  /// Whether two sizes may be equal: expressions are compared at the sample.
  bool agrees(const Dim& a, const Dim& b) const;
  bool agrees(const Shape& a, const Shape& b) const;
  /// Resolves names; the names of symbols are reserved.
  void resolve_names();
  /// Gives placeholders to the outputs of an operation that failed, for later operations.
  void add_placeholders(const ir::Node& failed);
};

/// An identifier that no other result has; `taken`: those of other results.
Ref result_identifier(Emitter& emitter, Ref ref, std::set<int>& taken);

/// Refuses dtypes that the target lacks; `what` names the tensor in the message.
void check_dtype(DType dtype, std::string_view what, const target::Target& target);

/// The fragment of ops/fragments with this name, or nullptr.
const nnef::Fragment* find_fragment(std::string_view name);

}  // namespace t2n::ops
