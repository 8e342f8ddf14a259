// Rules of the lint on what an artefact's variables hold.
#pragma once

#include "src/report/artefact_view.h"

namespace t2n::report {

/// What observers give at the least: a range of nothing but zeros.
inline constexpr double kLeastScale = 1.1920928955078125e-07;

/// Whether floats are whole numbers of at most 8 bits times one scale, or one per row.
bool is_on_grid(const ir::Tensor& tensor);

/// Rows of weights that are zero throughout, or whose scale is the least.
void find_dead_channels(const ArtefactView& view, std::vector<Finding>& findings);
/// The same values under two labels, and floats beside the integers that they round to.
void find_stored_twice(const ArtefactView& view, std::vector<Finding>& findings);

}  // namespace t2n::report
