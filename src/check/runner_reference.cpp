// SPDX-License-Identifier: Apache-2.0
// Runs models in the reference interpreter.
#include "ir/cast.h"
#include "src/check/runner.h"
#include "src/diag/error.h"
#include "src/limits/limits.h"
#include "src/limits/watch.h"
#include "src/model/torch_module.h"
#include "src/nnef/artefact.h"

namespace t2n::check {
namespace {

bool are_same_kind(ir::DType actual, ir::DType expected) {
  return (ir::is_float(actual) && ir::is_float(expected)) ||
         (ir::is_integer(actual) && ir::is_integer(expected));
}

ir::Tensor converted(const ir::Tensor& tensor, ir::DType dtype) {
  const ir::Tensor plain = ir::contiguous(tensor);
  ir::OwnedTensor out = ir::allocate(dtype, plain.shape);
  ir::cast_elements(plain.dtype, plain.bytes, dtype, out.data);
  return out.tensor;
}

/// NNEF's scalars, integers and logicals have no widths: a model's f64 or i32 is converted to the
/// interpreter's type. tract's inputs have widths, which must match.
ir::Tensor fed(const ir::Tensor& input, const interp::ProgramPort& port, spec::Dialect dialect) {
  if (dialect == spec::Dialect::tract || input.dtype == port.dtype) return input;
  if (!are_same_kind(input.dtype, port.dtype))
    throw Error("engine-failed",
                cat("the input ", quoted(port.name), " is of ", ir::dtype_name(port.dtype),
                    ", not of ", ir::dtype_name(input.dtype)));
  return converted(input, port.dtype);
}

class ReferenceRunner final : public Runner {
 public:
  ReferenceRunner(const interp::InterpModule& module, spec::Dialect dialect)
      : module_(module), dialect_(dialect) {}

  std::string name() const override { return "the reference interpreter"; }

  void load(const std::string& artefact) override {
    program_ = module_.load(nnef::read_artefact(artefact), dialect_);
    ports_ = module_.inputs(*program_);
  }

  std::vector<ir::Tensor> run(const std::vector<ir::Tensor>& inputs) override {
    T2N_ASSERT(program_ != nullptr, "no model is loaded");
    std::vector<ir::Tensor> fed_inputs;
    for (size_t at = 0; at < inputs.size(); ++at)
      fed_inputs.push_back(at < ports_.size() ? fed(inputs[at], ports_[at], dialect_) : inputs[at]);
    const limits::Stage stage("running the reference interpreter", limits::kReferenceSeconds);
    module_.reset(*program_);  // like the engine worker, which starts each run with a fresh state
    return module_.run(*program_, fed_inputs);
  }

 private:
  const interp::InterpModule& module_;
  spec::Dialect dialect_;
  std::shared_ptr<interp::Program> program_;
  std::vector<interp::ProgramPort> ports_;
};

}  // namespace

std::unique_ptr<Runner> reference_runner(const interp::InterpModule& module,
                                         spec::Dialect dialect) {
  return std::make_unique<ReferenceRunner>(module, dialect);
}

}  // namespace t2n::check

const t2n::interp::InterpModule& t2n::interp_module() {
  using Entry = const interp::InterpModule* (*)();
  static const interp::InterpModule* const module =
      reinterpret_cast<Entry>(torch_module_symbol(interp::kInterpModuleSymbol))();
  return *module;
}
