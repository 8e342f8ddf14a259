#include "ir/comparison.h"

#include "src/diag/error.h"

namespace t2n::ir {

std::string_view str(Relation relation) {
  switch (relation) {
    case Relation::lt: return "<";
    case Relation::le: return "<=";
    case Relation::gt: return ">";
    case Relation::ge: return ">=";
    case Relation::eq: return "==";
    case Relation::ne: return "!=";
  }
  T2N_ASSERT(false, "no such relation");
}

Relation negated(Relation relation) {
  switch (relation) {
    case Relation::lt: return Relation::ge;
    case Relation::le: return Relation::gt;
    case Relation::gt: return Relation::le;
    case Relation::ge: return Relation::lt;
    case Relation::eq: return Relation::ne;
    case Relation::ne: return Relation::eq;
  }
  T2N_ASSERT(false, "no such relation");
}

Relation mirrored(Relation relation) {
  switch (relation) {
    case Relation::lt: return Relation::gt;
    case Relation::le: return Relation::ge;
    case Relation::gt: return Relation::lt;
    case Relation::ge: return Relation::le;
    case Relation::eq: return Relation::eq;
    case Relation::ne: return Relation::ne;
  }
  T2N_ASSERT(false, "no such relation");
}

bool holds(int64_t left, Relation relation, int64_t right) {
  switch (relation) {
    case Relation::lt: return left < right;
    case Relation::le: return left <= right;
    case Relation::gt: return left > right;
    case Relation::ge: return left >= right;
    case Relation::eq: return left == right;
    case Relation::ne: return left != right;
  }
  T2N_ASSERT(false, "no such relation");
}

std::string str(const Comparison& comparison) {
  return cat(comparison.left.str(), " ", str(comparison.relation), " ", comparison.right.str());
}

Comparison negated(Comparison comparison) {
  comparison.relation = negated(comparison.relation);
  return comparison;
}

Comparison mirrored(const Comparison& comparison) {
  return {comparison.right, mirrored(comparison.relation), comparison.left};
}

}  // namespace t2n::ir
