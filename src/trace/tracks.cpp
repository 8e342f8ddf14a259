#include "src/trace/tracks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ir/op_traits.h"
#include "src/diag/error.h"

namespace t2n::trace {

int Tracks::find(const at::Tensor& tensor) const {
  const auto found = by_tensor_.find(tensor.unsafeGetTensorImpl());
  return found == by_tensor_.end() ? -1 : found->second;
}

int Tracks::root_of(const at::Tensor& tensor) {
  const auto* storage = tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
  const auto known = storage == nullptr ? by_storage_.end() : by_storage_.find(storage);
  if (known != by_storage_.end()) {
    if (roots_[static_cast<size_t>(known->second)].version > 0)
      throw Error("unsupported-inplace",
                  "a tensor is read after another tensor on the same memory was written",
                  "the two share memory without one being a view of the other",
                  "clone() one of them before the model is saved");
    return known->second;
  }
  const auto out = static_cast<int>(roots_.size());
  roots_.push_back(Root{storage == nullptr ? c10::weak_intrusive_ptr<c10::StorageImpl>(
                                                 c10::intrusive_ptr<c10::StorageImpl>())
                                           : tensor.storage().getWeakStorageImpl(),
                        0, 0});
  if (storage != nullptr) by_storage_[storage] = out;
  return out;
}

int Tracks::add(const at::Tensor& tensor, ir::ValueId value, int parent,
                std::shared_ptr<const View> view) {
  Track track{
      TensorHandle(tensor.getIntrusivePtr()), value, -1, parent, std::move(view), 0, false, false};
  const auto index = static_cast<int>(tracks_.size());
  if (parent >= 0) {
    track.root = (*this)[parent].root;
  } else {
    track.root = root_of(tensor);
    ++root(track).tracks_without_parent;
  }
  track.seen = root(track).version;
  tracks_.push_back(std::move(track));
  by_tensor_[tensor.unsafeGetTensorImpl()] = index;
  return index;
}

bool Tracks::is_above(int track, int view) const {
  while (view >= 0 && (view = (*this)[view].parent) >= 0)
    if (view == track) return true;
  return false;
}

at::Tensor Tracks::returned(const at::Tensor& tensor) const {
  const int at = find(tensor);
  if (at < 0 || (*this)[at].view == nullptr) return tensor;
  const std::string_view op = ir::op_name((*this)[at].view->call.node.op);
  if (op != "aten::contiguous") return tensor;
  const auto held = (*this)[(*this)[at].parent].tensor.lock();
  return held ? returned(at::Tensor(held)) : tensor;
}

bool Tracks::repeats(int index) const {
  for (int at = index; at >= 0; at = (*this)[at].parent) {
    const Track& track = (*this)[at];
    if (track.view == nullptr) continue;
    const std::string_view op = ir::op_name(track.view->call.node.op);
    if (has_trait(op.substr(0, op.find('.')), ir::OpTrait::repeats_elements)) return true;
  }
  return false;
}

bool Tracks::is_open_shape(const at::Tensor& tensor) const {
  const int track = find(tensor);
  return track >= 0 && (*this)[track].open_shape;
}

bool Tracks::is_open_rank(const at::Tensor& tensor) const {
  const int track = find(tensor);
  return track >= 0 && (*this)[track].open_rank;
}

bool Tracks::has_open_shape(const torch::jit::Stack& inputs) const {
  return std::any_of(inputs.begin(), inputs.end(), [this](const c10::IValue& input) {
    const std::vector<at::Tensor> tensors = flatten_tensors(input);
    return std::any_of(tensors.begin(), tensors.end(),
                       [this](const at::Tensor& tensor) { return is_open_shape(tensor); });
  });
}

std::optional<at::Tensor> Tracks::owner(const at::Tensor& tensor) const {
  int at = find(tensor);
  if (at < 0) return std::nullopt;
  while ((*this)[at].parent >= 0) at = (*this)[at].parent;
  const auto held = (*this)[at].tensor.lock();
  if (!held) return std::nullopt;
  const at::Tensor out(held);
  const bool is_whole = out.is_contiguous() && out.storage_offset() == 0;
  return is_whole && out.scalar_type() == tensor.scalar_type() ? std::optional(out) : std::nullopt;
}

int64_t Tracks::version(const at::Tensor& tensor) const {
  const int track = find(tensor);
  return track < 0 ? 0 : root((*this)[track]).version;
}

bool Tracks::is_made_since(const at::Tensor& tensor, size_t roots) const {
  const int track = find(tensor);
  if (track < 0) return false;
  const Track& made = (*this)[track];
  return static_cast<size_t>(made.root) >= roots && !root(made).is_given;
}

bool Tracks::is_choice(const at::Tensor& tensor) const {
  const int track = find(tensor);
  return track >= 0 && root((*this)[track]).is_choice;
}

void Tracks::forbid_writes(const std::vector<Choice>& choices, const std::vector<at::Tensor>& given,
                           size_t known) {
  std::map<size_t, int> uses;
  for (const at::Tensor& tensor : given)
    if (const int track = find(tensor); track >= 0)
      ++uses[static_cast<size_t>((*this)[track].root)];
  for (const Choice& choice : choices) {
    std::vector<size_t> of;
    bool is_own = choice.yes.strides() == choice.no.strides();
    for (const at::Tensor& tensor : {choice.chosen, choice.yes, choice.no}) {
      const int track = find(tensor);
      T2N_ASSERT(track >= 0, "a choice of a tensor that is not known");
      of.push_back(static_cast<size_t>((*this)[track].root));
      const Root& root = roots_[of.back()];
      is_own =
          is_own && of.back() >= known && !root.is_given && !root.is_choice && uses[of.back()] <= 1;
    }
    for (const size_t root : of) roots_[root].is_choice = roots_[root].is_choice || !is_own;
  }
}

}  // namespace t2n::trace
