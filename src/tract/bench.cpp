// SPDX-License-Identifier: Apache-2.0
// Measures in the engine's process, without the time to send tensors.
#include "src/tract/bench.h"

#include <chrono>
#include <memory>

namespace t2n::tract {
namespace {

using Clock = std::chrono::steady_clock;
using Models = std::vector<std::unique_ptr<Model>>;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Calls `measure` for each model; every second time in reverse order, so that none always runs
/// after the other.
template <typename Measure>
void alternately(size_t models, int64_t turn, const Measure& measure) {
  for (size_t i = 0; i < models; ++i) measure(turn % 2 == 0 ? i : models - 1 - i);
}

/// Loads each model repeatedly; the last ones remain.
Models load_all(const Library& library, const BenchRequest& request,
                std::vector<BenchTimes>& times) {
  Models out(request.models.size());
  for (int64_t turn = 0; turn <= request.loads; ++turn)
    alternately(out.size(), turn, [&](size_t i) {
      out[i].reset();
      const Clock::time_point begin = Clock::now();
      out[i] = std::make_unique<Model>(library, request.models[i].artefact);
      if (turn > 0) times[i].loads.push_back(seconds_since(begin));
    });
  return out;
}

bool is_enough(const BenchRequest& request, int64_t turn, Clock::time_point begin) {
  if (request.runs > 0) return turn == request.runs;
  const double budget = request.seconds * static_cast<double>(request.models.size());
  return turn == kMostRuns || (turn >= kLeastRuns && seconds_since(begin) > budget);
}

}  // namespace

std::vector<BenchTimes> bench(const Library& library, const BenchRequest& request) {
  std::vector<BenchTimes> out(request.models.size());
  const Models models = load_all(library, request, out);
  std::vector<TimedRun> timed;
  for (size_t i = 0; i < models.size(); ++i)
    timed.emplace_back(*models[i], request.models[i].inputs);
  for (int64_t turn = 0; turn < request.warmups; ++turn)
    alternately(timed.size(), turn, [&](size_t i) { timed[i].run(); });
  const Clock::time_point begin = Clock::now();
  for (int64_t turn = 0; !is_enough(request, turn, begin); ++turn)
    alternately(timed.size(), turn, [&](size_t i) { out[i].runs.push_back(timed[i].run()); });
  if (request.profiles)
    for (size_t i = 0; i < models.size(); ++i)
      out[i].profile = models[i]->profile_json(request.models[i].inputs);
  return out;
}

}  // namespace t2n::tract
