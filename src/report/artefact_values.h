// Rules of the lint about the values of an artefact's variables.
#pragma once

#include "src/report/artefact_view.h"

namespace t2n::report {

/// The smallest scale of observers: for a range of only zeros.
inline constexpr double kLeastScale = 1.1920928955078125e-07;

/// Whether floats are whole numbers of at most 8 bits times one scale, or one per row.
bool is_on_grid(const ir::Tensor& tensor);

/// Rows of weights that contain only zeros, or have the smallest scale.
void find_dead_channels(const ArtefactView& view, std::vector<Finding>& findings);
/// Equal values under two labels, and floats beside their rounded integers.
void find_stored_twice(const ArtefactView& view, std::vector<Finding>& findings);

}  // namespace t2n::report
