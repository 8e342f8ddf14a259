// How deep LibTorch's parser and compiler would go into the code of a file, found out without them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace t2n::model_file {

/// The code records of an archive. Torch's parser, compiler and importer recurse: into brackets,
/// chains of operators, blocks, and definitions that need others. Here all of that is counted by
/// loops, and refused beyond a fixed depth. Errors: `model-corrupt`.
class CodeScan {
 public:
  /// `module` is what the record defines: "__torch__.torch.nn.modules.linear".
  void add(std::string_view text, const std::string& module);
  /// After all records: what needs what.
  void finish() const;

 private:
  friend class CodeReader;
  struct Definition {
    std::set<std::string> names;  ///< "__torch__.…" chains in it
  };
  std::map<std::string, Definition> definitions_;
};

}  // namespace t2n::model_file
