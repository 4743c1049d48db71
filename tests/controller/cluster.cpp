#include "tests/controller/cluster.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

namespace treering::controller::test {

class Cluster::Edge final : public transport::MessageEdge {
 public:
  Edge(Cluster& cluster, int peer, Pipe& in, Pipe& out) : cluster_(cluster), peer_(peer), in_(in), out_(out) {}

  int peer() const override { return peer_; }
  bool writable() const override { return out_.writable_at <= cluster_.tick_; }
  void send(Bytes message) override {
    REQUIRE(writable());
    out_.bytes_sent += message.size();
    ++out_.messages_sent;
    const std::uint64_t last = out_.letters.empty() ? 0 : out_.letters.back().due;
    out_.letters.push_back({std::move(message), std::max(last, cluster_.tick_ + delay())});
    out_.writable_at = cluster_.tick_ + delay() / 2;
  }
  std::optional<Bytes> receive() override {
    if (in_.letters.empty() || in_.letters.front().due > cluster_.tick_) return std::nullopt;
    std::optional<Bytes> message(std::move(in_.letters.front().bytes));
    in_.letters.pop_front();
    return message;
  }
  bool progress() override { return false; }

 private:
  std::uint64_t delay() { return cluster_.random_() % (cluster_.options_.longest_delay + 1); }

  Cluster& cluster_;
  int peer_;
  Pipe& in_;
  Pipe& out_;
};

Cluster::Options Cluster::flat(int size, std::uint64_t seed, std::uint64_t longest_delay) {
  Options options;
  options.node_of.assign(static_cast<std::size_t>(size), 0);
  options.seed = seed;
  options.longest_delay = longest_delay;
  return options;
}

Cluster::Cluster(Options options) : options_(std::move(options)), random_(options_.seed) {
  transport::World world;
  world.size = static_cast<int>(options_.node_of.size());
  world.node_of = options_.node_of;
  world.hosts.assign(options_.node_of.size(), "host");
  ranks_.resize(options_.node_of.size());
  order_.resize(ranks_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const int fanout = static_cast<int>(options_.tunables.fanout);
  const auto connect = [&](int from, int to) -> Pipe& {
    std::unique_ptr<Pipe>& pipe = pipes_[{from, to}];
    if (!pipe) pipe = std::make_unique<Pipe>();
    return *pipe;
  };
  for (int rank = 0; rank < world.size; ++rank) {
    const Neighbours neighbours = neighbours_of(world, rank, fanout);
    Member& member = at(rank);
    const auto edge = [&](int peer) {
      Pipe& in = connect(peer, rank);
      Pipe& out = connect(rank, peer);
      return member.edges.emplace_back(std::make_unique<Edge>(*this, peer, in, out)).get();
    };
    transport::MessageEdge* parent = neighbours.parent < 0 ? nullptr : edge(neighbours.parent);
    std::vector<transport::MessageEdge*> children;
    for (const int child : neighbours.children) children.push_back(edge(child));
    world.rank = rank;
    member.controller = std::make_unique<Controller>(world, options_.tunables, clock_, parent, std::move(children),
                                                     options_.definitions);
  }
}

Token Cluster::request(int rank, Request request) {
  Member& member = at(rank);
  const Token token = member.outcomes.size();
  member.outcomes.push_back({request, {}, false, {}});
  member.controller->request(token, std::make_shared<const Request>(std::move(request)));
  return token;
}

std::vector<Token> Cluster::request_everywhere(const Request& what) {
  std::vector<Token> tokens;
  for (int rank = 0; rank < size(); ++rank) tokens.push_back(request(rank, what));
  return tokens;
}

void Cluster::leave_everywhere() {
  for (int rank = 0; rank < size(); ++rank) leave(rank);
}

bool Cluster::turn() {
  ++tick_;
  std::shuffle(order_.begin(), order_.end(), random_);
  bool moved = false;
  for (const std::size_t index : order_) {
    // With delays, some sleep through a turn.
    if (options_.longest_delay > 0 && random_() % 4 == 0) {
      moved = true;
      continue;
    }
    moved = ranks_[index].controller->step() || moved;
    take_events(static_cast<int>(index));
  }
  return moved;
}

void Cluster::settle() {
  const auto in_flight = [&] {
    return std::any_of(pipes_.begin(), pipes_.end(), [&](const auto& entry) {
      return !entry.second->letters.empty() || entry.second->writable_at > tick_;
    });
  };
  int quiet = 0;
  for (int turns = 0; quiet < (options_.longest_delay > 0 ? 12 : 2); ++turns) {
    REQUIRE(turns < 200'000);
    const bool moved = turn() && options_.longest_delay == 0;
    quiet = moved || in_flight() ? 0 : quiet + 1;
  }
  check_streams();
}

void Cluster::pass(Nanoseconds time) {
  clock_.advance(time);
  settle();
}

void Cluster::take_events(int rank) {
  Member& member = at(rank);
  while (auto event = member.controller->next()) {
    if (auto* ready = std::get_if<RoundReady>(&*event)) take(rank, *ready);
    if (const auto* failed = std::get_if<RequestsFailed>(&*event))
      for (const Token token : failed->tokens) member.outcomes.at(token).failures.push_back(failed->status);
    if (const auto* gone = std::get_if<RankLeft>(&*event)) member.left.push_back(gone->rank);
    if (std::holds_alternative<StreamEnded>(*event)) {
      CHECK_FALSE(member.ended);
      member.ended = true;
    }
    if (const auto* notice = std::get_if<StallNotice>(&*event)) {
      CHECK(rank == 0);
      notices_.push_back(notice->text);
    }
    if (const auto* fatal = std::get_if<Fatal>(&*event)) member.fatal = fatal->status;
  }
}

void Cluster::take(int rank, RoundReady& ready) {
  Member& member = at(rank);
  const Round& round = ready.round;
  REQUIRE(round.items.size() == ready.tokens.size());
  CHECK(round.sequence == member.rounds.size());
  std::uint64_t bytes = 0;
  for (std::size_t item = 0; item < round.items.size(); ++item) {
    Outcome& outcome = member.outcomes.at(ready.tokens[item]);
    const Request& request = round.items[item].definition->request;
    CHECK(outcome.request == request);
    CHECK(outcome.endings() == 0);
    const std::uint64_t begin = outcome.deliveries.empty() ? 0 : outcome.deliveries.back().end;
    CHECK(round.items[item].begin == begin);
    outcome.deliveries.push_back({round.sequence, item, round.items[item].begin, round.items[item].end});
    outcome.complete = round.items[item].end == bytes_of(request);
    bytes += round.items[item].end - round.items[item].begin;
  }
  member.rounds.push_back(round);
  if (rank == 0 && options_.execute) member.controller->executed(bytes);
}

// Every rank's rounds are a beginning of the root's.
void Cluster::check_streams() const {
  const std::vector<Round>& root = ranks_.front().rounds;
  for (const Member& member : ranks_) {
    REQUIRE(member.rounds.size() <= root.size());
    for (std::size_t i = 0; i < member.rounds.size(); ++i) {
      const Round& mine = member.rounds[i];
      const Round& other = root[i];
      REQUIRE(mine.items.size() == other.items.size());
      CHECK(mine.reason == other.reason);
      for (std::size_t item = 0; item < mine.items.size(); ++item) {
        const bool same = mine.items[item].begin == other.items[item].begin &&
                          mine.items[item].end == other.items[item].end &&
                          mine.items[item].definition->id == other.items[item].definition->id &&
                          mine.items[item].definition->request == other.items[item].definition->request;
        if (!same) FAIL_CHECK("round " << i << " differs");
      }
    }
  }
}

StatusCode Cluster::code(int rank, Token token) const {
  const Outcome& found = outcome(rank, token);
  return found.failures.empty() ? StatusCode::ok : found.failures.front().code();
}

const std::string& Cluster::message(int rank, Token token) const {
  static const std::string none;
  const Outcome& found = outcome(rank, token);
  return found.failures.empty() ? none : found.failures.front().message();
}

void Cluster::check_endings(bool all) const {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    for (std::size_t token = 0; token < ranks_[rank].outcomes.size(); ++token) {
      const Outcome& outcome = ranks_[rank].outcomes[token];
      const int endings = outcome.endings();
      CAPTURE(rank);
      CAPTURE(token);
      if (all ? endings != 1 : endings > 1) {
        const std::string name = outcome.request.tensors.front().name;
        FAIL_CHECK("tensor " << name << " ended " << endings << " times");
      }
    }
  }
}

std::uint64_t Cluster::bytes_sent() const {
  std::uint64_t sum = 0;
  for (const auto& [ends, pipe] : pipes_) sum += pipe->bytes_sent;
  return sum;
}

Request allreduce(const std::string& name, std::int64_t count, DataType type) {
  Request request;
  request.tensors = {{name, type, {count}}};
  return request;
}

Request bundle(const std::vector<std::string>& names, std::int64_t count, DataType type) {
  Request request;
  for (const std::string& name : names) request.tensors.push_back({name, type, {count}});
  return request;
}

Request barrier(const std::string& name) {
  Request request;
  request.kind = OperationKind::barrier;
  request.tensors = {{name, DataType::u8, {0}}};
  return request;
}

}  // namespace treering::controller::test
