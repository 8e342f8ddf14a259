// SPDX-License-Identifier: Apache-2.0
// Runs the engine in a separate process, because a panic of tract aborts, and a bad graph can loop
// forever.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/tensor.h"
#include "src/tract/library.h"
#include "src/tract/process.h"
#include "src/tract/protocol.h"

namespace t2n::tract {

/// If this process was started as an engine worker, serves requests and returns true; main must
/// then return `exit_code`. Called first in main of every program that uses WorkerClient.
bool maybe_run_worker(int argc, char** argv, int* exit_code);

struct WorkerOptions {
  std::chrono::milliseconds timeout = std::chrono::minutes(5);  ///< per request
  int64_t memory_bytes = int64_t{16} << 30;  ///< address space of the worker; 0: unlimited
};

/// Starts this program as a worker on first use, and again after a crash or stop. Not
/// thread-safe; the worker ends with the thread that made the first request. Errors of every
/// request: `engine-not-found` (the library does not load), `engine-crashed`, `engine-timeout`, and
/// the engine's own: `engine-rejects` from load, else `engine-failed`.
class WorkerClient {
 public:
  explicit WorkerClient(std::string library, WorkerOptions options = {});
  ~WorkerClient();
  WorkerClient(const WorkerClient&) = delete;
  WorkerClient& operator=(const WorkerClient&) = delete;

  const std::string& version();
  EngineModelInfo load(const std::string& artefact);
  /// A restarted worker first reloads the artefact that was last loaded successfully.
  std::vector<ir::Tensor> run(const std::vector<ir::Tensor>& inputs);
  /// Begins to load; load() of the same artefact waits for it. Errors of the engine come from
  /// there.
  void start_load(const std::string& artefact);
  /// Begins to run; finish_run() waits for it. Any other request in between drops the answer.
  void start_run(const std::vector<ir::Tensor>& inputs);
  std::vector<ir::Tensor> finish_run();
  std::string profile_json();
  /// Loads the models of the request in addition to the last loaded one. The time-out is for all
  /// of it.
  std::vector<BenchTimes> bench(const BenchRequest& request);
  /// Prepares the last loaded artefact for pulses; run() still runs it as before.
  EngineModelInfo pulse(const Pulse& pulse);
  /// Feeds complete inputs, piece by piece, to the model of the last pulse().
  std::vector<ir::Tensor> run_in_pulses(const std::vector<ir::Tensor>& inputs);

  /// Process id of the worker; nothing if none runs.
  std::optional<pid_t> pid() const;

 private:
  std::vector<std::string> arguments() const;
  void start();
  void stop();
  EngineModelInfo load_now(const std::string& artefact);
  void ensure_loaded();
  Message exchange(const Message& request, std::string_view activity);
  Deadline deadline() const;
  void send(const Message& request, std::string_view activity);
  void drop_answer();
  Message await_answer(Deadline deadline, std::string_view activity);
  [[noreturn]] void report_timeout(std::string_view activity);
  [[noreturn]] void report_crash(std::string_view activity);
  std::string engine_name() const;
  std::string last_output() const;

  std::string library_;
  WorkerOptions options_;
  std::string version_;
  std::string artefact_;
  bool loaded_ = false;       ///< the running worker has loaded the artefact
  std::string loading_;       ///< the artefact of start_load
  bool has_request_ = false;  ///< without an answer so far
  std::optional<Child> child_;
  Fd socket_;
  Fd output_;  ///< stdout and stderr of worker and engine
};

}  // namespace t2n::tract
