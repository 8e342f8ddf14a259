// SPDX-License-Identifier: Apache-2.0
#include "tests/support/strict_case.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "ir/cast.h"
#include "nnef_writer/archive.h"
#include "nnef_writer/dat.h"
#include "nnef_writer/print.h"
#include "src/check/runner.h"
#include "src/diag/error.h"
#include "tests/support/reference.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRefused = "refused.txt";

/// The folder of this program, emptied on first use.
const std::optional<fs::path>& cases() {
  static const std::optional<fs::path> folder = []() -> std::optional<fs::path> {
    const char* base = std::getenv("T2NNEF_STRICT_CASES");
    if (base == nullptr || *base == '\0') return {};
    const fs::path out = fs::path(base) / program_invocation_short_name;
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
std::string_view kind(ir::DType dtype) {
  if (dtype == ir::DType::boolean) return "logical";
  return ir::is_integer(dtype) ? "integer" : "scalar";
}

bool is_refusal(const Error& error) { return error.diagnostic().id.starts_with("unsupported-"); }

/// "a model of aten::arange, aten::mul.Tensor"
std::string model_of(const ir::Graph& graph) {
  std::set<std::string> names;
  for (const OperatorUse& use : operator_uses(graph)) names.insert(use.op);
  std::string out;
  for (const std::string& name : names) out += cat(out.empty() ? "a model of " : ", ", name);
  return out.empty() ? "a model" : out;
}

/// A line per problem, its parts separated by tabs.
void leave_refusal(const fs::path& folder, const ir::Graph& graph, const Diagnostic& diagnostic) {
  std::ofstream file(folder / kRefused);
  for (const Refused& each : refusals(diagnostic))
    file << (each.op.empty() ? model_of(graph) : each.op) << '\t' << each.argument << '\t'
         << each.why << '\n';
}

void leave_tensors(const fs::path& folder, std::string_view name,
                   const std::vector<ir::Tensor>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i)
    write_tensor(folder / cat(name, "_", i, ".dat"), tensors[i]);
}

/// The case's own, but what f32 can give: NNEF's scalars have no more in any interpreter.
check::Tolerance tolerance_of(const check::Tolerance& own, ir::DType dtype) {
  constexpr double kSingle = 5e-5;
  check::Margins bounds = check::margins_for(own, dtype);
  if (dtype == ir::DType::f64) {
    bounds.absolute = std::max(bounds.absolute, kSingle);
    bounds.relative = std::max(bounds.relative, kSingle);
  }
  return {check::Level::custom, bounds};
}

/// The relative error of rounding to a half type, which NNEF-Tools does not.
double rounding(ir::DType dtype) {
  if (dtype == ir::DType::f16) return 0x1p-11;
  return dtype == ir::DType::bf16 ? 0x1p-8 : 0;
}

/// For NNEF-Tools: "absolute relative outliers", a line per output.
void leave_tolerance(const fs::path& folder, const std::vector<ir::Tensor>& expected,
                     const check::Tolerance& tolerance) {
  std::ofstream file(folder / "tolerance.txt");
  for (const ir::Tensor& tensor : expected) {
    const check::Margins bounds = tolerance_of(tolerance, tensor.dtype).custom;
    file << bounds.absolute << ' ' << std::max(bounds.relative, rounding(tensor.dtype)) << ' '
         << bounds.outliers << '\n';
  }
}

}  // namespace

void start_strict_cases() { cases(); }

StrictRun run_strict_case(const Example& example) {
  if (!cases()) return {};
  static int count = 0;
  const fs::path folder = *cases() / std::to_string(count++);
  fs::create_directories(folder);
  const target::Target khronos = target::parse_target("khronos");
  std::optional<Exported> exported;
  try {
    exported = export_example(example, khronos);
  } catch (const Error& error) {
    if (!is_refusal(error)) throw;
    leave_refusal(folder, example.graph, error.diagnostic());
    return {};
  }
  if (is_beyond_scalars(example.inputs) || is_beyond_scalars(example.expected)) return {};
  nnef::write_artefact(exported->document, {folder / "model", nnef::Destination::Form::folder, 0})
      .commit();
  const std::vector<ir::Tensor> inputs = as_pairs(example.inputs);
  leave_tensors(folder, "input", inputs);
  leave_tensors(folder, "output", as_pairs(example.expected));
  const auto runner = check::reference_runner(interp_module(), spec::Dialect::khronos);
  runner->load((folder / "model").string());
  return {runner->run(inputs), exported->uses, folder.string(), true};
}

void drop_strict_case(Run& run) {
  if (!run.strict.folder.empty()) fs::remove_all(run.strict.folder);
  run.strict = {};
}

std::string strict_differences(const Run& run, const check::Tolerance& tolerance) {
  const StrictRun& strict = run.strict;
  if (!strict.is_done) return {};
  const std::vector<ir::Tensor> expected = as_pairs(run.expected);
  leave_tolerance(strict.folder, expected, tolerance);
  const bool has_all = strict.outputs.size() == expected.size();
  std::string out = has_all ? "" : cat("strict NNEF has ", strict.outputs.size(), " outputs\n");
  for (size_t i = 0; has_all && i < expected.size(); ++i) {
    const ir::Tensor& torch = expected[i];
    const ir::Tensor& actual = strict.outputs[i];
    const std::string name = cat("strict NNEF's output_", i);
    if (kind(torch.dtype) != kind(actual.dtype)) {
      out += cat(quoted(name), ": ", kind(actual.dtype), ", expected ", kind(torch.dtype), "\n");
      continue;
    }
    const auto comparison =
        check::compare(torch, in_dtype(actual, torch.dtype), tolerance_of(tolerance, torch.dtype));
    if (comparison.verdict != check::Verdict::ok)
      out += check::mismatch_text(name, comparison) + "\n";
  }
  record(strict.uses, target::target_name(target::parse_target("khronos")),
         out.empty() ? Outcome::right : Outcome::wrong);
  return out;
}

std::vector<Refused> strict_refusals(const std::string& folder,
                                     const std::vector<std::string>& programs) {
  std::vector<Refused> out;
  for (const std::string& program : programs) {
    T2N_ASSERT(fs::is_directory(fs::path(folder) / program), program, " left no cases");
    for (const fs::directory_entry& each : fs::directory_iterator(fs::path(folder) / program)) {
      std::ifstream file(each.path() / kRefused);
      for (std::string line; std::getline(file, line);) {
        const size_t first = line.find('\t'), second = line.find('\t', first + 1);
        out.push_back({line.substr(0, first), line.substr(first + 1, second - first - 1),
                       line.substr(second + 1)});
      }
    }
  }
  return out;
}

}  // namespace t2n::test
