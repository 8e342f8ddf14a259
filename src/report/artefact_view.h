// The statements of an artefact, and the quantisation of each tensor.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/nnef/artefact.h"
#include "src/report/artefact_lint.h"

namespace t2n::report {

/// The kind of a tensor's values.
enum class Quantisation {
  none,         ///< any floats
  integers,     ///< rounded values, or stored integers
  dequantised,  ///< integers times a scale, possibly reordered
  adjusted,     ///< scaled and shifted dequantised values: the start of a quantiser
};

struct Fact {
  Quantisation quantisation = Quantisation::none;
  bool is_reordered = false;  ///< elements are not in the order of `origin`
  bool is_constant = false;   ///< depends only on variables and literals
  std::string scale;          ///< of dequantised values: a number, or a tensor's name
  std::string origin;         ///< the variable that contains its elements
  int statement = -1;         ///< the statement that assigns it
};

struct Statement {
  std::string name;                   ///< of the first result
  const nnef::Value* call = nullptr;  ///< an invocation, or nullptr
  std::vector<std::string> operands;  ///< tensors, in order; all items of arrays
};

/// The artefact must outlive the view.
class ArtefactView {
 public:
  explicit ArtefactView(const nnef::Artefact& artefact);

  const nnef::Artefact& artefact;
  std::vector<Statement> statements;

  const Fact& fact(const std::string& tensor) const;
  std::vector<int> readers(const std::string& tensor) const;  ///< statements
  bool is_result(const std::string& tensor) const;
  Where where(int statement) const;
  /// The location of a variable's statement, with its module.
  Where where_of(const std::string& label) const;
  /// The tensor of a variable's name, or nullptr.
  const nnef::StoredTensor* stored(const std::string& variable) const;
  std::string label(const std::string& variable) const;

 private:
  Fact fact_of(const Statement& statement, int index) const;
  void set_quantisation(const Statement& statement, const std::vector<Fact>& operands,
                        Fact& out) const;

  std::map<std::string, Fact> facts_;
  std::map<std::string, std::vector<int>> readers_;
  std::map<std::string, std::string> labels_;  ///< by variable
  std::vector<Where> locations_;
};

/// True for quantising operations, which round.
bool rounds(const Statement& statement);
/// True if it only moves or selects elements.
bool only_moves_data(const Statement& statement);
/// True for a product whose second operand is a weight.
bool is_layer(const Statement& statement);

}  // namespace t2n::report
