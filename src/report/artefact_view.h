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

/// How a tensor came to be.
enum class Grid {
  none,      ///< any reals
  steps,     ///< whole numbers: rounded, or integers of the file
  reals,     ///< steps times a scale, or what only moved since
  adjusted,  ///< such reals times a number, and plus one: a quantiser begins so
};

struct Fact {
  Grid grid = Grid::none;
  bool is_moved = false;     ///< elements lie elsewhere than in that variable
  bool is_constant = false;  ///< follows from variables and literals alone
  std::string scale;         ///< of reals: the number, or the name of the tensor that it is
  std::string origin;        ///< the variable that holds the elements of what follows from one
  int statement = -1;        ///< that assigns it
};

struct Statement {
  std::string name;                   ///< of the first result
  const nnef::Value* call = nullptr;  ///< an invocation, or nullptr
  std::vector<std::string> operands;  ///< tensors, in order; of arrays all items
};

/// Of an artefact that stays where it is.
class ArtefactView {
 public:
  explicit ArtefactView(const nnef::Artefact& artefact);

  const nnef::Artefact& artefact;
  std::vector<Statement> statements;

  const Fact& fact(const std::string& tensor) const;
  std::vector<int> readers(const std::string& tensor) const;  ///< statements
  bool is_result(const std::string& tensor) const;
  Where where(int statement) const;
  /// Of the statement of a variable, with its module.
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

/// The words of quantising operations: what rounds.
bool rounds(const Statement& statement);
/// It only moves elements, or chooses among them.
bool only_moves(const Statement& statement);
/// A product with a weight, whose second operand that is.
bool is_layer(const Statement& statement);

}  // namespace t2n::report
