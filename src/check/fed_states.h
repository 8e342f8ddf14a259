// SPDX-License-Identifier: Apache-2.0
// Runs of an artefact one after the other, each with the states of the previous one.
#pragma once

#include <string>
#include <vector>

#include "src/nnef/npz.h"
#include "src/samples/samples.h"
#include "src/spec/input_facts.h"
#include "src/spec/states.h"

namespace t2n {

/// The states that a document notes, and those of `pairs`, each "OUTPUT=INPUT" with names or
/// `output_N` and `input_N`.   Errors: `usage` for pairs; `nnef-invalid`.
std::vector<spec::State> fed_states(const nnef::Document& document,
                                    const std::vector<std::string>& pairs);

/// The samples, and the first values of states that have no sample.
std::vector<Sample> with_first_values(std::vector<Sample> samples,
                                      const std::vector<spec::InputFact>& facts,
                                      const std::vector<spec::State>& states);

/// The samples for one of several steps: a sample with one axis more than its input, of as many
/// entries as there are steps, has an entry for each step.
std::vector<Sample> samples_of_step(std::vector<Sample> samples,
                                    const std::vector<spec::InputFact>& facts, int64_t step,
                                    int64_t steps);

/// Replaces the states among the inputs by the outputs of the previous step.
void feed_back(std::vector<nnef::NamedTensor>& inputs,
               const std::vector<nnef::NamedTensor>& outputs,
               const std::vector<spec::InputFact>& facts, const std::vector<spec::State>& states);

/// The outputs of all steps: of a state the last value; of another output all values along a new
/// first axis, or, if their sizes differ, one array `NAME.STEP` for each.
std::vector<nnef::NamedTensor> outputs_of_steps(
    const std::vector<std::vector<nnef::NamedTensor>>& steps,
    const std::vector<spec::State>& states);

}  // namespace t2n
