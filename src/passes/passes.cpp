// SPDX-License-Identifier: Apache-2.0
#include "src/passes/passes.h"

#include "src/passes/integer_products.h"

namespace t2n::passes {

std::vector<PassInfo> pass_rows() {
  return {{"expand-packed", "replaces packed sequences by padded ones with lengths", expand_packed},
          {"expand-attention", "replaces fused attention by linear layers, attention and norms",
           expand_attention},
          {"bind-sizes", "replaces symbolic sizes by those of the sample inputs", bind_sizes,
           Effect::none},
          {"dead-code", "removes what no output needs", dead_code, Effect::none},
          {"fold-batch-norm", "folds batch norms into the preceding layers", fold_batch_norm},
          {"narrow-floats", "computes in f16 what torch's autocast computes in 16 bits",
           narrow_floats, Effect::changes, "values, to what 16 bits can hold", "", false},
          {"equalise", "equalises channel ranges of weights across a ReLU", equalise},
          {"recognise-quantisation", "stores the results of constant quantisers as integers",
           recognise_quantisation, Effect::preserves, "", "an evaluator"},
          {"fold-constants", "evaluates operations on constants unless the result is larger",
           fold_constants, Effect::preserves, "", "an evaluator"},
          {"canonical-activations", "recognises formulas of silu, gelu, hardswish and rms_norm",
           canonical_activations},
          {"canonical-rope", "recognises rotary position embeddings", canonical_rope},
          {"integer-products", "computes linear layers on integers where the target is faster",
           integer_products, Effect::preserves, "", "a target that is faster with integers"},
          {"explicit-promotion", "makes implicit changes of dtype explicit", explicit_promotion,
           Effect::preserves, "", "the table of translations"}};
}

}  // namespace t2n::passes
