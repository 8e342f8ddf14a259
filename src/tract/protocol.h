// SPDX-License-Identifier: Apache-2.0
// Messages between t2nnef and its engine worker, over a socket pair on one machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/tensor.h"
#include "src/diag/diagnostic.h"
#include "src/tract/bench.h"
#include "src/tract/library.h"

namespace t2n::tract {

/// Requests and answers; the worker ends when the channel closes.
enum class Kind : uint32_t {
  load,        ///< texts: artefact → done, an EngineModelInfo
  run,         ///< tensors: inputs → done, tensors: outputs
  profile,     ///< → done, texts: JSON
  done,        ///< also the worker's first message, texts: version of the library
  refused,     ///< a Diagnostic
  pulse,       ///< texts: artefact, symbol, size → done, an EngineModelInfo
  run_pulses,  ///< tensors: complete inputs → done, tensors: outputs; after pulse
  bench,       ///< a BenchRequest → done, BenchTimes per model
};

struct Message {
  Kind kind = Kind::done;
  std::vector<std::string> texts;
  std::vector<ir::Tensor> tensors;
};

Message encode(const EngineModelInfo& info);
EngineModelInfo decode_info(const Message& message);
Message encode(const BenchRequest& request);
BenchRequest decode_bench(const Message& message);
Message encode(const std::vector<BenchTimes>& times);
std::vector<BenchTimes> decode_times(const Message& message);
Message encode(const Diagnostic& diagnostic);
Diagnostic decode_diagnostic(const Message& message);

enum class Transfer { ok, closed, timed_out };
using Deadline = std::optional<std::chrono::steady_clock::time_point>;  ///< nothing: unlimited

/// Sends the bytes of tensors, of any size, without copying them. Never raises SIGPIPE.
Transfer send_message(int socket, const Message& message, Deadline deadline);

struct Received {
  Transfer status = Transfer::ok;
  Message message;  ///< only valid if ok
};
Received receive_message(int socket, Deadline deadline);

}  // namespace t2n::tract
