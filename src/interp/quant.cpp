#include "src/interp/quant.h"

namespace t2n::interp {

Value quantised(const nnef::QuantEntry&, const Value& value) { return value; }

}  // namespace t2n::interp
