// A loaded model between runs.
#pragma once

#include "src/trace/loader.h"
#include "src/trace/trace.h"

namespace t2n::trace {

class Session {
 public:
  Session(Loaded loaded, std::string method);

  ModelInfo describe() const;
  Traced trace(const std::vector<SampleInput>& inputs, const TraceOptions& options);
  std::vector<ir::Tensor> run(const std::vector<SampleInput>& inputs);

 private:
  const c10::FunctionSchema& schema() const;
  bool is_frozen() const;
  void restore() const;

  Loaded loaded_;
  std::string method_;
};

}  // namespace t2n::trace
