// SPDX-License-Identifier: Apache-2.0
// The dynamic axes of a model: those that its file declares, and those of the user.
#pragma once

#include <vector>

#include "src/export/traced_model.h"
#include "src/target/target.h"

namespace t2n {

/// The user's options, completed by the axes of a .pt2 file and the bounds of their symbols. An
/// axis that both declare has the user's size, as has every other axis with the same symbol.
/// `report` receives a warning for each bound that no engine can read. Errors: `usage` for an axis
/// that the file does not declare: its program holds for one size.
DynamicOptions with_declared_axes(const LoadedModel& model, DynamicOptions dynamic,
                                  const Report& report);

/// The same for an export to a target: a strict file has one size unless the user names axes.
DynamicOptions axes_for_target(const LoadedModel& model, DynamicOptions dynamic,
                               const target::Target& target, const Report& report);

/// Closes axes of a .pt2 file whose symbols have a size by --specialize: they are no dynamic axes
/// any more, and the file's samples get that size. Returns these axes. Errors: `usage` for a symbol
/// that neither the file nor --dynamic names, and for a size that the program does not hold for.
std::vector<dynamic::AxisSpec> close_axes(trace::ModelInfo& model, const DynamicOptions& dynamic);
/// Refuses assertions about sizes that no axis declares, of the user or of a .pt2 file: `usage`.
void require_assertions(const LoadedModel& model, const DynamicOptions& dynamic);
/// Refuses samples of other sizes: `usage`. `closed`: the result of close_axes.
void require_closed_sizes(const std::vector<dynamic::AxisSpec>& closed,
                          const std::vector<Sample>& samples);
/// The user's options without axes of LoadedModel::closed.
DynamicOptions without_closed_axes(const LoadedModel& model, DynamicOptions dynamic);

/// The axes that a graph in text form declares.
std::vector<dynamic::AxisSpec> axes_of(const ir::Graph& graph);

}  // namespace t2n
