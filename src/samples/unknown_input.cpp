// SPDX-License-Identifier: Apache-2.0
// The error for a sample that matches no input.
#include <algorithm>

#include "src/diag/error.h"
#include "src/samples/input_spec.h"

namespace t2n {

Error unknown_input(const std::vector<Sample>& samples, size_t index, std::string_view owner,
                    const std::vector<std::string>& inputs) {
  const Sample& unknown = samples[index];
  const std::string name = trace::flat_name(unknown.input.path);
  std::string known;
  for (const std::string& input : inputs) known += cat(known.empty() ? "" : ", ", input);
  std::string selected;
  for (const Sample& sample : samples) {
    const std::string other = trace::flat_name(sample.input.path);
    if (!unknown.file.empty() && sample.file == unknown.file &&
        std::find(inputs.begin(), inputs.end(), other) != inputs.end())
      selected += cat(" -i ", other, "=@", sample.file);
  }
  const std::string why = cat("its inputs are: ", known);
  if (!selected.empty())
    return {"input-unknown",
            cat(quoted(unknown.file), " contains an array ", quoted(name),
                " that is not an input of ", owner),
            why, cat("select the inputs:", selected)};
  std::vector<std::string> names = inputs;
  for (size_t i = 0; i < inputs.size(); ++i) names.push_back(cat("input_", i));
  const std::string near = nearest(name, names);
  return {"input-unknown", cat(owner, " has no input ", quoted(name)), why,
          near.empty() ? "" : cat("did you mean ", quoted(near), "?")};
}

}  // namespace t2n
