// SPDX-License-Identifier: Apache-2.0
#include "src/compress/passes.h"

namespace t2n::compress {

std::vector<passes::PassInfo> pass_rows() {
  using passes::Effect;
  return {
      {"lift-weights", "moves weights out of loop bodies", lift_weights, Effect::none},
      {"prune-weights", "sets small weights to zero where settings request it", prune_weights,
       Effect::changes, "small weights, to zeros", "settings", false},
      {"insert-observers", "inserts observers where settings request quantisers", insert_observers,
       Effect::changes, "16-bit weights, by rounding", "settings", false},
      {"insert-compression", "inserts the pruning masks and observers that settings request",
       insert_compression, Effect::changes, "small weights and 16-bit weights", "settings", false},
      {"calculate-qparams", "computes the observers' scales and zero points", calculate_qparams,
       Effect::none, "", "a calibration set, for activations", false},
      {"compensate-rounding", "rounds weights with GPTQ where settings request it",
       compensate_rounding, Effect::changes, "weights, by rounding",
       "settings and a calibration set", false},
      {"quantise-q4_0", "packs weights into 4-bit blocks with a scale", quantise_q4_0,
       Effect::changes, "weights, by rounding to 4 bits", "", false},
      {"insert-fake-quant", "replaces observers by fake quantisation", insert_fake_quant,
       Effect::changes, "observed values, by rounding",
       "observers with scales, from calculate-qparams"},
      {"correct-bias", "corrects biases for the mean quantisation error", correct_bias,
       Effect::changes, "biases, by mean errors", "settings and a calibration set", false},
      {"quantise-constants", "stores fake-quantised constants as integers", quantise_constants},
      {"expand-fake-quant", "replaces fake-quantised activations by integers", expand_fake_quant,
       Effect::changes, "activations at ties, by one quantisation step"},
      {"propagate-qparams", "applies data movement to integers instead of floats",
       propagate_qparams},
      {"fuse-quantised", "fuses layers between quantised tensors into quantised layers",
       fuse_quantised, Effect::changes, "results of layers near ties, by one quantisation step"},
      {"lint-quantisation", "changes nothing; warns about unusual quantisation", lint_quantisation,
       Effect::none, "", "", false}};
}

}  // namespace t2n::compress
