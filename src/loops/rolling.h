// A graph that is recorded operation by operation. Its loops become scans when they end.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/building.h"
#include "src/loops/record.h"
#include "src/loops/scan_values.h"

namespace t2n::loops {

/// A part of a list: single values, or consecutive iterations of a family.
struct Segment {
  std::vector<ir::ValueId> values;
  std::optional<Instance> first;
  int64_t count = 0;
  bool reversed = false;
};

/// What came into a graph since somebody asked before.
struct Additions {
  std::span<const ir::Node> nodes;    ///< in the graph's order
  std::vector<ir::ValueId> of_scans;  ///< results that scans received
};

/// Appends operations to a graph. A loop's iterations are appended one after another, compared when
/// the loop ends, and replaced by one `t2n::scan`. Values of iterations remain known: later
/// operations may read the first and the last, and join all of them. Errors: `dynamic-loop`.
class Rolling {
 public:
  Rolling(ir::Graph& graph, ir::Naming& naming) : graph_(graph), naming_(naming) {}

  ir::Graph& graph() { return graph_; }
  ir::Naming& naming() { return naming_; }

  /// Appends the node, after what it needs; nothing if a scan already gives its result.
  void append(ir::Node node);
  /// Appends an operation with one result.
  ir::ValueId emit(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                   const ir::Shape& shape, ir::Location place);
  /// An equal value that the graph computes.
  ir::ValueId settled(ir::ValueId id, ir::Location place);
  /// All that came since the last call; the nodes of a loop that ended since, in their new form.
  Additions take_additions();

  void begin_loop(const ir::Symbol& number);
  void end_iteration();
  /// `length`: the number of iterations, over sizes.
  Rolled end_loop(const ir::Dim& length, ir::Location place);
  /// Running loops, outermost first.
  const std::vector<LoopRecord>& open() const { return open_; }

  /// The value that a replaced one equals now.
  ir::ValueId resolved(ir::ValueId id) const { return values_.resolved(id); }
  /// Whether the scan of an ended loop computes it.
  bool is_of_scan(ir::ValueId id) const { return values_.instance(resolved(id)) != nullptr; }
  std::optional<Origin> origin(ir::ValueId id) const;
  /// Whether the value is the same for all that follows: an iteration's exists in it only.
  bool is_there(ir::ValueId id) const;
  /// Values from this one on were made by the running iteration.
  ir::ValueId iteration_begins() const { return iteration_begins_; }
  /// Whether an operation made the value when `first` or a later id was the next one.
  bool is_made_since(ir::ValueId first, ir::ValueId id) const;

  // Used to replace a loop.
  ScanValues& values() { return values_; }
  void add_scan(ir::Node scan);
  /// The output of a scan that holds all iterations of a family along an axis. A new output gets
  /// the id `wanted`, if given.
  ir::ValueId stacked(size_t family, int64_t axis, bool reversed, ir::ValueId wanted);

 private:
  void settle(ir::Node& node);
  ir::ValueId materialise(ir::ValueId id, const Instance& instance, ir::Location place);
  bool is_local(const Family& family) const;
  ir::Node& scan_of(const Family& family);

  // joins.cpp
  std::vector<Segment> segments(const std::vector<ir::ValueId>& ids) const;
  bool settle_join(ir::Node& node);
  ir::ValueId piece(const Segment& segment, bool is_stack, int64_t dim, ir::ValueId wanted,
                    ir::Location place);
  ir::ValueId squeezed(size_t family, int64_t dim);

  ir::Graph& graph_;
  ir::Naming& naming_;
  ScanValues values_;
  std::vector<LoopRecord> open_;
  /// For operations with several results: the first one, and the index.
  std::unordered_map<ir::ValueId, std::pair<ir::ValueId, int64_t>> part_of_;
  ir::ValueId iteration_begins_ = 0;
  int64_t tags_ = 0;                ///< how many iterations had one
  size_t taken_ = 0;                ///< nodes of the graph that take_additions() gave
  std::vector<ir::ValueId> given_;  ///< results that scans received since then
};

}  // namespace t2n::loops
