// SPDX-License-Identifier: Apache-2.0
// Finds a LibTorch that one of t2nnef's modules serves.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace t2n {

/// A folder with lib/libtorch_cpu.so: a wheel's `torch`, the libtorch archive, or a prefix.
struct LibTorch {
  std::string folder;   ///< "" for the one that the dynamic linker finds
  std::string version;  ///< "2.13.0+cpu"; "" if no file there says it
  std::string origin;  ///< "T2NNEF_TORCH", "t2nnef's folder", "VIRTUAL_ENV", "python3", "the system"
};

/// One of our shared libraries. It serves one minor version, as LibTorch's C++ interface changes
/// with each.
struct TorchLibrary {
  std::string path;
  std::string version;  ///< "2.13"
};

/// Those in a folder: libt2nnef_torch-2.13.so and the like, newest first, then libt2nnef_torch.so,
/// which is for `built_for`.
std::vector<TorchLibrary> torch_libraries(const std::string& folder, const std::string& built_for);

struct TorchSearch {
  std::string environment;  ///< of T2NNEF_TORCH; if set, it alone counts
  std::string own_folder;   ///< the folder of our libraries: PREFIX/lib/t2nnef
  std::string prefix = {};  ///< where t2nnef is installed; pip installs torch there, too
  std::string virtual_env;  ///< of VIRTUAL_ENV
  std::vector<std::string> pythons = {"python3", "python"};
};

/// Loads a library with a LibTorch; says why it cannot, or nothing.
using LoadTorch = std::function<std::optional<std::string>(const TorchLibrary&, const LibTorch&)>;

struct TorchFound {
  std::optional<LibTorch> torch;      ///< the first one that loads
  std::vector<std::string> problems;  ///< those before it: "LibTorch 2.11.0 of python3, in …: …"
};

/// Tries T2NNEF_TORCH, what is next to our libraries, the active Python's torch and the system's.
/// No Python is started if an earlier one loads.
TorchFound find_torch(const TorchSearch& search, const std::vector<TorchLibrary>& libraries,
                      const LoadTorch& load);

/// The version that the files of a LibTorch say; "" if none does.
std::string version_of_torch(const std::string& folder);

}  // namespace t2n
