// A runner that replays computed results, so that they are compared like an engine's outputs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/check/runner.h"

namespace t2n {

/// Returns the results in order and ignores the inputs.
class Replay final : public check::Runner {
 public:
  Replay(std::string name, std::vector<std::vector<ir::Tensor>> results)
      : name_(std::move(name)), results_(std::move(results)) {}
  std::string name() const override { return name_; }
  void load(const std::string&) override {}
  std::vector<ir::Tensor> run(const std::vector<ir::Tensor>&) override {
    return results_.at(next_++);
  }

 private:
  std::string name_;
  std::vector<std::vector<ir::Tensor>> results_;
  size_t next_ = 0;
};

}  // namespace t2n
