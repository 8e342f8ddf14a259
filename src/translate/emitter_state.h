// What the Emitter remembers while a document grows; private to this folder.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/draft/draft.h"
#include "src/translate/emitter.h"
#include "src/translate/sizes.h"

namespace t2n::ops {

using draft::for_each_id;
using draft::is_loaded;
using draft::is_zero;
using draft::kLargeBytes;
using draft::TensorEntry;
using draft::type_str;
using draft::without_repeats;

struct Emitter::State : draft::Draft {
  State(const ir::Graph& graph_in, const target::Target& target_in);

  const ir::Graph& graph;
  target::Target target;
  std::vector<int> of_value;        ///< per IR value: its entry or -1
  std::vector<int> constant_index;  ///< per IR value: index in graph.constants or -1
  std::vector<int> use_counts;
  const ir::Node* node = nullptr;            ///< the one being translated
  std::vector<const ir::Node*> place_nodes;  ///< of notes.places
  int first_of_node = 0;                     ///< entries from here on were made by it
  /// The node that is translated from here on, or none.
  void begin(const ir::Node* next);

  /// Whether operands are symbolic sizes, and constants, and nothing else.
  bool are_sizes(const std::vector<Ref>& operands);
  Ref hidden_size(Ref size);
  std::unordered_map<int, int> hidden_sizes;  ///< by the identifier that each stands for
  void hide_sizes(std::string_view op, std::vector<Ref>& operands, const Shape& shape);
  int64_t at_sample(const Dim& size) const;
  /// Whether two sizes are equal, or may be: expressions are known to differ at the sample only.
  bool agrees(const Dim& a, const Dim& b) const;
  bool agrees(const Shape& a, const Shape& b) const;

  Ref copied(Emitter& emitter, Ref ref);
  /// An identifier of its own for a result; `named` holds those that are taken.
  Ref result_identifier(Emitter& emitter, Ref ref, std::set<int>& named);
  /// Makes sure that each output has an identifier of its own.
  void add_outputs(Emitter& emitter);
  /// Names of symbols are taken.
  void resolve_names();

  /// Gives the outputs of an operation that failed something that later ones can refer to.
  void stand_in(const ir::Node& failed);
  // --- sizes that follow from values (births.cpp) ---
  struct Birth {
    Ref places;   ///< [count], or [rank, count]: places, none of them negative
    Ref counted;  ///< whose elements that are not zero are counted
    std::optional<Ref> count;
  };
  std::map<std::string, Birth> births;           ///< by the name of the size
  std::map<int, std::set<std::string>> tied_to;  ///< identifiers that follow from them, by design
  std::set<size_t> taken_demands;
  std::optional<Ref> demanded;  ///< 0, or more where a demand does not hold

  bool is_incomplete = false;  ///< something stands in: its statements are not meant to be read

  // --- bodies of scans (emitter_body.cpp) ---
  /// Something of the document around that a body reads: its parameter, and what is bound to it.
  struct Capture {
    Ref inner;
    Ref outer;
  };
  State* outer = nullptr;          ///< of the document around, if this is the body of a scan
  std::optional<Ref> iteration;    ///< in a body: the number of the iteration, a state in f32
  std::optional<Ref> zero;         ///< in a body with scans inside: a state that is always 0
  std::vector<Ref> inner_results;  ///< of those scans, one each
  std::vector<Capture> captures;
  int scans = 0;  ///< fragments made for bodies so far, counted in the outermost state
  /// Translates all operations of a graph; set once, in the outermost state.
  std::function<void(const ir::Graph& graph, Emitter& emitter)> translate_nodes;
  State& outermost();
  /// A parameter of the fragment.
  Ref add_parameter(std::string_view name, DType dtype, const Shape& shape, bool varies);
  /// A tensor of the document around, inside: a constant as such, others as a parameter.
  Ref capture(Ref outside);
  /// `x`, the same in each iteration, in a way that tract cannot tell.
  Ref varying(Emitter& emitter, Ref x);
  /// Of what a 0 makes 0 tract forgets the other operand, and a state that an integer multiplies or
  /// divides it takes for a multiple: it contradicts itself then.
  void hide_constants(Emitter& emitter, std::vector<Ref>& factors);
  /// `x`, different in each iteration, repeated along axes.
  Ref spread(Emitter& emitter, Ref x, const Shape& shape);
  /// Moves what is the same in every iteration to the document around.
  void hoist();
};

/// Refuses dtypes that the target lacks; `what` names the tensor in the message.
void check_dtype(DType dtype, std::string_view what, const target::Target& target);

/// Constants as tract reads them.
draft::Notation tract_notation();

/// What ops/fragments calls `name`, or nullptr.
const nnef::Fragment* find_fragment(std::string_view name);
inline bool is_fragment(std::string_view name) { return find_fragment(name) != nullptr; }

}  // namespace t2n::ops
