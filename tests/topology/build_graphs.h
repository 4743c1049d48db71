#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "topology/link_graph.h"

namespace treering::topology::test {

/// Rows of digits, links per pair: "011 102 120".
inline LinkGraph graph_of(std::initializer_list<std::string> rows) {
  LinkGraph graph(static_cast<int>(rows.size()), static_cast<int>(rows.size()));
  int from = 0;
  for (const std::string& row : rows) {
    for (int to = 0; to < graph.members; ++to) graph.at(from, to) = row[static_cast<std::size_t>(to)] - '0';
    ++from;
  }
  return graph;
}

inline void join(LinkGraph& graph, int a, int b, std::int64_t capacity) { graph.at(a, b) = graph.at(b, a) = capacity; }

/// Hybrid cube mesh of eight V100.
inline LinkGraph dgx1v() {
  return graph_of({"01122000", "10210200", "12020010", "21200001", "20000112", "02001021", "00101202", "00012120"});
}

/// The same machine as another project numbers it.
inline LinkGraph dgx1v_other_labels() {
  return graph_of({"02112000", "20120100", "11020020", "12200001", "20000211", "01002012", "00201102", "00011220"});
}

inline LinkGraph dgx1p() {
  LinkGraph graph = dgx1v();
  for (std::int64_t& capacity : graph.capacity) capacity = capacity > 0 ? 1 : 0;
  return graph;
}

/// Sixteen dies of eight MI250, in units of 50 GB/s.
inline LinkGraph mi250() {
  LinkGraph graph = graph_of({"0400200010000000", "4000010001100000", "0004001001100000", "0040000200010000",
                              "2000041000000000", "0100401100000000", "0010110400000000", "0002014000000000",
                              "1000000004002000", "0110000040000100", "0110000000040010", "0001000000400002",
                              "0000000020000410", "0000000001004011", "0000000000101104", "0000000000020140"});
  graph.unit = "x 50 GB/s";
  graph.bytes_per_second = 50e9;
  return graph;
}

inline LinkGraph complete(int members, std::int64_t capacity = 1) {
  LinkGraph graph(members, members);
  for (int a = 0; a < members; ++a)
    for (int b = a + 1; b < members; ++b) join(graph, a, b, capacity);
  return graph;
}

inline LinkGraph cycle(int members) {
  LinkGraph graph(members, members);
  for (int a = 0; a < members; ++a) join(graph, a, (a + 1) % members, 1);
  return graph;
}

inline LinkGraph path(const std::vector<int>& order) {
  LinkGraph graph(static_cast<int>(order.size()), static_cast<int>(order.size()));
  for (std::size_t i = 1; i < order.size(); ++i) join(graph, order[i - 1], order[i], 1);
  return graph;
}

/// Members on one switch.
inline LinkGraph switched(const std::vector<std::int64_t>& ports) {
  const int members = static_cast<int>(ports.size());
  LinkGraph graph(members, members + 1);
  for (int member = 0; member < members; ++member)
    join(graph, member, members, ports[static_cast<std::size_t>(member)]);
  return graph;
}

/// Four devices, two PCIe switches, one root complex.
inline LinkGraph pcie() {
  LinkGraph graph(4, 7);
  for (int member = 0; member < 4; ++member) join(graph, member, 4 + member / 2, 12);
  join(graph, 4, 6, 10);
  join(graph, 5, 6, 10);
  return graph;
}

inline LinkGraph subset(const LinkGraph& graph, const std::vector<int>& members) {
  LinkGraph result(static_cast<int>(members.size()), static_cast<int>(members.size()));
  for (int a = 0; a < result.members; ++a)
    for (int b = 0; b < result.members; ++b)
      result.at(a, b) = graph.at(members[static_cast<std::size_t>(a)], members[static_cast<std::size_t>(b)]);
  return result;
}

/// All sets of at least three members that links between them connect.
inline std::vector<std::vector<int>> connected_subsets(const LinkGraph& graph) {
  std::vector<std::vector<int>> result;
  for (unsigned set = 1; set < 1u << graph.members; ++set) {
    std::vector<int> members;
    for (int member = 0; member < graph.members; ++member)
      if ((set >> member & 1) != 0) members.push_back(member);
    unsigned reached = set & (~set + 1);
    for (std::size_t round = 0; round < members.size(); ++round)
      for (const int a : members)
        for (const int b : members)
          if ((reached >> a & 1) != 0 && graph.at(a, b) > 0) reached |= 1u << b;
    if (members.size() >= 3 && reached == set) result.push_back(members);
  }
  return result;
}

/// 1 .. most.
inline std::int64_t some_capacity(std::mt19937& random, std::uint_fast32_t most) {
  return static_cast<std::int64_t>(1 + random() % most);
}

/// Symmetric, connected, and as sparse as asked: a random tree, and other links with the given chance in per cent.
inline LinkGraph random_graph(std::mt19937& random, int members, std::uint_fast32_t per_cent,
                              std::uint_fast32_t most = 3) {
  LinkGraph graph(members, members);
  for (int member = 1; member < members; ++member)
    join(graph, member, static_cast<int>(random() % static_cast<unsigned>(member)), some_capacity(random, most));
  for (int a = 0; a < members; ++a)
    for (int b = a + 1; b < members; ++b)
      if (random() % 100 < per_cent) join(graph, a, b, some_capacity(random, most));
  return graph;
}

/// The graph with member and switch labels shuffled.
inline LinkGraph shuffled(const LinkGraph& graph, std::mt19937& random) {
  std::vector<int> order;
  for (int vertex = 0; vertex < graph.vertices; ++vertex) order.push_back(vertex);
  for (int vertex = 0; vertex < graph.vertices; ++vertex) {
    const int low = vertex < graph.members ? 0 : graph.members;
    std::swap(order[static_cast<std::size_t>(vertex)],
              order[static_cast<std::size_t>(low) + random() % static_cast<unsigned>(vertex - low + 1)]);
  }
  LinkGraph result(graph.members, graph.vertices);
  for (int a = 0; a < graph.vertices; ++a)
    for (int b = 0; b < graph.vertices; ++b)
      result.at(a, b) = graph.at(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
  return result;
}

}  // namespace treering::topology::test
