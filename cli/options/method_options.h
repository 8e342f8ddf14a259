// SPDX-License-Identifier: Apache-2.0
// Several methods in one export: the options of each, and where its artefact goes.
#pragma once

#include <string>
#include <vector>

#include "cli/options/input_options.h"

namespace t2n::cli {

/// The values of --method, in order; `forward` without it.   Errors: `usage` for one that is given
/// twice.
std::vector<std::string> methods_of(const InputOptions& options);

/// Selects option values by method. A value such as "METHOD:x=…" is for that method only; a value
/// without the prefix is for every method.
class MethodOptions {
 public:
  explicit MethodOptions(std::vector<std::string> methods) : methods_(std::move(methods)) {}

  /// The values for this method, without "METHOD:". Other colons occur only after a "=".
  /// Errors: `usage` for a method that --method does not name.
  std::vector<std::string> values_for(const std::string& method, const char* option,
                                      const std::vector<std::string>& values) const;
  /// The same for INPUT:AXIS=SIZE, which contains a colon itself.
  std::vector<std::string> axes_for(const std::string& method,
                                    const std::vector<std::string>& values) const;
  /// The value of a single-valued option; "" if it is for another method.
  std::string value_for(const std::string& method, const char* option,
                        const std::string& value) const;
  /// All options about how a model is called.
  InputOptions inputs_for(const std::string& method, const InputOptions& options) const;

 private:
  std::vector<std::string> select(const std::string& method, const char* option,
                                  const std::vector<std::string>& values, size_t own_colons) const;

  std::vector<std::string> methods_;
};

/// Where the artefact of one method goes.
struct MethodOutput {
  std::string path;
  std::string folder;  ///< contains a subfolder for each method; "" without
};

/// `{method}` in -o is replaced by the method's name. Without it, several methods share a folder,
/// and without -o each has an archive MODEL.METHOD.nnef.tgz. Errors: `usage` for one archive and
/// several methods.
MethodOutput output_of(const std::string& model, const std::string& output,
                       const std::vector<std::string>& methods, const std::string& method);

}  // namespace t2n::cli
