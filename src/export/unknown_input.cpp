// The message for a sample that is for no input.
#include <algorithm>

#include "src/diag/error.h"
#include "src/export/input_spec.h"

namespace t2n {

Error unknown_input(const std::vector<Sample>& samples, size_t place, std::string_view whose,
                    const std::vector<std::string>& inputs) {
  const Sample& unknown = samples[place];
  const std::string name = trace::flat_name(unknown.input.path);
  std::string known;
  for (const std::string& input : inputs) known += cat(known.empty() ? "" : ", ", input);
  std::string alone;
  for (const Sample& sample : samples) {
    const std::string other = trace::flat_name(sample.input.path);
    if (!unknown.file.empty() && sample.file == unknown.file &&
        std::find(inputs.begin(), inputs.end(), other) != inputs.end())
      alone += cat(" -i ", other, "=@", sample.file);
  }
  const std::string why = cat("its inputs are: ", known);
  if (!alone.empty())
    return {
        "input-unknown",
        cat(quoted(unknown.file), " holds an array ", quoted(name), " that is no input of ", whose),
        why, cat("take the inputs alone:", alone)};
  std::vector<std::string> names = inputs;
  for (size_t i = 0; i < inputs.size(); ++i) names.push_back(cat("input_", i));
  const std::string near = nearest(name, names);
  return {"input-unknown", cat(whose, " has no input ", quoted(name)), why,
          near.empty() ? "" : cat("did you mean ", quoted(near), "?")};
}

}  // namespace t2n
