// SPDX-License-Identifier: Apache-2.0
// Whether a wrong file is wrong at all: judged on more and stranger inputs than a check has, in f64
// without an engine, and in the engine.
#pragma once

#include <string>
#include <vector>

#include "src/nnef/ast.h"
#include "src/check/input_sets.h"
#include "src/check/runner.h"

namespace t2n::test {

class Jury {
 public:
  /// `sets`: those of a check, which come on top. All outlive the object.
  Jury(const SourceModel& model, const nnef::Document& right, const InputSets& sets,
       check::Runner& engine);

  /// How far the file is from the right one at most, in units of torch's own distance from it.
  /// Infinite where it does not run, where a shape, an integer or a truth value differs, and where
  /// the right one cannot be judged. 0 where the engine gives the same bits for both: it may take
  /// more for granted than NNEF says.
  double times_torch(const nnef::Document& wrong);

 private:
  struct Case {
    std::vector<ir::Tensor> inputs;
    std::vector<ir::Tensor> torch;
    std::vector<ir::Tensor> right;      ///< in f64; empty where that is no measure
    std::vector<ir::Tensor> in_engine;  ///< of the right file
  };
  /// `other`: cases that the engine tells apart.
  double in_f64(const nnef::Document& wrong, const std::vector<size_t>& other);
  std::vector<size_t> other_in_engine(const nnef::Document& wrong);
  void hear(std::vector<trace::SampleInput> inputs, std::vector<ir::Tensor> torch);
  void try_to_hear(std::vector<trace::SampleInput> inputs);
  void hear_strange_ones();
  void begin();

  const SourceModel& model_;
  const nnef::Document& right_;
  const InputSets& sets_;
  check::Runner& engine_;
  bool has_begun_ = false;
  std::vector<Case> cases_;
};

}  // namespace t2n::test
