// SPDX-License-Identifier: Apache-2.0
// Computes how deep LibTorch's parser and compiler would recurse into a file's code.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace t2n::model_file {

/// The code records of an archive. Torch's parser, compiler and importer recurse into brackets,
/// chains of operators, blocks, and dependent definitions. This class counts them iteratively, and
/// refuses more than a fixed depth. Errors: `model-corrupt`.
class CodeScan {
 public:
  /// `module`: the module of the record, such as "__torch__.torch.nn.modules.linear".
  void add(std::string_view text, const std::string& module, const std::string& record = {});
  /// Called after all records: checks the dependencies of definitions.
  void finish() const;
  /// Where a record calls an operator.
  struct Call {
    std::string record;  ///< "code/__torch__/model.py"
    size_t offset = 0;
  };
  struct Calls {
    int count = 0;
    std::vector<Call> first;  ///< the first kShownUses of them
  };
  /// The operators that the code calls, such as "aten::relu", whether or not a run reaches them.
  const std::map<std::string, Calls>& operators() const { return operators_; }

 private:
  friend class CodeReader;
  struct Definition {
    std::set<std::string> names;  ///< the "__torch__.…" chains in it
  };
  std::map<std::string, Definition> definitions_;
  std::map<std::string, Calls> operators_;
};

}  // namespace t2n::model_file
