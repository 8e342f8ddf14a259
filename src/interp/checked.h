// Lists whose length an artefact, or one of its operations, determines.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace t2n::interp {

/// Throws Error `nnef-invalid`.
[[noreturn]] void fail_length(size_t place, size_t count);

/// A vector with checked access: a kernel that relies on a length which the artefact does not keep
/// throws an error.
template <typename T>
class Checked : public std::vector<T> {
 public:
  using Base = std::vector<T>;
  using Base::Base;
  Checked() = default;
  Checked(Base items) : Base(std::move(items)) {}  // NOLINT: one kind of list

  T& operator[](size_t place) { return Base::operator[](checked(place)); }
  const T& operator[](size_t place) const { return Base::operator[](checked(place)); }
  T& at(size_t place) { return (*this)[place]; }
  const T& at(size_t place) const { return (*this)[place]; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[this->size() - 1]; }
  const T& back() const { return (*this)[this->size() - 1]; }

 private:
  size_t checked(size_t place) const {
    if (place >= this->size()) fail_length(place, this->size());
    return place;
  }
};

}  // namespace t2n::interp
