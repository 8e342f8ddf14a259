// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/session/operator_log.h"

#include <ATen/Functions.h>
#include <ATen/record_function.h>

#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "src/diag/error.h"
#include "src/frontend/load/call.h"

namespace t2n::trace {
namespace {

/// The only log of this thread.
OperatorLog::Visit& visitor() {
  thread_local OperatorLog::Visit visit;
  return visit;
}

/// FNV-1a, eight bytes at a time.
uint64_t digest_of(const void* data, size_t size, uint64_t seed) {
  constexpr uint64_t kPrime = 0x100000001b3;
  const auto* at = static_cast<const char*>(data);
  uint64_t hash = seed;
  for (; size > 0;) {
    const size_t step = std::min(size, sizeof(uint64_t));
    uint64_t chunk = 0;
    std::memcpy(&chunk, at, step);
    hash = (hash ^ chunk) * kPrime;
    at += step;
    size -= step;
  }
  return hash;
}

uint64_t digest_of(const at::Tensor& tensor, uint64_t seed) {
  if (!tensor.defined() || !tensor.has_storage() || tensor.layout() != at::kStrided) return seed;
  const at::Tensor plain = tensor.detach().resolve_conj().resolve_neg().contiguous();
  const auto type = static_cast<int64_t>(plain.scalar_type());
  seed = digest_of(&type, sizeof(type), seed);
  seed = digest_of(plain.sizes().data(), plain.sizes().size() * sizeof(int64_t), seed);
  return digest_of(plain.const_data_ptr(), plain.nbytes(), seed);
}

/// The number of running operators: nested calls are not part of the program.
int& depth() {
  thread_local int value = 0;
  return value;
}

std::unique_ptr<at::ObserverContext> began(const at::RecordFunction& /*call*/) {
  ++depth();
  return nullptr;
}

void ended(const at::RecordFunction& call, at::ObserverContext* /*context*/) {
  if (--depth() > 0 || !visitor()) return;
  const at::DisableRecordFunctionGuard quiet;  // operators of the digest itself are not logged
  constexpr uint64_t kSeed = 0xcbf29ce484222325;
  uint64_t digest = kSeed;
  for (const c10::IValue& output : call.outputs())
    for (const at::Tensor& tensor : flatten_tensors(output)) digest = digest_of(tensor, digest);
  visitor()(call.name(), digest);
}

}  // namespace

OperatorLog::OperatorLog(Visit visit) {
  T2N_ASSERT(!visitor(), "a log of operators within another");
  visitor() = std::move(visit);
  depth() = 0;
  handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(&began, &ended)
                                           .needsOutputs(true)
                                           .scopes({at::RecordScope::FUNCTION}));
}

OperatorLog::~OperatorLog() {
  at::removeCallback(handle_);
  visitor() = nullptr;
}

}  // namespace t2n::trace
