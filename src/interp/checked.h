// SPDX-License-Identifier: Apache-2.0
// Lists whose length comes from an artefact.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace t2n::interp {

/// Throws Error `nnef-invalid`.
[[noreturn]] void fail_length(size_t index, size_t count);

/// A vector with checked access: throws an error if an artefact has fewer items than a kernel
/// needs.
template <typename T>
class Checked : public std::vector<T> {
 public:
  using Base = std::vector<T>;
  using Base::Base;
  Checked() = default;
  Checked(Base items) : Base(std::move(items)) {}  // NOLINT: one kind of list

  T& operator[](size_t index) { return Base::operator[](checked(index)); }
  const T& operator[](size_t index) const { return Base::operator[](checked(index)); }
  T& at(size_t index) { return (*this)[index]; }
  const T& at(size_t index) const { return (*this)[index]; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[this->size() - 1]; }
  const T& back() const { return (*this)[this->size() - 1]; }

 private:
  size_t checked(size_t index) const {
    if (index >= this->size()) fail_length(index, this->size());
    return index;
  }
};

}  // namespace t2n::interp
