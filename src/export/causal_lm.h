// `--preset causal-llm`: an artefact for causal_llm, tract's client for language models.
//
// The client passes integer tokens [1, S], then every cache, empty at first. It takes logits, with
// the vocabulary last, and the caches in the same order, each longer by S. It recognises a cache as
// an input with one dynamic axis that is not an axis of the tokens, read by exactly one
// concatenation, which is an output.
#pragma once

#include <string>
#include <vector>

#include "ir/comparison.h"
#include "src/export/dynamic_model.h"
#include "src/export/port_names.h"
#include "src/nnef/ast.h"

namespace t2n {

struct ExportOptions;

struct CausalLm {
  DynamicOptions dynamic;  ///< tokens [1, S] or [B, S], caches with P entries, 0 or more
  PortNames names;         ///< input_ids, in_cache_key_0, …; outputs, out_cache_key_0, …
};

/// Derived from a run on the samples. Errors: `preset-unmet` for what the client does not accept,
/// and those of load_and_trace.
CausalLm causal_lm(const ExportOptions& options);

/// Checks that only the user's assertions may exclude lengths that the client uses: one token, and
/// empty caches. Adds these lengths to the sizes of the check. Errors: `preset-unmet`.
void require_lengths(dynamic::DynamicTrace& model, const std::vector<ir::Comparison>& asserted);

/// Checks that the client finds the caches of a translated model. Errors: `preset-unmet`.
void require_caches(const nnef::Document& document);

}  // namespace t2n
