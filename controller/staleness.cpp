#include "controller/staleness.h"

#include <algorithm>

namespace treering::controller {

void Staleness::consumed(const std::vector<std::string>& names, std::uint64_t position) {
  latest_ = position;
  for (const std::string& name : names) {
    consumed_[name] = position;
    log_.push_back({position, name, false, 0});
  }
}

void Staleness::retired(std::shared_ptr<const Definition> definition, std::uint64_t position) {
  const DefinitionId id = definition->id;
  retired_[id] = {std::move(definition), position};
  log_.push_back({position, {}, true, id});
}

bool Staleness::is_void(const std::string& name, std::uint64_t seen) const {
  const auto found = consumed_.find(name);
  return found != consumed_.end() && seen < found->second;
}

bool Staleness::is_void(const Post& post, std::uint64_t seen) const {
  if (seen >= latest_) return false;
  if (seen < everything_) return true;
  bool any = false;
  for_each_name(post, [&](const std::string& name) { any = any || is_void(name, seen); });
  return any;
}

bool Staleness::is_void(const Request& request, std::uint64_t seen) const {
  if (seen >= latest_) return false;
  if (seen < everything_) return true;
  return std::any_of(request.tensors.begin(), request.tensors.end(),
                     [&](const TensorSpec& tensor) { return is_void(tensor.name, seen); });
}

std::shared_ptr<const Definition> Staleness::retired_after(std::uint64_t seen, DefinitionId id) const {
  const auto found = retired_.find(id);
  return found != retired_.end() && seen < found->second.position ? found->second.definition : nullptr;
}

void Staleness::acknowledge(std::uint64_t position) {
  while (!log_.empty() && log_.front().position <= position) {
    const Record& record = log_.front();
    if (record.is_retirement) {
      retired_.erase(record.id);
    } else if (const auto found = consumed_.find(record.name);
               found != consumed_.end() && found->second == record.position) {
      consumed_.erase(found);
    }
    log_.pop_front();
  }
}

}  // namespace treering::controller
