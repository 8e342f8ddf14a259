// The statements of an artefact, and what is known of each tensor's grid.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/nnef_reader/artefact.h"
#include "src/report/artefact_lint.h"

namespace t2n::report {

/// The kind of a tensor's values.
enum class Grid {
  none,      ///< any reals
  steps,     ///< whole numbers: rounded, or the file's integers
  reals,     ///< steps times a scale, at most moved since
  adjusted,  ///< such reals times a number, plus another: the start of a quantiser
};

struct Fact {
  Grid grid = Grid::none;
  bool is_moved = false;     ///< elements are not in that variable's order
  bool is_constant = false;  ///< follows only from variables and literals
  std::string scale;         ///< of reals: the number, or the tensor's name
  std::string origin;        ///< the variable whose elements it has
  int statement = -1;        ///< the statement that assigns it
};

struct Statement {
  std::string name;                   ///< of the first result
  const nnef::Value* call = nullptr;  ///< an invocation, or nullptr
  std::vector<std::string> operands;  ///< tensors, in order; all items of arrays
};

/// For an artefact that must outlive it.
class ArtefactView {
 public:
  explicit ArtefactView(const nnef::Artefact& artefact);

  const nnef::Artefact& artefact;
  std::vector<Statement> statements;

  const Fact& fact(const std::string& tensor) const;
  std::vector<int> readers(const std::string& tensor) const;  ///< statements
  bool is_result(const std::string& tensor) const;
  Where where(int statement) const;
  /// The place of a variable's statement, with its module.
  Where where_of(const std::string& label) const;
  /// The tensor of a variable's name, or nullptr.
  const nnef::StoredTensor* stored(const std::string& variable) const;
  std::string label(const std::string& variable) const;

 private:
  Fact fact_of(const Statement& statement, int index) const;
  void settle_grid(const Statement& statement, const std::vector<Fact>& operands, Fact& out) const;

  std::map<std::string, Fact> facts_;
  std::map<std::string, std::vector<int>> readers_;
  std::map<std::string, std::string> labels_;  ///< by variable
  std::vector<Where> places_;
};

/// True for quantising operations, which round.
bool rounds(const Statement& statement);
/// True if it only moves elements, or selects among them.
bool only_moves(const Statement& statement);
/// True for a product whose second operand is a weight.
bool is_layer(const Statement& statement);

}  // namespace t2n::report
