#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>

#include "tests/controller/cluster.h"

using namespace treering;
using namespace treering::controller;

namespace {

// An edge that costs nothing, so that the controllers are what is measured.
class DirectEdge final : public transport::MessageEdge {
 public:
  DirectEdge(int peer, std::deque<Bytes>& in, std::deque<Bytes>& out) : peer_(peer), in_(in), out_(out) {}
  int peer() const override { return peer_; }
  bool writable() const override { return true; }
  void send(Bytes message) override { out_.push_back(std::move(message)); }
  std::optional<Bytes> receive() override {
    if (in_.empty()) return std::nullopt;
    std::optional<Bytes> message(std::move(in_.front()));
    in_.pop_front();
    return message;
  }
  bool progress() override { return false; }

 private:
  int peer_;
  std::deque<Bytes>& in_;
  std::deque<Bytes>& out_;
};

}  // namespace

// For people: build/dev/tests/unit_controller -tc="speed*" -ns
TEST_CASE("speed of a thousand known requests on two ranks" * doctest::skip()) {
  constexpr int names = 1000;
  std::deque<Bytes> up, down;
  DirectEdge to_child(1, up, down), to_parent(0, down, up);
  RealClock clock;
  transport::World world{0, 2, {0, 0}, {"host", "host"}};
  Controller zero(world, {}, clock, nullptr, {&to_child});
  world.rank = 1;
  Controller one(world, {}, clock, &to_parent, {});
  std::vector<Request> requests;
  for (int name = 0; name < names; ++name)
    requests.push_back(test::allreduce("module.layer" + std::to_string(name) + ".weight", 256));
  double best = 1e9;
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::vector<Request> first = requests, second = requests;
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < first.size(); ++i) {
      zero.request(i, std::make_shared<const Request>(std::move(first[i])));
      one.request(i, std::make_shared<const Request>(std::move(second[i])));
    }
    std::size_t delivered = 0;
    while (delivered < 2 * names) {
      one.step();
      zero.step();
      for (Controller* controller : {&zero, &one})
        while (const auto event = controller->next())
          if (const auto* ready = std::get_if<RoundReady>(&*event)) {
            delivered += ready->tokens.size();
            controller->executed(ready->tokens.size() * 1024);
          }
    }
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    if (repeat > 5) best = std::min(best, time.count());
  }
  std::printf("1 000 known requests posted, agreed and delivered on 2 ranks in one thread: %.3f ms\n", best);
}
