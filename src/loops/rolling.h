// A graph that is recorded operation by operation. Its loops become scans when they end.
#pragma once

#include <optional>
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

/// Appends operations to a graph. A loop's iterations are appended one after another, compared when
/// the loop ends, and replaced by one `t2n::scan`. Values of iterations remain known: later
/// operations may read the first and the last, and join all of them. Errors: `dynamic-loop`.
class Rolling {
 public:
  Rolling(ir::Graph& graph, ir::Naming& naming) : graph_(graph), naming_(naming) {}

  /// Appends the node, after what it needs; nothing if a scan already gives its result.
  void append(ir::Node node);
  /// Appends an operation with one result.
  ir::ValueId emit(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                   const ir::Shape& shape, ir::Place place);

  void begin_loop(const ir::Symbol& number);
  void end_iteration();
  /// `length`: the number of iterations, over sizes.
  Rolled end_loop(const ir::Dim& length, ir::Place place);
  /// Running loops, outermost first.
  const std::vector<LoopRecord>& open() const { return open_; }

  /// An equal value that the graph computes.
  ir::ValueId settled(ir::ValueId id, ir::Place place);
  /// The value that a replaced one equals now.
  ir::ValueId resolved(ir::ValueId id) const { return values_.resolved(id); }
  /// Whether the scan of an ended loop computes it.
  bool is_of_scan(ir::ValueId id) const { return values_.instance(resolved(id)) != nullptr; }
  std::optional<Origin> origin(ir::ValueId id) const;
  /// Whether an operation made the value when `first` or a later id was the next one.
  bool is_made_since(ir::ValueId first, ir::ValueId id) const;
  /// Results that scans received since the last call.
  std::vector<ir::ValueId> take_given() { return std::exchange(given_, {}); }

  // Used to replace a loop.
  ir::Graph& graph() { return graph_; }
  ir::Naming& naming() { return naming_; }
  ScanValues& values() { return values_; }
  void add_scan(ir::Node scan);
  /// The output of a scan that holds all iterations of a family along an axis. A new output gets
  /// the id `wanted`, if given.
  ir::ValueId stacked(size_t family, int64_t axis, bool reversed, ir::ValueId wanted);

 private:
  void settle(ir::Node& node);
  ir::ValueId materialise(ir::ValueId id, const Instance& instance, ir::Place place);
  bool is_local(const Family& family) const;
  ir::Node& scan_of(const Family& family);

  // joins.cpp
  std::vector<Segment> segments(const std::vector<ir::ValueId>& ids) const;
  bool settle_join(ir::Node& node);
  ir::ValueId piece(const Segment& segment, bool is_stack, int64_t dim, ir::ValueId wanted,
                    ir::Place place);
  ir::ValueId squeezed(size_t family, int64_t dim);

  ir::Graph& graph_;
  ir::Naming& naming_;
  ScanValues values_;
  std::vector<LoopRecord> open_;
  /// For operations with several results: the first one, and the index.
  std::unordered_map<ir::ValueId, std::pair<ir::ValueId, int64_t>> part_of_;
  std::vector<ir::ValueId> given_;
};

}  // namespace t2n::loops
