// SPDX-License-Identifier: Apache-2.0
#include "src/loops/body.h"

#include "src/diag/error.h"

namespace t2n::loops {

using ir::ValueId;

Body::Body(const ir::Graph& outer) {
  graph_->name = "iteration";
  graph_->scopes = outer.scopes;
  graph_->sources = outer.sources;
}

ValueId Body::value(const std::string& name, ir::DType dtype, const ir::Shape& shape) {
  std::string unique = name;
  for (int i = 1; !names_.insert(unique).second; ++i) unique = cat(name, "_", i);
  return ir::add_value(*graph_, {unique, dtype, shape, {}});
}

ValueId Body::value_like(const ir::Value& like) {
  const ValueId id = value(like.name, like.dtype, like.shape);
  graph_->values[id].quant = like.quant;
  return id;
}

ValueId Body::node(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                   const ir::Shape& shape, const ir::Node& origin) {
  ir::Node out;
  out.op = ir::op_id(op);
  out.args = std::move(args);
  out.scope = origin.scope;
  out.source = origin.source;
  out.call = static_cast<int>(graph_->nodes.size());
  out.outputs = {value(std::string(ir::op_short_name(op)), dtype, shape)};
  graph_->nodes.push_back(out);
  return out.outputs[0];
}

}  // namespace t2n::loops
