// SPDX-License-Identifier: Apache-2.0
// Fixtures that passes and commands are tried on, with values for their inputs.
#pragma once

namespace t2n::test {

struct Fixture {
  const char* model;
  const char* inputs;
};

inline constexpr Fixture kFixtures[] = {
    {"digits_cnn/model.pt", "digits_cnn/input.npz"},
    {"digits_qat/lsq_scripted.pt", "digits_qat/input.npz"},
    {"digits_qat/fx_int8.pt", "digits_qat/input.npz"},
    {"digits_brevitas/weights4.pt", "digits_brevitas/input.npz"},
    {"series_gru/model.pt", "series_gru/input.npz"},
    {"transformer_encoder/scripted.pt", "transformer_encoder/input.npz"},
    {"lstm_tagger/model.pt", "lstm_tagger/input.npz"},
    {"control_flow/model.pt", "control_flow/input.npz"},
    {"shared_nested/scripted.pt", "shared_nested/input.npz"},
    {"inplace_views/model.pt", "inplace_views/input.npz"},
    {"mixed_dtypes/model.pt", "mixed_dtypes/input.npz"},
    {"cached_tables/model.pt", "cached_tables/input.npz"},
    {"frozen_cnn/model.pt", "frozen_cnn/input.npz"},
    {"quantised/static_lstm_scripted.pt", "quantised/static_lstm.npz"},
    {"quantised/recommender.pt", "quantised/recommender.npz"},
};

}  // namespace t2n::test
