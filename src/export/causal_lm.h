// SPDX-License-Identifier: Apache-2.0
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
#include "src/nnef/ast.h"
#include "src/export/dynamic_model.h"
#include "src/export/port_names.h"
#include "src/export/traced_model.h"

namespace t2n {

struct ExportOptions;

struct CausalLm {
  DynamicOptions dynamic;  ///< tokens [1, S] or [B, S], caches with P entries, 0 or more
  PortNames names;         ///< input_ids, in_cache_key_0, …; outputs, out_cache_key_0, …
};

/// Errors: `usage` for options that the preset contradicts.
void require_preset(const ExportOptions& options);

/// Derived from a run on the samples. Errors: `preset-unmet` for what the client does not accept,
/// and those of trace_model.
CausalLm causal_lm(const LoadedModel& model, const ExportOptions& options);

/// Checks that only the user's assertions may exclude lengths that the client uses: one token, and
/// empty caches. Returns those of these lengths that a check must try. Errors: `preset-unmet`.
std::vector<dynamic::Sizes> client_lengths(const dynamic::DynamicTrace& model,
                                           const std::vector<ir::Comparison>& asserted);

/// Checks that the client finds the caches of a translated model. Errors: `preset-unmet`.
void require_caches(const nnef::Document& document);

}  // namespace t2n
