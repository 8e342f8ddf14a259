// Allocators around torch's own.
#include "src/trace/allocation.h"

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
std::atomic<int64_t> most_bytes = kUnlimited;  ///< limit of live_bytes
std::atomic<int64_t> granted = 0;              ///< what the limit in force adds; for its message

int64_t usable_size(void* data) { return static_cast<int64_t>(malloc_usable_size(data)); }

void release(void* data) {
  if (data == nullptr) return;
  live_bytes -= usable_size(data);
  c10::GetDefaultCPUAllocator()->raw_deleter()(data);
}

void require(size_t count) {
  const auto bytes = static_cast<int64_t>(count);  // negative if the size does not fit
  if (bytes < 0 || bytes > most_bytes.load() - live_bytes.load()) {
    if (bytes >= 0 || most_bytes.load() != kUnlimited)
      throw Error("nnef-limit",
                  cat("the tensors would take more than ", limits::bytes_text(granted.load())),
                  "that is far more than its inputs and weights account for",
                  "the sizes in it are damaged, or made to exhaust the machine");
  }
  limits::require_bytes(bytes, "a tensor");
}

/// Counts what lives. It asks the heap for sizes, so that it stores none itself.
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
    const size_t most = most_;
    if (bytes > most)
      throw Error("trace-limit", cat("the model makes a tensor of ", bytes, " bytes"),
                  cat("a model and samples of these sizes may make one of ", most),
                  "are the sample inputs of the right sizes? --max-memory allows one of that size");
    return inner_->allocate(bytes);
  }
  c10::DeleterFnPtr raw_deleter() const override { return inner_->raw_deleter(); }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    inner_->copy_data(to, from, bytes);
  }
  void limit(size_t bytes) { most_ = bytes; }

 private:
  c10::Allocator* inner_;
  std::atomic<size_t> most_ = SIZE_MAX;
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

AllocationLimit::AllocationLimit(int64_t bytes) : before_(most_bytes.load()) {
  watch_allocations();
  granted = bytes;
  most_bytes = live_bytes.load() + bytes;
}

AllocationLimit::~AllocationLimit() { most_bytes = before_; }

void limit_allocations(size_t model_bytes, size_t sample_bytes) {
  static LimitedAllocator* const limited = [] {
    auto* made = new LimitedAllocator(c10::GetCPUAllocator());  // lives as long as the process
    c10::SetCPUAllocator(made, 1);
    return made;
  }();
  constexpr size_t kLeast = size_t{1} << 30;
  // The largest parameter may have 16 bits and be converted to 64.
  constexpr size_t kOfModel = 4;
  // From a list of tokens to their attention, from an image to its features.
  constexpr size_t kOfSamples = size_t{1} << 16;
  const auto chosen = static_cast<size_t>(limits::chosen_max_memory());
  limited->limit(std::max({kLeast, kOfModel * model_bytes, kOfSamples * sample_bytes, chosen}));
}

}  // namespace t2n::trace
