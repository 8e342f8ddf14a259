// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/setstate.h"

#include <torch/csrc/jit/api/module.h>

#include "src/frontend/load/slots.h"
#include "src/frontend/record/module_names.h"
#include "src/frontend/run/interpreter.h"

namespace t2n::trace {
namespace {

/// An empty object to watch: writes of `__setstate__` are kept.
ObjectPtr empty_object() { return torch::jit::Module("Nothing")._ivalue(); }

}  // namespace

c10::intrusive_ptr<c10::ivalue::Object> make_by_setstate(const c10::StrongTypePtr& type,
                                                         const c10::IValue& state,
                                                         SourceMap& sources) {
  const auto class_type = type.type_->expect<c10::ClassType>();
  auto object = c10::ivalue::Object::create(type, class_type->numAttributes());
  const torch::jit::Module scope(empty_object());
  ir::Graph scratch;
  const ModuleNames names(scope, scratch);
  const TraceOptions options;
  StateWatch watch(scope._ivalue());
  Interpreter interpreter(scratch, names, sources, options, nullptr, nullptr, watch);
  interpreter.run_method(object, "__setstate__", {state});
  check_slots(*object);
  return object;
}

}  // namespace t2n::trace
