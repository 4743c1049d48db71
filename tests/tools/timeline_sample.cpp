// Writes the traces of a job that never ran: training steps in exact virtual time, with something wrong on purpose.
//
// usage: timeline_sample DIR SCENARIO [ranks] [steps] [tensors]
// scenarios: normal, late, order, huge, slow, names, empty

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "timeline/block_writer.h"

namespace {

using treering::Nanoseconds;
using treering::timeline::BlockWriter;
using treering::timeline::Kind;
using treering::timeline::Phase;
using treering::timeline::Record;

constexpr Nanoseconds us = 1000;
constexpr Nanoseconds ms = 1000 * us;

struct Sample {
  std::string scenario = "normal";
  int ranks = 4;
  int steps = 10;
  int tensors = 20;

  bool is(const char* name) const { return scenario == name; }
};

/// One rank's file; times are given by the job's clock and written by the rank's own, which is off and drifts.
class File {
 public:
  File(const std::filesystem::path& directory, int rank, int size)
      : out_(directory / ("rank-" + std::to_string(rank) + ".trace"), std::ios::binary), rank_(rank) {
    begin(treering::timeline::begins_recording);
    for (const auto& [key, value] : {std::pair<const char*, std::string>{"rank", std::to_string(rank)},
                                     {"size", std::to_string(size)},
                                     {"host", "host" + std::to_string(rank / 2)},
                                     {"node", std::to_string(rank / 2)},
                                     {"origin", "4711"},
                                     {"began", "0"},
                                     {"wall_ahead", "1700000000000000000"},
                                     {"plan", "stars"}})
      writer_.about(key, value);
    writer_.thread(0, "engine");
    writer_.thread(1, "trainer");
    for (Nanoseconds when = 0; when <= 10'000 * ms; when += 1000 * ms)
      add({Kind::clock,
           0,
           when,
           {static_cast<std::uint64_t>(-offset(when)), 5000, static_cast<std::uint64_t>(-drift()), 10'000}});
  }
  ~File() {
    add({Kind::stopped, 0, latest_, {1}});
    flush();
  }

  void add(Record record, const std::string& name = {}) {
    if (!name.empty()) {
      const auto found = std::find(names_.begin(), names_.end(), name);
      record.name = static_cast<std::uint32_t>(found - names_.begin()) + 1;
      if (found == names_.end()) names_.push_back(name);
      if (!writer_.knows(record.name)) writer_.name(record.name, name);
    }
    latest_ = std::max(latest_, record.time);
    record.time += offset(record.time);
    writer_.add(record);
    if (writer_.size() > 60'000) {
      flush();
      begin(0);
    }
  }

 private:
  Nanoseconds drift() const { return rank_ * 20'000; }  // parts per billion
  Nanoseconds offset(Nanoseconds when) const { return rank_ * 3000 * ms + when / 1000 * drift() / 1'000'000; }

  void begin(std::uint16_t flags) { writer_.begin(1, latest_ + offset(latest_), flags); }
  void flush() {
    const auto block = writer_.finish();
    out_.write(reinterpret_cast<const char*>(block.data()), static_cast<std::streamsize>(block.size()));
  }

  std::ofstream out_;
  int rank_;
  BlockWriter writer_;
  std::vector<std::string> names_;
  Nanoseconds latest_ = 0;
};

std::string name_of(const Sample& sample, int tensor) {
  static const std::vector<std::string> awkward{"quo\"te",
                                                "back\\slash",
                                                "new\nline\ttab\x01",
                                                "\xff\xfe not utf-8 \xc3",
                                                std::string(4096, 'x'),
                                                "</script><b>&amp;",
                                                "\xe2\x82\xac\xf0\x9f\x8c\xb3",
                                                std::string("nul\0inside", 10),
                                                "\xed\xa0\x80 surrogate",
                                                " "};
  if (sample.is("names"))
    return awkward[static_cast<std::size_t>(tensor) % awkward.size()] + (tensor < 10 ? "" : std::to_string(tensor));
  return "grad/" + std::to_string(tensor / 10) + std::to_string(tensor % 10);
}

std::uint64_t bytes_of(const Sample& sample, int tensor) {
  return (sample.is("huge") && tensor == 7 ? 200U << 20 : 256U << 10) + static_cast<std::uint64_t>(tensor) * 64;
}

/// The order of hand-overs of one rank.
std::vector<int> order_of(const Sample& sample, int rank) {
  std::vector<int> order(static_cast<std::size_t>(sample.tensors));
  std::iota(order.begin(), order.end(), 0);
  if (sample.is("order") && rank == 1) std::reverse(order.begin(), order.end());
  return order;
}

class Job {
 public:
  Job(const std::filesystem::path& directory, const Sample& sample) : sample_(sample) {
    for (int rank = 0; rank < sample.ranks; ++rank)
      files_.push_back(std::make_unique<File>(directory, rank, sample.ranks));
  }

  void run() {
    Nanoseconds begin = 2 * ms;
    for (int step = 0; step < sample_.steps; ++step) begin = run_step(step, begin) + 3 * ms;
  }

 private:
  using Times = std::vector<Nanoseconds>;

  File& file(int rank) { return *files_[static_cast<std::size_t>(rank)]; }

  Times hand_over(int rank, Nanoseconds begin) {
    Times enqueued(static_cast<std::size_t>(sample_.tensors));
    Nanoseconds now = begin + rank * 3 * us;
    for (int place = 0; const int tensor : order_of(sample_, rank)) {
      now += 1 * ms;
      if (sample_.is("late") && rank == 2 && place == 5) now += 50 * ms;
      enqueued[static_cast<std::size_t>(tensor)] = now;
      ++place;
    }
    file(rank).add({Kind::scope_begin, 0, begin, {1, ++scope_}}, "forward and backward");
    file(rank).add({Kind::scope_end, 0, now, {1, scope_}}, "forward and backward");
    return enqueued;
  }

  Nanoseconds run_step(int step, Nanoseconds begin) {
    std::vector<Times> enqueued;
    for (int rank = 0; rank < sample_.ranks; ++rank) enqueued.push_back(hand_over(rank, begin));
    std::vector<std::pair<Nanoseconds, int>> everywhere;
    for (int tensor = 0; tensor < sample_.tensors; ++tensor) {
      Nanoseconds latest = 0;
      for (const Times& times : enqueued) latest = std::max(latest, times[static_cast<std::size_t>(tensor)] + 20 * us);
      everywhere.emplace_back(latest, tensor);
    }
    std::sort(everywhere.begin(), everywhere.end());
    Nanoseconds free = 0;
    for (const auto& [ready, tensor] : everywhere) {
      const Nanoseconds start = std::max(free, ready + 90 * us);
      free = start + move_time(tensor);
      ++round_;
      for (int rank = 0; rank < sample_.ranks; ++rank)
        record(rank, step, tensor, enqueued[static_cast<std::size_t>(rank)][static_cast<std::size_t>(tensor)], ready,
               start, free);
    }
    return free;
  }

  Nanoseconds move_time(int tensor) const {
    const auto bytes = static_cast<Nanoseconds>(bytes_of(sample_, tensor));
    return 30 * us + bytes / (sample_.is("slow") ? 50 : 2000) * 1000;  // MB/s
  }

  void record(int rank, int step, int tensor, Nanoseconds enqueued, Nanoseconds everywhere, Nanoseconds start,
              Nanoseconds done) {
    File& out = file(rank);
    const std::string name = name_of(sample_, tensor);
    const std::uint64_t bytes = bytes_of(sample_, tensor);
    const std::uint64_t operation = static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(sample_.tensors) +
                                    static_cast<std::uint64_t>(tensor) + 1;
    const auto since = [](Nanoseconds from, Nanoseconds to) { return static_cast<std::uint64_t>(to - from); };
    const Nanoseconds ready = enqueued + 20 * us;
    const Nanoseconds agreed = everywhere + 50 * us + rank % 8 * us;
    out.add({Kind::posted, 0, ready, {operation, 0, bytes, since(enqueued, ready), 1}}, name);
    out.add({Kind::agreed, 0, agreed, {operation, round_, 0, since(ready, agreed)}}, name);
    out.add({Kind::round, 0, agreed, {round_, 1, bytes, 0}});
    out.add({Kind::batch, 0, agreed + 5 * us, {round_, round_, bytes, 1, 0, 6}}, "stars: no topology");
    out.add({Kind::member, 0, agreed + 5 * us, {round_, round_, 0, 0, bytes}}, name);
    const Nanoseconds third = (done - start) / 3;
    const auto stage = [&](Phase which, Nanoseconds begin, Nanoseconds end) {
      out.add({Kind::stage, 0, begin, {round_, static_cast<std::uint64_t>(which), since(begin, end), 0}});
    };
    stage(Phase::tree, start, start + (sample_.is("slow") ? third / 20 : third));
    if (sample_.ranks > 2) {
      stage(Phase::ring, start + third / 20, done - third / 20);
      out.add({Kind::link, 0, done, {round_, 0, static_cast<std::uint64_t>((rank + 2) % sample_.ranks), bytes / 2, 1}});
    }
    stage(Phase::broadcast, sample_.is("slow") ? done - third / 20 : done - third, done);
    out.add({Kind::batch_done, 0, done, {round_, 0, 0, since(agreed + 5 * us, done), since(start, done), bytes}});
    out.add(
        {Kind::done, 0, done + 10 * us, {operation, 0, since(enqueued, done + 10 * us), since(agreed, done + 10 * us)}},
        name);
    out.add({Kind::sample, 0, done, {1 << 20, 3, 1, 1}});
  }

  Sample sample_;
  std::vector<std::unique_ptr<File>> files_;
  std::uint64_t round_ = 0;
  std::uint64_t scope_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: timeline_sample DIR SCENARIO [ranks] [steps] [tensors]\n");
    return 2;
  }
  Sample sample;
  sample.scenario = argv[2];
  int* const numbers[] = {&sample.ranks, &sample.steps, &sample.tensors};
  for (int at = 3; at < std::min(argc, 6); ++at) *numbers[at - 3] = std::atoi(argv[at]);
  if (sample.is("empty")) sample.steps = 0;
  std::filesystem::create_directories(argv[1]);
  Job(argv[1], sample).run();
  return 0;
}
