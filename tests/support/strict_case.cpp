#include "tests/support/strict_case.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "ir/cast.h"
#include "nnef_writer/archive.h"
#include "nnef_writer/dat.h"
#include "nnef_writer/print.h"
#include "src/check/runner.h"
#include "src/diag/error.h"
#include "src/export/torch_module.h"
#include "tests/support/reference.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

/// The folder of this program, emptied on first use.
const std::optional<fs::path>& cases() {
  static const std::optional<fs::path> folder = []() -> std::optional<fs::path> {
    const char* base = std::getenv("T2NNEF_STRICT_CASES");
    if (base == nullptr || *base == '\0') return {};
    const fs::path out = fs::path(base) / fs::read_symlink("/proc/self/exe").filename();
    fs::remove_all(out);
    fs::create_directories(out);
    return out;
  }();
  return folder;
}

ir::Tensor in_dtype(const ir::Tensor& tensor, ir::DType dtype) {
  if (tensor.dtype == dtype) return tensor;
  const ir::Tensor rows = ir::contiguous(tensor);
  ir::OwnedTensor out = ir::allocate(dtype, tensor.shape);
  const auto bytes = static_cast<size_t>(rows.elements() * ir::dtype_size(rows.dtype));
  ir::cast_elements(rows.dtype, rows.bytes.first(bytes), dtype, out.data);
  return std::move(out.tensor);
}

void write_tensor(const fs::path& path, const ir::Tensor& tensor) {
  const bool is_float = ir::is_float(tensor.dtype);  // `scalar` has no width
  nnef::Blob blob{.label = path.stem().string(),
                  .dtype = is_float ? ir::DType::f32 : tensor.dtype,
                  .shape = tensor.shape,
                  .parts = {tensor}};
  blob.bit_packed = tensor.dtype == ir::DType::boolean;
  std::ofstream file(path, std::ios::binary);
  nnef::write_dat(blob, [&](std::span<const std::byte> bytes) {
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  });
}

std::vector<ir::Tensor> as_pairs(const std::vector<ir::Tensor>& tensors) {
  std::vector<ir::Tensor> out;
  for (const ir::Tensor& tensor : tensors) out.push_back(ir::as_pairs(tensor));
  return out;
}

/// Integers beyond 2^24, and floats beyond f32: what scalars cannot hold is not compared.
bool is_beyond_scalars(const std::vector<ir::Tensor>& tensors) {
  constexpr double kExact = 16777216;
  for (const ir::Tensor& tensor : tensors)
    for (const double value : ir::to_f64(ir::as_pairs(tensor))) {
      const bool fits = ir::is_float(tensor.dtype) || std::abs(value) <= kExact;
      const bool is_wide = std::isfinite(value) && !std::isfinite(static_cast<float>(value));
      if (is_wide || (ir::is_integer(tensor.dtype) && !fits)) return true;
    }
  return false;
}

/// NNEF's types have no width.
Run as_torch_has_them(Run run) {
  for (size_t i = 0; i < run.actual.size() && i < run.expected.size(); ++i) {
    run.actual[i] = in_dtype(run.actual[i], run.expected[i].dtype);
  }
  return run;
}

bool is_refusal(const Error& error) { return error.diagnostic().id.starts_with("unsupported-"); }

}  // namespace

void leave_strict_case(const Example& example) {
  if (!cases()) return;
  static int count = 0;
  const fs::path folder = *cases() / std::to_string(count++);
  fs::create_directories(folder);
  const target::Target khronos = target::parse_target("khronos");
  std::optional<Exported> exported;
  try {
    exported = export_example(example, khronos);
  } catch (const Error& error) {
    if (!is_refusal(error)) throw;
    std::ofstream(folder / "refused.txt") << render_text(error.diagnostic());
    return;
  }
  if (is_beyond_scalars(example.inputs) || is_beyond_scalars(example.expected)) return;
  nnef::write_artefact(exported->document, {folder / "model", nnef::Destination::Form::folder, 0})
      .commit();
  const std::vector<ir::Tensor> inputs = as_pairs(example.inputs);
  const std::vector<ir::Tensor> expected = as_pairs(example.expected);
  for (size_t i = 0; i < inputs.size(); ++i)
    write_tensor(folder / cat("input_", i, ".dat"), inputs[i]);
  for (size_t i = 0; i < expected.size(); ++i)
    write_tensor(folder / cat("output_", i, ".dat"), expected[i]);
  const auto runner = check::reference_runner(interp_module(), spec::Dialect::khronos);
  runner->load((folder / "model").string());
  const Run run{expected,       runner->run(inputs),          nnef::print(exported->document),
                exported->uses, target::target_name(khronos), {}};
  // LibTorch's kernels round every step of a recurrent layer to 16 bits, the file rounds its
  // result.
  const bool has_halves =
      std::any_of(example.expected.begin(), example.expected.end(),
                  [](const ir::Tensor& t) { return t.dtype == ir::DType::f16; });
  CHECK_CLOSE(as_torch_has_them(run), rel(has_halves ? 2e-3 : 1e-3));
}

}  // namespace t2n::test
