// A graph that is recorded operation by operation, whose loops become scans as they end.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/building.h"
#include "src/loops/record.h"
#include "src/loops/scan_values.h"

namespace t2n::loops {

/// Part of a list: values as they are, or consecutive iterations of a family.
struct Segment {
  std::vector<ir::ValueId> values;
  std::optional<Instance> first;
  int64_t count = 0;
  bool reversed = false;
};

/// Appends operations to a graph. The iterations of a loop are appended one after the other,
/// compared when it ends, and replaced by one `t2n::scan`. Values of iterations stay known: what is
/// appended later may read the first and the last, and join all of them. Errors: `dynamic-loop`.
class Rolling {
 public:
  Rolling(ir::Graph& graph, ir::Naming& naming) : graph_(graph), naming_(naming) {}

  /// The node itself, after what it needs; nothing if a scan gives its result already.
  void append(ir::Node node);
  /// An operation with one result.
  ir::ValueId emit(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                   const ir::Shape& shape, ir::Place place);

  void begin_loop(const ir::Symbol& number);
  void end_iteration();
  /// `length`: how many iterations there are, over sizes.
  Rolled end_loop(const ir::Dim& length, ir::Place place);
  /// Loops that run, from the outermost on.
  const std::vector<LoopRecord>& open() const { return open_; }

  /// The same value as something that the graph computes.
  ir::ValueId settled(ir::ValueId id, ir::Place place);
  /// What an equal value stands for by now.
  ir::ValueId resolved(ir::ValueId id) const { return values_.resolved(id); }
  /// Whether the scan of a loop that has ended computes it.
  bool is_of_scan(ir::ValueId id) const { return values_.instance(resolved(id)) != nullptr; }
  std::optional<Origin> origin(ir::ValueId id) const;
  /// Whether an operation gave a value since `first` was the next one.
  bool is_made_since(ir::ValueId first, ir::ValueId id) const;
  /// Results that scans were given since the last call.
  std::vector<ir::ValueId> take_given() { return std::exchange(given_, {}); }

  // What a loop is replaced with.
  ir::Graph& graph() { return graph_; }
  ir::Naming& naming() { return naming_; }
  ScanValues& values() { return values_; }
  void add_scan(ir::Node scan);
  /// The output of a scan that has all iterations of a family along an axis: `wanted`, if it is new
  /// and wanted.
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
  /// Of operations with several results: the first, and which of them.
  std::unordered_map<ir::ValueId, std::pair<ir::ValueId, int64_t>> part_of_;
  std::vector<ir::ValueId> given_;
};

}  // namespace t2n::loops
