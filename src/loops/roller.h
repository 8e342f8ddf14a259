// Turns the recorded iterations of a loop into one scan.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/loops/iteration.h"
#include "src/loops/parts.h"
#include "src/loops/rolling.h"

namespace t2n::loops {

/// Replaces the iterations of a loop by a scan, if all are equal; only the first one may differ.
class Roller {
 public:
  Roller(Rolling& rolling, LoopRecord loop);
  Rolled run();

 private:
  using Ids = IterationValues;
  // The iterations.
  void simplify();
  void take_growing();
  bool is_growing(size_t position, size_t part) const;
  bool simplify_node(const ir::Node& node);
  void index();
  const ir::Node& node(int64_t iteration, size_t position) const;
  Ids column(size_t position, size_t output) const;
  int64_t iterations() const { return static_cast<int64_t>(bounds_.size()) - 1; }
  const ir::Value& outer(ir::ValueId id) const;

  // One iteration as a graph. All of these throw a Mismatch if the iterations differ.
  void build(int64_t start);
  void add_node(size_t position);
  void check_same(size_t position) const;
  std::vector<Ids> operands(size_t position) const;
  bool is_invariant(size_t position) const;
  bool add_slice(size_t position);
  void add_body_node(size_t position);
  ir::ValueId operand(const Ids& ids);
  std::optional<ir::ValueId> outside(const Ids& ids) const;
  std::optional<Spot> own(const Ids& ids) const;
  std::optional<Slices> run_of(const Ids& ids);
  ir::ValueId captured(ir::ValueId id);
  ir::ValueId scanned(Slices slices, const std::string& name);
  ir::ValueId state(const Ids& ids);
  void resolve_states();
  std::map<std::string, std::string> names_in(int64_t iteration) const;
  void check_arguments() const;
  void check_attr(const ir::Node& at, const ir::Attr& first, const ir::Attr& other,
                  const std::map<std::string, std::string>& names, int64_t iteration) const;
  ir::Dim renamed(const ir::Dim& dim, const std::map<std::string, std::string>& names,
                  int64_t iteration) const;
  void check_body(const ir::Node& at, const ir::Graph& first, const ir::Graph& other,
                  int64_t iteration) const;
  ir::ValueId number_value(const ir::Dim& dim, const ir::Node& beside);
  void use_number(ir::Node& node, const ir::Node& recorded);
  void find_filled();
  std::optional<Filled> filled(size_t state);
  ir::ValueId body_node(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                        const ir::Shape& shape, const ir::Node& beside);
  ir::ValueId body_value(const std::string& name, ir::DType dtype, const ir::Shape& shape);
  ir::ValueId body_value_like(const ir::Value& value);

  void drop_unread_views(const std::vector<ir::ValueId>& next);

  // roll_replace.cpp: puts the scan in place of the iterations.
  ir::Dim length() const { return loop_.length - ir::Dim(start_); }
  void replace();
  void settle_number(ir::Node& node, int64_t iteration) const;
  void forget_names();
  ir::ValueId parted(ir::ValueId whole, const Slices& slices);
  ir::ValueId slice_outside(const Slices& slices);
  std::optional<ir::Dim> begin_of(ir::ValueId whole, int64_t axis, const ir::Dim& first,
                                  bool reversed);
  ir::Node scan_node(const Ids& sliced);
  void add_body_output(ir::ValueId id);
  bool is_filled(size_t state) const;
  ir::ValueId last_of(size_t state) const;
  ir::ValueId state_output(size_t state, const Ids& taken);
  void name_instances(const std::vector<ir::Node>& nodes);
  void define_filled(const Filled& each);
  void define_growing(const Growing& each);
  std::optional<int64_t> sample(const ir::Dim& dim) const;

  Rolling& rolling_;
  ir::Graph& graph_;
  ScanValues& values_;
  ir::Naming& naming_;
  const LoopRecord loop_;
  std::vector<size_t> bounds_;
  std::unordered_map<ir::ValueId, Spot> spots_;
  std::unordered_map<ir::ValueId, std::pair<size_t, size_t>> unbound_;  ///< of several outputs
  std::unordered_set<ir::ValueId> read_;                                ///< in any iteration

  int64_t start_ = 0;
  std::shared_ptr<ir::Graph> body_;
  std::unordered_set<std::string> body_names_;
  ir::ValueId number_ = ir::kNoValue;
  /// By node and output; kNoValue for slices that are only written through.
  std::map<std::pair<size_t, size_t>, ir::ValueId> inner_;
  std::vector<bool> hoisted_;  ///< by node
  std::vector<Slices> slices_;
  std::vector<CarriedState> states_;
  std::vector<std::pair<ir::ValueId, ir::ValueId>> captured_;  ///< outside, inside
  std::map<ir::ValueId, ir::ValueId> constants_;               ///< outside, inside; of constants
  std::vector<Filled> filled_;
  std::vector<Growing> growing_;
  std::vector<Ids> node_outputs_;  ///< of the last iteration
  std::unordered_set<ir::ValueId> defined_;
};

}  // namespace t2n::loops
