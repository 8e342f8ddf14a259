// An allocator around torch's own. It asks the heap for sizes, so that it stores none itself.
#include "src/trace/allocation.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <malloc.h>

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

int64_t size_of(void* data) { return static_cast<int64_t>(malloc_usable_size(data)); }

void release(void* data) {
  if (data == nullptr) return;
  live_bytes -= size_of(data);
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

class WatchedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t count) override {
    require(count);
    void* const data = c10::GetDefaultCPUAllocator()->raw_allocate(count);
    if (data != nullptr) live_bytes += size_of(data);
    return {data, data, &release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, size_t count) const override {
    default_copy_data(to, from, count);
  }
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

}  // namespace t2n::trace
