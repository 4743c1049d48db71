#include <doctest/doctest.h>

#include <functional>

#include "tests/controller/cluster.h"

using namespace treering;
using namespace treering::controller;
using namespace treering::controller::test;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Case {
  std::string what;
  std::function<void(Request&)> change;
  std::vector<std::string> words;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"kind", [](Request& r) { r.kind = OperationKind::broadcast; }, {"operation", "allreduce", "broadcast"}},
      {"type of equal size", [](Request& r) { r.tensors[0].type = DataType::i32; }, {"element type", "f32", "i32"}},
      {"count", [](Request& r) { r.tensors[0].shape = {3, 5}; }, {"shape", "[3, 4]", "[3, 5]"}},
      {"shape of equal count", [](Request& r) { r.tensors[0].shape = {4, 3}; }, {"shape", "[3, 4]", "[4, 3]"}},
      {"op", [](Request& r) { r.op = ReduceOp::max; }, {"reduce op", "sum", "max"}},
      {"root", [](Request& r) { r.root = 1; }, {"root", "0", "1"}},
      {"prescale", [](Request& r) { r.prescale = 0.5; }, {"prescale", "1", "0.5"}},
      {"postscale", [](Request& r) { r.postscale = 0.25; }, {"postscale", "1", "0.25"}},
      {"priority", [](Request& r) { r.priority = 7; }, {"priority", "0", "7"}},
      {"bundle", [](Request& r) { r.tensors.push_back({"w", DataType::f32, {1}}); }, {"bundle", "alone", "'w'"}},
  };
  return all;
}

Request base_request() {
  Request request = allreduce("layer/v", 1);
  request.tensors[0].shape = {3, 4};
  return request;
}

// Everybody agrees first, so that ids and spelled requests meet; then rank `odd` differs; then all agree again.
void run_case(const Case& which, const std::vector<int>& node_of, int odd, bool agree_first, std::uint64_t seed) {
  CAPTURE(which.what);
  CAPTURE(odd);
  Cluster::Options options;
  options.node_of = node_of;
  options.seed = seed;
  options.longest_delay = seed % 2 == 0 ? 5 : 0;
  options.tunables.fanout = 2;
  Cluster cluster(options);
  if (agree_first) {
    cluster.request_everywhere(base_request());
    cluster.settle();
  }
  Request other = base_request();
  which.change(other);
  std::vector<Token> tokens;
  for (int rank = 0; rank < cluster.size(); ++rank)
    tokens.push_back(cluster.request(rank, rank == odd ? other : base_request()));
  cluster.settle();
  for (int rank = 0; rank < cluster.size(); ++rank) {
    const Token token = tokens[static_cast<std::size_t>(rank)];
    CHECK(cluster.code(rank, token) == StatusCode::mismatch);
    const std::string& text = cluster.message(rank, token);
    CAPTURE(text);
    for (const std::string& word : which.words) CHECK(contains(text, word));
    CHECK(contains(text, "tensor 'layer/v'"));
    CHECK(contains(text, std::to_string(odd)));
    CHECK(cluster.outcome(rank, token).deliveries.empty());
  }
  const auto again = cluster.request_everywhere(base_request());
  cluster.settle();
  for (int rank = 0; rank < cluster.size(); ++rank)
    CHECK(cluster.succeeded(rank, again[static_cast<std::size_t>(rank)]));
  // What the bundle's other tensor is owed stays owed by those that did not ask for it.
  cluster.check_endings();
}

}  // namespace

TEST_CASE("each kind of mismatch is a clean error on every rank, and the next request works") {
  std::uint64_t seed = 1;
  for (const Case& which : cases())
    for (const std::vector<int>& shape : {std::vector{0, 0}, std::vector{0, 1, 0}, std::vector{0, 0, 1, 1, 2}})
      for (const bool agree_first : {false, true})
        for (int odd = 0; odd < static_cast<int>(shape.size()); ++odd) run_case(which, shape, odd, agree_first, ++seed);
}

TEST_CASE("the text names ranks on both sides as ranges, both values and a cure") {
  Cluster cluster(Cluster::flat(6));
  for (int rank = 0; rank < 6; ++rank) {
    cluster.request(rank, allreduce("g", rank == 4 ? 9 : 8));
    cluster.settle();
  }
  CHECK(cluster.message(0, 0) ==
        "tensor 'g': ranks disagree about its shape: ranks 0-3 asked for [8], rank 4 for [9]; hand over the same shape "
        "on every rank. Nothing was transferred");
  CHECK(cluster.message(5, 0) == cluster.message(0, 0));
}

TEST_CASE("a rank that comes late takes the error it owes, and the request after that works on all") {
  for (const bool agree_first : {false, true}) {
    Cluster cluster(Cluster::flat(3));
    if (agree_first) {
      cluster.request_everywhere(allreduce("g", 8));
      cluster.settle();
    }
    const Token zero = cluster.request(0, allreduce("g", 8));
    const Token one = cluster.request(1, allreduce("g", 9));
    cluster.settle();
    CHECK(cluster.code(0, zero) == StatusCode::mismatch);
    CHECK(cluster.code(1, one) == StatusCode::mismatch);
    const Token next_zero = cluster.request(0, allreduce("g", 8));
    const Token next_one = cluster.request(1, allreduce("g", 8));
    cluster.settle();
    CHECK(cluster.pending(0, next_zero));
    const Token owed = cluster.request(2, allreduce("g", 8));
    cluster.settle();
    CHECK(cluster.code(2, owed) == StatusCode::mismatch);
    CHECK(cluster.pending(0, next_zero));
    const Token next_two = cluster.request(2, allreduce("g", 8));
    cluster.settle();
    CHECK(cluster.succeeded(0, next_zero));
    CHECK(cluster.succeeded(1, next_one));
    CHECK(cluster.succeeded(2, next_two));
  }
}

TEST_CASE("two errors owed are two requests failed") {
  Cluster cluster(Cluster::flat(3));
  for (int repeat = 0; repeat < 2; ++repeat) {
    cluster.request(0, allreduce("g", 8));
    cluster.request(1, allreduce("g", 9 + repeat));
    cluster.settle();
  }
  const Token first = cluster.request(2, allreduce("g", 8));
  const Token second = cluster.request(2, allreduce("g", 8));
  CHECK(cluster.controller(2).next().has_value());
  CHECK(cluster.controller(2).next().has_value());
  CHECK_FALSE(cluster.controller(2).next().has_value());
  (void)first;
  (void)second;
}

TEST_CASE("a bundle takes one error and frees all of its names") {
  Cluster cluster(Cluster::flat(2));
  const Token zero = cluster.request(0, bundle({"a", "b", "c"}, 4));
  const Token a = cluster.request(1, allreduce("a", 4));
  const Token b = cluster.request(1, allreduce("b", 4));
  const Token c = cluster.request(1, allreduce("c", 4));
  cluster.settle();
  CHECK(cluster.outcome(0, zero).failures.size() == 1);
  for (const Token token : {a, b, c}) CHECK(cluster.code(1, token) == StatusCode::mismatch);
  const auto next = cluster.request_everywhere(bundle({"a", "b", "c"}, 4));
  cluster.settle();
  for (int rank = 0; rank < 2; ++rank) CHECK(cluster.succeeded(rank, next[static_cast<std::size_t>(rank)]));
}

TEST_CASE("bundles of other order or make-up do not match") {
  for (const auto& other : {std::vector<std::string>{"b", "a"}, {"a", "b", "c"}, {"a", "c"}}) {
    Cluster cluster(Cluster::flat(2));
    const Token zero = cluster.request(0, bundle({"a", "b"}, 4));
    const Token one = cluster.request(1, bundle(other, 4));
    cluster.settle();
    CHECK(cluster.code(0, zero) == StatusCode::mismatch);
    CHECK(cluster.code(1, one) == StatusCode::mismatch);
  }
}

TEST_CASE("a debt on one name of a bundle fails it, and the others' requests of its other names with it") {
  Cluster cluster(Cluster::flat(3));
  cluster.request(0, allreduce("a", 4));
  cluster.request(1, allreduce("a", 5));
  cluster.settle();
  const Token c0 = cluster.request(0, allreduce("c", 4));
  const Token c1 = cluster.request(1, allreduce("c", 4));
  const Token owed = cluster.request(2, bundle({"a", "c"}, 4));
  cluster.settle();
  CHECK(cluster.outcome(2, owed).failures.size() == 1);
  CHECK(cluster.code(0, c0) == StatusCode::mismatch);
  CHECK(cluster.code(1, c1) == StatusCode::mismatch);
  CHECK(contains(cluster.message(0, c0), "rank 2"));
  const auto next = cluster.request_everywhere(bundle({"a", "c"}, 4));
  cluster.settle();
  for (int rank = 0; rank < 3; ++rank) CHECK(cluster.succeeded(rank, next[static_cast<std::size_t>(rank)]));
}

TEST_CASE("a bundle whose post was overtaken by an error on one of its names still fails the others") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Cluster cluster(Cluster::flat(3, seed, 9));
    cluster.request(0, allreduce("a", 4));
    cluster.request(1, allreduce("a", 5));
    const Token whole = cluster.request(2, bundle({"a", "b"}, 4));
    cluster.settle();
    CHECK(cluster.code(2, whole) == StatusCode::mismatch);
    const Token b0 = cluster.request(0, allreduce("b", 4));
    const Token b1 = cluster.request(1, allreduce("b", 4));
    cluster.settle();
    CHECK(cluster.code(0, b0) == StatusCode::mismatch);
    CHECK(cluster.code(1, b1) == StatusCode::mismatch);
    const auto next = cluster.request_everywhere(allreduce("b", 4));
    cluster.settle();
    for (int rank = 0; rank < 3; ++rank) CHECK(cluster.succeeded(rank, next[static_cast<std::size_t>(rank)]));
  }
}

TEST_CASE("a spelled request below a bundle's id is not forgotten when another name of the bundle fails") {
  // Everybody knows {n, m} by id. Rank 3 asks for m alone; n fails between ranks 0 and 1; then rank 2, which shares a
  // leader with rank 3, asks for {n, m} again: m must fail on all.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Cluster::Options options;
    options.node_of = {0, 0, 1, 1};
    options.seed = seed;
    Cluster cluster(options);
    cluster.request_everywhere(bundle({"n", "m"}, 4));
    cluster.settle();
    const Token alone = cluster.request(3, allreduce("m", 4));
    cluster.settle();
    cluster.request(0, allreduce("n", 5));
    cluster.request(1, allreduce("n", 6));
    cluster.settle();
    const Token owed = cluster.request(2, allreduce("n", 4));
    const Token again = cluster.request(2, bundle({"n", "m"}, 4));
    cluster.settle();
    CHECK(cluster.code(2, owed) == StatusCode::mismatch);
    CHECK(cluster.code(2, again) == StatusCode::mismatch);
    CHECK(cluster.code(3, alone) == StatusCode::mismatch);
  }
}

TEST_CASE("bundles that cross each other fail on both ranks, each once, and leave the names in step") {
  Cluster cluster(Cluster::flat(2));
  const Token zero_ab = cluster.request(0, bundle({"a", "b"}, 4));
  const Token zero_bc = cluster.request(0, bundle({"b", "c"}, 4));
  const Token one_bc = cluster.request(1, bundle({"b", "c"}, 4));
  const Token one_ab = cluster.request(1, bundle({"a", "b"}, 4));
  cluster.settle();
  for (const Token token : {zero_ab, zero_bc}) CHECK(cluster.outcome(0, token).failures.size() == 1);
  for (const Token token : {one_bc, one_ab}) CHECK(cluster.outcome(1, token).failures.size() == 1);
  for (const char* name : {"a", "b", "c"}) {
    const auto next = cluster.request_everywhere(allreduce(name, 4));
    cluster.settle();
    for (int rank = 0; rank < 2; ++rank) CHECK(cluster.succeeded(rank, next[static_cast<std::size_t>(rank)]));
  }
}

TEST_CASE("what one rank can see alone fails there alone") {
  Cluster cluster(Cluster::flat(2));
  const Token negative = cluster.request(0, allreduce("a", -1));
  Request huge = allreduce("a", 1);
  huge.tensors[0].shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  const Token overflow = cluster.request(0, huge);
  const Token twice = cluster.request(0, bundle({"a", "a"}, 1));
  const auto fine = cluster.request_everywhere(allreduce("a", 1));
  cluster.settle();
  for (const Token token : {negative, overflow, twice}) CHECK(cluster.code(0, token) == StatusCode::invalid_argument);
  CHECK(cluster.succeeded(0, fine[0]));
}
