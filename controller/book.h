#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/request.h"

namespace treering::controller {

/// Lets maps keyed by std::string be searched with a std::string_view.
struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
};

template <class T>
using NameMap = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;

/// The definitions that are current at this point of the stream. A name has at most one; a bundle's is current for all
/// of its names or for none.
class Book {
 public:
  using Entry = std::shared_ptr<const Definition>;

  /// Null if there is none.
  Entry find(DefinitionId id) const;
  const Definition* current(std::string_view name) const;
  std::size_t size() const { return by_id_.size(); }

  /// Definitions that end when this one begins, because they share a name with it.
  std::vector<Entry> replaced_by(const Request& request) const;
  void add(Entry definition);
  void remove(DefinitionId id);

 private:
  std::unordered_map<DefinitionId, Entry> by_id_;
  NameMap<const Definition*> by_name_;
};

}  // namespace treering::controller
