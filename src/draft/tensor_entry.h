// SPDX-License-Identifier: Apache-2.0
// A tensor of a document under construction, with the stored values of constants.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/shape.h"
#include "ir/tensor.h"

namespace t2n::draft {

using ir::Dim;
using ir::DType;
using ir::Ints;
using ir::Shape;

/// A tensor of the document: an identifier, or a constant that is not written yet.
struct Ref {
  int id = -1;
};

struct TensorType {
  DType dtype;
  Shape shape;
};

/// Constants above this size are neither copied nor stored once per geometry.
inline constexpr int64_t kLargeBytes = int64_t{64} << 10;

/// The tensor that a Ref denotes.
struct TensorEntry {
  enum class Kind { identifier, constant };
  Kind kind = Kind::identifier;
  DType dtype = DType::f32;
  Shape shape;
  std::string name = {};  ///< the preferred identifier, or label of a constant

  // Identifiers.
  bool is_input = false;
  bool is_claimed = false;    ///< has the name of an IR value: must not be renamed
  int location = -1;          ///< the operator of its statement, in Notes::locations, or -1
  bool varies = false;        ///< in the body of a scan: differs between iterations
  bool is_positions = false;  ///< an index without negative entries
  bool is_q4_0 = false;       ///< a variable of Q4_0 blocks
  std::string text = {};      ///< the final identifier; "" until finish()

  // Constants: joined along `axis`; parts of another dtype than `dtype` are cast while writing.
  std::vector<ir::Tensor> parts = {};
  int axis = 0;
  int uses = 1;               ///< operands in the IR that refer to the stored values
  bool is_generated = false;  ///< made by a translation: equal ones may share a blob
  int variable = -1;          ///< the identifier, once it is written
};

/// The values of a constant entry as one tensor of its dtype.
ir::Tensor joined(const TensorEntry& entry);
/// The same, but a single part is not converted: for changes of geometry.
ir::Tensor joined_or_part(const TensorEntry& entry);
bool is_loaded(const TensorEntry& entry);
/// The values of a constant; std::nullopt for others, and for constants without bytes.
std::optional<ir::Tensor> loaded_value(const TensorEntry& entry);
/// The value of all elements, in the entry's dtype; empty if there may be several values.
std::optional<ir::Tensor> single_value(const TensorEntry& entry);
/// True for a constant of only zeros.
bool is_zero(const TensorEntry& entry);
/// `tensor` in another dtype; empty if an element does not fit.
std::optional<ir::Tensor> converted(const ir::Tensor& tensor, DType dtype);
/// The same elements in another shape without copying, if the strides allow it.
std::optional<ir::Tensor> viewed(const ir::Tensor& tensor, const Ints& shape);
/// Broadcast axes (stride 0) reduced to extent 1.
ir::Tensor without_broadcast_axes(const ir::Tensor& tensor);
int64_t stored_bytes(const TensorEntry& entry);
/// True if the writer may convert a large constant once: only to a smaller float dtype.
bool may_cast_later(const TensorEntry& entry, DType dtype);

/// The 8-bit integer dtype in which a large enough float tensor is stored, if there is one.
std::optional<DType> codes_of(const TensorEntry& entry);

/// "f32[2,3]"
std::string type_str(DType dtype, const Shape& shape);

}  // namespace t2n::draft
