// Lint rules for the values of an artefact's variables.
#pragma once

#include "src/report/artefact_view.h"

namespace t2n::report {

/// The smallest scale of observers: for a range of only zeros.
inline constexpr double kLeastScale = 1.1920928955078125e-07;

/// Whether floats are integers of at most 8 bits times one scale, or one scale per row.
bool is_scaled_integers(const ir::Tensor& tensor);

/// Finds channels of weights that contain only zeros.
void find_dead_channels(const ArtefactView& view, std::vector<Finding>& findings);
/// Finds equal values under two labels, and floats that are stored with their quantised integers.
void find_stored_twice(const ArtefactView& view, std::vector<Finding>& findings);

}  // namespace t2n::report
