// What the Emitter remembers while a document grows; private to the core of ops.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nnef/names.h"
#include "nnef/walk.h"
#include "ops/emitter.h"
#include "ops/sizes.h"
#include "ops/tensor_entry.h"

namespace t2n::ops {

struct Emitter::State {
  State(const ir::Graph& graph_in, const target::Target& target_in);

  const ir::Graph& graph;
  target::Target target;
  nnef::Document document;
  std::deque<TensorEntry> entries;  ///< references stay valid while it grows
  std::vector<int> of_value;        ///< per IR value: its entry or -1
  std::vector<int> constant_index;  ///< per IR value: index in graph.constants or -1
  std::vector<int> use_counts;
  const ir::Node* node = nullptr;  ///< the one being translated
  int first_of_node = 0;           ///< entries from here on were made by it
  /// Results by operation and operands: what is said twice is computed once. (tract fails on a
  /// model that says the same comparison twice: "eval() called on a Dummy op".)
  std::unordered_map<std::string, std::vector<Ref>> calls;
  nnef::UniqueNames labels;
  std::unordered_map<std::string, int> written;  ///< blobs by content or place: their identifier

  TensorEntry& at(Ref ref);
  Ref add(TensorEntry entry);
  /// An identifier named after the current operation and `word`.
  Ref add_identifier(std::string_view word, DType dtype, const Shape& shape);
  /// Appends `results = op(arguments)`.
  void append(const std::vector<Ref>& results, std::string_view op,
              std::vector<nnef::Argument> arguments, std::string type = {});
  /// The same with new results, named after the operation.
  std::vector<Ref> append_call(std::string_view op, std::vector<nnef::Argument> arguments,
                               const std::vector<TensorType>& types, const std::string& type = {});
  /// Operands that broadcast, of one rank or as literals.
  std::vector<nnef::Argument> aligned_operands(Emitter& emitter, const std::vector<Ref>& operands);

  /// Whether the target is NNEF without extensions: see strict.h.
  bool is_strict() const { return target.engine == target::Engine::khronos; }
  /// The identifier behind an alias.
  Ref base(Ref ref) { return at(ref).alias < 0 ? ref : Ref{at(ref).alias}; }

  /// Whether operands are symbolic sizes, and constants, and nothing else.
  bool are_sizes(const std::vector<Ref>& operands);
  Ref hidden_size(Ref size);
  std::unordered_map<int, int> hidden_sizes;  ///< by the identifier that each stands for
  void hide_sizes(std::string_view op, std::vector<Ref>& operands, const Shape& shape);
  nnef::Value name_of(Ref ref);  ///< an identifier whose text finish() fills in
  /// As an operand: rank-0 constants as literals where exact, other constants as variables.
  nnef::Value operand(Ref ref);
  /// The identifier; a constant is written now, as `variable` or broadcast literal.
  Ref identifier(Ref ref);
  Ref write_variable(Ref ref);
  /// Writes `base`, the constant without its repeated axes, and the broadcast that restores them.
  Ref write_broadcast(Ref ref, TensorEntry base);
  Ref write_repeats(Ref ref, TensorEntry base);  ///< the same in strict NNEF

  /// The value that all elements of a constant equal, as a literal, if that is exact.
  std::optional<nnef::Value> literal(const TensorEntry& entry) const;
  Ref add_constant(ir::Tensor values, std::string name, int uses, bool is_made);
  /// True if changing how the values are stored costs nothing that matters.
  bool may_restore(const TensorEntry& entry) const;
  /// The constant `ref` stored as `values`.
  Ref restored(Ref ref, ir::Tensor values);

  int64_t at_sample(const Dim& size) const;
  /// Whether two sizes are equal, or may be: expressions are known to differ at the sample only.
  bool agrees(const Dim& a, const Dim& b) const;
  bool agrees(const Shape& a, const Shape& b) const;

  std::vector<Ref> outputs;
  Ref copied(Emitter& emitter, Ref ref);
  /// An identifier of its own for a result; `named` holds those that are taken.
  Ref own_identifier(Emitter& emitter, Ref ref, std::set<int>& named);
  /// Makes sure that each output has an identifier of its own.
  void add_outputs(Emitter& emitter);
  /// Drops statements, and their blobs, that no output needs.
  void drop_dead();
  void resolve_names();

  /// Gives the outputs of an operation that failed something that later ones can refer to.
  void stand_in(const ir::Node& failed);
  bool is_incomplete = false;  ///< something stands in: its statements are not meant to be read

  // --- bodies of scans (emitter_body.cpp) ---
  /// Something of the document around that a body reads: its parameter, and what is bound to it.
  struct Capture {
    Ref inner;
    Ref outer;
  };
  State* outer = nullptr;          ///< of the document around, if this is the body of a scan
  std::optional<Ref> turn;         ///< in a body: the number of the turn, a state in f32
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
  /// `x`, the same in each turn, in a way that tract cannot tell.
  Ref varying(Emitter& emitter, Ref x);
  /// Of what a 0 makes 0 tract forgets the other operand, and then contradicts itself.
  void hide_zeros(Emitter& emitter, std::vector<Ref>& factors);
  /// `x`, different in each turn, repeated along axes.
  Ref spread(Emitter& emitter, Ref x, const Shape& shape);
  /// Moves what is the same in every turn to the document around.
  void hoist();
};

/// Refuses dtypes that the target lacks; `what` names the tensor in the message.
void check_dtype(DType dtype, std::string_view what, const target::Target& target);

std::string type_str(DType dtype, const Shape& shape);
/// An integer, or the dimension expression in tract's spelling.
nnef::Value dim_value(const Dim& dim);

/// What ops/fragments calls `name`, or nullptr.
const nnef::Fragment* find_fragment(std::string_view name);
inline bool is_fragment(std::string_view name) { return find_fragment(name) != nullptr; }

/// Calls `visit(id)` for the identifiers in an expression whose text is not settled yet.
template <typename Visit>
void for_each_id(const nnef::Value& value, Visit&& visit) {
  nnef::walk(value, [&](const nnef::Value& v) {
    if (v.kind == nnef::Kind::identifier && v.text.empty()) visit(static_cast<int>(v.integer));
  });
}

}  // namespace t2n::ops
