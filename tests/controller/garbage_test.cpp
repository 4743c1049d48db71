#include <doctest/doctest.h>

#include <algorithm>

#include "controller/encoding.h"
#include "tests/controller/cluster.h"

using namespace treering;
using namespace treering::controller;
using namespace treering::controller::test;

namespace {

RankedPost post_of(Request request, RankSet ranks) {
  return {{std::make_shared<const Request>(std::move(request)), -1}, std::move(ranks)};
}

UpMessage sample_up() {
  UpMessage message;
  message.seen = 300;
  message.ids = {7, 8, 9, 4'000'000'000, 2};
  RankSet ranks = RankSet::span(1, 3);
  ranks.add(6);
  Request request = bundle({"a", "b"}, 3, DataType::bf16);
  request.priority = -5;
  request.prescale = 0.5;
  message.posts = {post_of(request, ranks), post_of(barrier(""), RankSet::of(7))};
  message.posts[0].post.broken = 1;
  message.leaving = RankSet::of(2);
  message.stalls = {{9, 12'000, ranks}};
  return message;
}

Bytes sample_down() {
  ByteWriter writer;
  begin_down(writer, 1);
  put_entry(writer, DefineEntry{std::make_shared<const Definition>(Definition{1, allreduce("a", 4)})});
  put_entry(writer, RoundEntry{CutReason::window, {{1, 0, to_the_end}, {3, 64, 128}}});
  put_entry(writer, ErrorEntry{{"a", "b"}, "text"});
  put_entry(writer, RetireEntry{{1, 5}});
  put_entry(writer, LeftEntry{2, {{"a", RankSet::of(1)}}});
  put_entry(writer, EndEntry{});
  return writer.take();
}

std::size_t read_down(std::span<const std::byte> bytes) {
  DownReader reader(bytes, 8);
  std::size_t count = 0;
  while (reader.next()) ++count;
  return reader.ok() ? count : 0;
}

Bytes up(UpMessage message) { return encode(message); }

// What rank 0 makes of a message forged in the name of rank 1, after both have agreed on "a" (id 1) once.
bool is_fatal(Bytes message) {
  Cluster cluster(Cluster::flat(3));
  cluster.request_everywhere(allreduce("a", 4));
  cluster.settle();
  cluster.forge(1, 0, std::move(message));
  cluster.settle();
  if (cluster.fatal(0)) CHECK(cluster.fatal(0)->code() == StatusCode::internal);
  return cluster.fatal(0).has_value();
}

bool child_is_fatal(const std::vector<StreamEntry>& entries, std::uint64_t position) {
  Cluster cluster(Cluster::flat(2));
  cluster.request_everywhere(allreduce("a", 4));
  cluster.settle();
  ByteWriter writer;
  begin_down(writer, position);
  for (const StreamEntry& entry : entries) put_entry(writer, entry);
  cluster.forge(0, 1, writer.take());
  for (int i = 0; i < 4; ++i) cluster.turn();
  return cluster.fatal(1).has_value();
}

}  // namespace

TEST_CASE("messages survive the wire") {
  const UpMessage message = sample_up();
  const auto again = decode_up(encode(message), 8);
  REQUIRE(again);
  CHECK(again->seen == message.seen);
  CHECK(again->ids == message.ids);
  REQUIRE(again->posts.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(again->posts[i].post == message.posts[i].post);
    CHECK(again->posts[i].ranks == message.posts[i].ranks);
  }
  CHECK(again->leaving == message.leaving);
  CHECK(again->stalls[0].missing == message.stalls[0].missing);
  CHECK(again->stalls[0].waiting_ms == 12'000);
  CHECK(read_down(sample_down()) == 6);
}

TEST_CASE("no beginning of a message passes for a message") {
  const Bytes message = encode(sample_up());
  for (std::size_t size = 0; size < message.size(); ++size) CHECK_FALSE(decode_up(std::span(message).first(size), 8));
  const Bytes down = sample_down();
  std::size_t whole = 0;  // a cut between entries is a shorter message
  for (std::size_t size = 0; size < down.size(); ++size) whole += read_down(std::span(down).first(size)) > 0 ? 1 : 0;
  CHECK(whole == 5);
}

TEST_CASE("damaged messages are refused or mean something else, but never break the reader") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 30'000; ++i) {
    Bytes message = i % 2 == 0 ? encode(sample_up()) : sample_down();
    for (std::uint64_t hits = 1 + random() % 4; hits > 0; --hits)
      message[random() % message.size()] = static_cast<std::byte>(random());
    if (i % 2 == 0) {
      (void)decode_up(message, 8);
    } else {
      (void)read_down(message);
    }
  }
}

TEST_CASE("a job that receives damaged messages ends fatally or goes on, but never breaks") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 random(seed);
    Cluster::Options options = Cluster::flat(4, seed, 2);
    options.node_of = {0, 0, 1, 1};
    Cluster cluster(options);
    for (int step = 0; step < 40; ++step) {
      cluster.request(static_cast<int>(random() % 4), allreduce("t" + std::to_string(random() % 3), 4));
      cluster.turn();
      static const std::vector<std::pair<int, int>> edges = {{1, 0}, {2, 0}, {3, 2}};
      const auto [from, to] = edges[random() % edges.size()];
      Pipe& pipe = random() % 4 == 0 ? cluster.pipe(to, from) : cluster.pipe(from, to);
      if (pipe.letters.empty()) continue;
      Bytes& bytes = pipe.letters.back().bytes;
      if (&pipe != &cluster.pipe(to, from)) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    for (int i = 0; i < 50; ++i) cluster.turn();
    cluster.check_endings(false);
  }
}

TEST_CASE("shapes that are negative or overflow do not pass the reader") {
  for (const Shape& shape :
       {Shape{-1}, Shape{std::int64_t{1} << 62}, Shape{std::int64_t{1} << 40, std::int64_t{1} << 40},
        Shape{0, std::int64_t{1} << 40, std::int64_t{1} << 40}}) {
    Request request = allreduce("a", 1);
    request.tensors[0].shape = shape;
    UpMessage message;
    message.posts = {post_of(request, RankSet::of(1))};
    CHECK_FALSE(decode_up(encode(message), 8));
  }
}

TEST_CASE("nonsense from a child is fatal") {
  CHECK_FALSE(is_fatal(up({2, {1}, {}, {}, {}})));
  CHECK(is_fatal(Bytes{}));
  CHECK(is_fatal(Bytes(40, std::byte{0x5a})));
  CHECK(is_fatal(up({2, {99}, {}, {}, {}})));                                           // unknown id
  CHECK(is_fatal(up({2, {1, 1}, {}, {}, {}})));                                         // twice
  CHECK(is_fatal(up({50, {}, {}, {}, {}})));                                            // from the future
  CHECK(is_fatal(up({2, {}, {post_of(allreduce("b", 1), RankSet::of(2))}, {}, {}})));   // not below it
  CHECK(is_fatal(up({2, {}, {}, RankSet::of(0), {}})));                                 // farewell of another
  CHECK(is_fatal(up({2, {1}, {post_of(allreduce("a", 5), RankSet::of(1))}, {}, {}})));  // two of one name
  CHECK(is_fatal(up({2, {}, {}, {}, {{77, 1, RankSet::of(1)}}})));                      // stall of nothing
  CHECK(is_fatal(
      up({2, {}, {post_of(allreduce("b", 1), RankSet::of(1)), post_of(allreduce("b", 2), RankSet::of(1))}, {}, {}})));
  CHECK(is_fatal(up({2, {}, {post_of(bundle({"b", "b"}, 1), RankSet::of(1))}, {}, {}})));
}

TEST_CASE("nonsense from the parent is fatal") {
  const auto define = [](DefinitionId id, Request request) {
    return StreamEntry(DefineEntry{std::make_shared<const Definition>(Definition{id, std::move(request)})});
  };
  CHECK_FALSE(child_is_fatal({ErrorEntry{{"x"}, "no"}}, 3));
  CHECK(child_is_fatal({ErrorEntry{{"x"}, "no"}}, 4));                            // a gap
  CHECK(child_is_fatal({RoundEntry{CutReason::idle, {{1, 0, to_the_end}}}}, 3));  // not asked for
  CHECK(child_is_fatal({RoundEntry{CutReason::idle, {{9, 0, to_the_end}}}}, 3));  // unknown
  CHECK(child_is_fatal({define(5, allreduce("b", 1))}, 3));                       // not asked for
  CHECK(child_is_fatal({define(1, allreduce("a", 1))}, 3));                       // used id
  CHECK(child_is_fatal({RetireEntry{{42}}}, 3));
}
