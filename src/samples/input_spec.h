// SPDX-License-Identifier: Apache-2.0
// Parses the values of `--input`: shapes of random values, files of values, and arguments that are
// not tensors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/diag/error.h"
#include "src/samples/samples.h"

namespace t2n {

/// Samples in the order of the specs, each of which is one of
///   x=1,3,224,224,f32     ids=1,8,i64:0..999    x=[],f32    x=f32    shape, dtype (f32) and range
///   x=@x.npy              x=@inputs.npz         x=@x.pt              values of one input
///   @inputs.npz           @saved.pt             inputs.npz           values by name or position
///   n=int:3  f=float:0.5  flag=bool:true        s=str:abc   n=none   arguments that are no tensors
/// where x may be a nested path: d.key, pair.0, pair[0], or as in the artefact, pair_0. Arrays
/// `output_N…` of an .npz are ignored; arrays `arr_N`, which numpy names by default, are `input_N`.
/// Errors: `usage`, `input-unreadable`; for .pt files, those of the tracer.
std::vector<Sample> parse_inputs(const std::vector<std::string>& specs);

/// The files in the specs.
std::vector<std::string> sample_files(const std::vector<std::string>& specs);

/// The error for `samples[index]`, which is not one of the `inputs` of `owner` ("the artefact"). An
/// .npz may contain more than inputs; if it contains some, the error shows how to select these.
Error unknown_input(const std::vector<Sample>& samples, size_t index, std::string_view owner,
                    const std::vector<std::string>& inputs);

}  // namespace t2n
