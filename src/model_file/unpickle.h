// SPDX-License-Identifier: Apache-2.0
// Reads a pickle as data: nothing in it is called or imported.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace t2n::model_file {

/// A value of a pickle. Values refer to each other by their index in Pickle::values.
struct PickleValue {
  using Id = uint32_t;
  enum class Kind {
    none,
    integer,  ///< also booleans
    other,    ///< a float, bytes, or the result of a call that tensors do not need
    string,   ///< text
    global,   ///< text: "torch._utils._rebuild_tensor_v2"
    list,     ///< items; also tuples
    dict,     ///< items: keys and values, alternately
    object,   ///< text: its class; items: its state, if it has one
    call,     ///< text: the function; items: its arguments
    storage,  ///< items: the parts of a persistent id
  };
  Kind kind = Kind::other;
  int64_t integer = 0;
  std::string text = {};
  std::vector<Id> items = {};
};

struct Pickle {
  std::vector<PickleValue> values;
  PickleValue::Id root = 0;
};

/// Reads what torch.save and torch.jit.save write (protocol 2). Values do not contain themselves
/// and are nested at most kMaxValueDepth deep. Errors: `model-corrupt`; `model-format` for another
/// protocol, and for a class or function that torch.save of tensors does not need: such a file may
/// run any code when Python loads it.
Pickle read_pickle(std::span<const char> bytes, const std::string& path);

}  // namespace t2n::model_file
