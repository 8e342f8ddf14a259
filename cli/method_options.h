// Several methods in one export: what each of them is told, and where its artefact goes.
#pragma once

#include <string>
#include <vector>

#include "cli/input_options.h"

namespace t2n::cli {

/// The values of --method, in order; `forward` without it.   Errors: `usage` for one that is given
/// twice.
std::vector<std::string> methods_of(const InputOptions& options);

/// A value of --input or --dynamic with "METHOD:" in front is for this method alone. A value
/// without it is for every method.
class MethodOptions {
 public:
  explicit MethodOptions(std::vector<std::string> methods) : methods_(std::move(methods)) {}

  /// The values for this method, without "METHOD:". Their own text has a colon only behind a "=".
  /// Errors: `usage` for a method that is not given.
  std::vector<std::string> of(const std::string& method, const char* option,
                              const std::vector<std::string>& values) const;
  /// The same for INPUT:AXIS=SIZE, which has a colon of its own.
  std::vector<std::string> axes_of(const std::string& method,
                                   const std::vector<std::string>& values) const;
  /// The value of an option that is given once; "" if it is for another method.
  std::string one_of(const std::string& method, const char* option, const std::string& value) const;
  /// All options about how a model is called.
  InputOptions inputs_of(const std::string& method, const InputOptions& options) const;

 private:
  std::vector<std::string> select(const std::string& method, const char* option,
                                  const std::vector<std::string>& values, size_t own_colons) const;

  std::vector<std::string> methods_;
};

/// Where artefacts go.
struct MethodOutput {
  std::string path;
  std::string folder;  ///< that holds all of them, in folders of their own; "" without
};

/// `{method}` in -o stands for the method's name. Without it, several methods share a folder, and
/// without -o each has an archive MODEL.METHOD.nnef.tgz.
/// Errors: `usage` where one archive would be several.
MethodOutput output_of(const std::string& model, const std::string& output,
                       const std::vector<std::string>& methods, const std::string& method);

}  // namespace t2n::cli
