// SPDX-License-Identifier: Apache-2.0
// Records a graph operation by operation. Its loops become scans when they end.
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

/// A part of a list: single values, or consecutive occurrences of a body value.
struct Segment {
  std::vector<ir::ValueId> values;
  std::optional<Occurrence> first;
  int64_t count = 0;
  bool reversed = false;
};

/// Nodes and results that were added since the last query.
struct Additions {
  std::span<const ir::Node> nodes;        ///< in the graph's order
  std::vector<ir::ValueId> scan_results;  ///< results that scans received
};

/// Appends operations to a graph. A loop's iterations are appended one after another, compared when
/// the loop ends, and replaced by one `t2n::scan`. Later operations may read the values of the
/// first and the last iteration, and stack or concatenate those of all. Errors: `dynamic-loop`.
class Rerolling {
 public:
  Rerolling(ir::Graph& graph, ir::Naming& naming) : graph_(graph), naming_(naming) {}

  ir::Graph& graph() { return graph_; }
  ir::Naming& naming() { return naming_; }

  /// Appends the node, after the operations it needs; nothing if a scan already gives its result.
  void append(ir::Node node);
  /// Appends an operation with one result.
  ir::ValueId emit(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                   const ir::Shape& shape, ir::Location location);
  /// An equal value that a node of the graph computes.
  ir::ValueId materialised(ir::ValueId id, ir::Location location);
  /// What was added since the last call. Nodes of a loop that has ended since are those of its
  /// scan.
  Additions take_additions();

  void begin_loop(const ir::Symbol& number);
  void end_iteration();
  /// `length`: the number of iterations, over sizes.
  /// `pads_rest`: see LoopRecord.
  Rerolled end_loop(const ir::Dim& length, ir::Location location, bool pads_rest = false);
  /// Running loops, outermost first.
  const std::vector<LoopRecord>& open() const { return open_; }

  /// The value that replaces this one.
  ir::ValueId resolved(ir::ValueId id) const { return values_.resolved(id); }
  /// True if the scan of an ended loop computes it.
  bool is_scan_result(ir::ValueId id) const { return values_.occurrence(resolved(id)) != nullptr; }
  std::optional<Origin> origin(ir::ValueId id) const;
  /// True if later operations may read the value. A value of an iteration exists only in it.
  bool is_available(ir::ValueId id) const;
  /// The first value id of the running iteration.
  ir::ValueId iteration_begins() const { return iteration_begins_; }
  /// True if an operation produced the value at or after id `first`.
  bool is_produced_since(ir::ValueId first, ir::ValueId id) const;

  // Used to replace a loop.
  ScanValues& values() { return values_; }
  void add_scan(ir::Node scan);
  /// The scan output that stacks all occurrences of a body value along an axis. A new output gets
  /// the id `result`, if set.
  ir::ValueId stacked(size_t body_value, int64_t axis, bool reversed, ir::ValueId result);

 private:
  ir::ValueId materialise(ir::ValueId id, const Occurrence& occurrence, ir::Location location);
  bool is_local(const BodyValue& body_value) const;
  ir::Node& scan_of(const BodyValue& body_value);

  // joins.cpp
  std::vector<Segment> segments(const std::vector<ir::ValueId>& ids) const;
  bool replace_join(ir::Node& node);
  ir::ValueId piece(const Segment& segment, bool is_stack, int64_t dim, ir::ValueId result,
                    ir::Location location);
  ir::ValueId squeezed(size_t body_value, int64_t dim);

  ir::Graph& graph_;
  ir::Naming& naming_;
  ScanValues values_;
  std::vector<LoopRecord> open_;
  /// For operations with several results: the first one, and the index.
  std::unordered_map<ir::ValueId, std::pair<ir::ValueId, int64_t>> part_of_;
  ir::ValueId iteration_begins_ = 0;
  int64_t tags_ = 0;                       ///< the number of tags so far
  size_t reported_ = 0;                    ///< nodes that take_additions() has returned
  std::vector<ir::ValueId> scan_results_;  ///< results that scans received since then
};

}  // namespace t2n::loops
