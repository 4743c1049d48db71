#pragma once

#include <vector>

#include "transport/node_link.h"

namespace treering::ops {

/// A node as one of its members sees it: the indices are members, of which a rank has one for each of its devices.
/// Members of one rank run on one thread, which steps all of them as long as any moves; so none rings another.
class MemberLink final : public transport::NodeLink {
 public:
  /// `ranks`: of the node's members, as in NodePlan::ranks; `area_bytes`: of one member.
  MemberLink(transport::NodeLink& node, const std::vector<int>& ranks, int self, std::size_t area_bytes);

  int self() const override { return self_; }
  int size() const override { return static_cast<int>(places_.size()); }
  std::byte* area(int member) const override {
    return node_.area(at(member).local_rank) + static_cast<std::size_t>(at(member).device) * area_bytes_;
  }
  void ring(int member) const override {
    if (at(member).local_rank != at(self_).local_rank) node_.ring(at(member).local_rank);
  }
  std::byte* heap(int member) const override { return node_.heap(at(member).local_rank); }
  std::size_t heap_bytes() const override { return node_.heap_bytes(); }

 private:
  struct Place {
    int local_rank = 0;
    int device = 0;
  };
  const Place& at(int member) const { return places_[static_cast<std::size_t>(member)]; }

  transport::NodeLink& node_;
  std::vector<Place> places_;
  int self_;
  std::size_t area_bytes_;
};

}  // namespace treering::ops
