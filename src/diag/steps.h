// SPDX-License-Identifier: Apache-2.0
// The steps of a command, for its log and its report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace t2n {

/// What a step did.
struct StepSummary {
  std::vector<std::pair<std::string, int64_t>> counts = {};  ///< {"operation", 70}
  std::string result = {};                                   ///< the first line of its result
};

/// A step that has ended.
struct Step : StepSummary {
  std::string name;
  double seconds = 0;
  bool has_failed = false;
};

/// Receives the steps of a command while it works; empty functions drop them.
struct Progress {
  std::function<void(std::string_view step)> on_begin = {};     ///< the previous step ends
  std::function<void(std::string_view detail)> on_detail = {};  ///< of the running step
  std::function<void(StepSummary summary)> on_end = {};

  void begin(std::string_view step) const {
    if (on_begin) on_begin(step);
  }
  void detail(std::string_view text) const {
    if (on_detail) on_detail(text);
  }
  void end(StepSummary summary) const {
    if (on_end) on_end(std::move(summary));
  }
};

}  // namespace t2n
