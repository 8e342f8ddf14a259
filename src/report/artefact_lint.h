// What can be seen of odd quantisation in an artefact of any exporter.
#pragma once

#include <string>
#include <vector>

#include "src/nnef_reader/artefact.h"

namespace t2n::report {

struct ArtefactFinding {
  std::string rule;
  std::string message;
  std::string help;
};

/// `idle-pair`: what is made integers and floats again with nothing between, or quantised twice.
/// `float-constant`: weights that are quantised at run time, and those in floats that are whole
/// numbers times one scale, or one per row.
std::vector<ArtefactFinding> lint_artefact(const nnef::Artefact& artefact);

}  // namespace t2n::report
