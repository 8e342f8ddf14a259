#include "src/trace/memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>

#include "src/diag/error.h"
#include "src/limits/limits.h"

namespace t2n::trace {
namespace {

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
