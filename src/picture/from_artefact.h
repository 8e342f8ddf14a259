// SPDX-License-Identifier: Apache-2.0
// The picture of an artefact of any exporter.
#pragma once

#include <string>

#include "src/nnef/artefact.h"
#include "src/picture/picture.h"

namespace t2n::picture {

/// One node per statement. Groups are modules, as far as labels of variables and names of tensors
/// show them. Types are those that the statements determine.
Picture from_artefact(const nnef::Artefact& artefact, std::string title);

}  // namespace t2n::picture
