// SPDX-License-Identifier: Apache-2.0
// Allocators around torch's own.
#include "src/frontend/load/allocation.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "src/diag/error.h"
#include "src/limits/limits.h"

namespace t2n::trace {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

std::atomic<int64_t> live_bytes = 0;
std::atomic<int64_t> max_live_bytes = kUnlimited;  ///< limit of live_bytes
std::atomic<int64_t> granted = 0;                  ///< what the current limit adds; for its message

int64_t usable_size(void* data) { return static_cast<int64_t>(malloc_usable_size(data)); }

void release(void* data) {
  if (data == nullptr) return;
  live_bytes -= usable_size(data);
  c10::GetDefaultCPUAllocator()->raw_deleter()(data);
}

void require(size_t count) {
  const auto bytes = static_cast<int64_t>(count);  // negative if the size does not fit
  if (bytes < 0 || bytes > max_live_bytes.load() - live_bytes.load()) {
    if (bytes >= 0 || max_live_bytes.load() != kUnlimited)
      throw Error("nnef-limit",
                  cat("the tensors would take more than ", limits::bytes_text(granted.load())),
                  "that is far more than its inputs and weights account for",
                  "the sizes in it are damaged, or made to exhaust the machine");
  }
  limits::require_bytes(bytes, "a tensor");
}

/// Counts live bytes. It queries the heap for sizes, so that it stores none itself.
class WatchedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t count) override {
    require(count);
    void* const data = c10::GetDefaultCPUAllocator()->raw_allocate(count);
    if (data != nullptr) live_bytes += usable_size(data);
    return {data, data, &release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, size_t count) const override {
    default_copy_data(to, from, count);
  }
};

/// The process's allocator, with a check before each allocation.
class LimitedAllocator : public c10::Allocator {
 public:
  explicit LimitedAllocator(c10::Allocator* inner) : inner_(inner) {}

  c10::DataPtr allocate(size_t bytes) override {
    const size_t limit = limit_;
    if (bytes > limit)
      throw Error("trace-limit", cat("the model makes a tensor of ", bytes, " bytes"),
                  cat("with a model and samples of these sizes, the limit is ", limit, " bytes"),
                  "check the sizes of the sample inputs, or raise the limit with --max-memory");
    return inner_->allocate(bytes);
  }
  c10::DeleterFnPtr raw_deleter() const override { return inner_->raw_deleter(); }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    inner_->copy_data(to, from, bytes);
  }
  void set_limit(size_t bytes) { limit_ = bytes; }

 private:
  c10::Allocator* inner_;
  std::atomic<size_t> limit_ = SIZE_MAX;
};

}  // namespace

void watch_allocations() {
  static WatchedAllocator allocator;
  static const bool done = [] {
    c10::SetCPUAllocator(&allocator, /*priority=*/1);
    return true;
  }();
  static_cast<void>(done);
}

AllocationLimit::AllocationLimit(int64_t bytes) : before_(max_live_bytes.load()) {
  watch_allocations();
  granted = bytes;
  max_live_bytes = live_bytes.load() + bytes;
}

AllocationLimit::~AllocationLimit() { max_live_bytes = before_; }

void limit_allocations(size_t model_bytes, size_t sample_bytes) {
  static LimitedAllocator* const limited = [] {
    auto* allocator = new LimitedAllocator(c10::GetCPUAllocator());  // lives as long as the process
    c10::SetCPUAllocator(allocator, 1);
    return allocator;
  }();
  constexpr size_t kMinimum = size_t{1} << 30;
  // The largest parameter may have 16 bits and be converted to 64.
  constexpr size_t kPerModelByte = 4;
  // Tokens grow to their attention weights, an image to its features.
  constexpr size_t kPerSampleByte = size_t{1} << 16;
  const size_t chosen = limits::chosen_max_memory();
  limited->set_limit(
      std::max({kMinimum, kPerModelByte * model_bytes, kPerSampleByte * sample_bytes, chosen}));
}

}  // namespace t2n::trace
