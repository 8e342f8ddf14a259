#include "tests/support/strict_case.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "nnef_writer/archive.h"
#include "nnef_writer/dat.h"
#include "src/diag/error.h"

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

void write_tensor(const fs::path& path, const ir::Tensor& given) {
  const ir::Tensor tensor = ir::as_pairs(given);
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

bool is_refusal(const Error& error) { return error.diagnostic().id.starts_with("unsupported-"); }

}  // namespace

void leave_strict_case(const Example& example) {
  if (!cases()) return;
  static int count = 0;
  const fs::path folder = *cases() / std::to_string(count++);
  try {
    const Exported exported = export_example(example, target::parse_target("khronos"));
    fs::create_directories(folder);
    nnef::write_artefact(exported.document, {folder / "model", nnef::Destination::Form::folder, 0})
        .commit();
  } catch (const Error& error) {
    if (!is_refusal(error)) throw;
    fs::create_directories(folder);
    std::ofstream(folder / "refused.txt") << render_text(error.diagnostic());
    return;
  }
  std::ofstream(folder / "ir.txt") << ir::print(example.graph);
  for (size_t i = 0; i < example.inputs.size(); ++i)
    write_tensor(folder / cat("input_", i, ".dat"), example.inputs[i]);
  for (size_t i = 0; i < example.expected.size(); ++i)
    write_tensor(folder / cat("output_", i, ".dat"), example.expected[i]);
}

}  // namespace t2n::test
