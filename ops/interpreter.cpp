#include "ops/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace treering::ops {

Interpreter::Interpreter(const topology::Plan& plan, const JobPrograms& programs, Costume& costume)
    : programs_(programs), costume_(costume), numbers_(topology::member_numbers(plan)) {
  place_.resize(programs.front().size());
  drivers_.resize(place_.size());
  for (std::size_t node = 0; node < numbers_.size(); ++node)
    for (std::size_t member = 0; member < numbers_[node].size(); ++member) {
      const auto number = static_cast<std::size_t>(numbers_[node][member]);
      place_[number] = {static_cast<int>(node), static_cast<int>(member)};
      drivers_[number] = plan.nodes[node].ranks[member];
    }
  states_.resize(place_.size());
  for (std::size_t rank = 0; rank < place_.size(); ++rank) {
    std::size_t most = 0;
    for (const auto& run : programs) most = std::max(most, run[rank]->streams.size());
    states_[rank].first_actor = actors_;
    actors_ += static_cast<int>(most);
  }
  actor_states_.resize(static_cast<std::size_t>(actors_));
}

const Program& Interpreter::program(int rank) const {
  const auto index = static_cast<std::size_t>(rank);
  return *programs_[static_cast<std::size_t>(states_[index].run)][index];
}

void Interpreter::problem(std::string text) {
  if (problems_.size() < 20) problems_.push_back(std::move(text));
}

std::vector<std::string> Interpreter::run() {
  start_ready_nodes();
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    if (event.actor >= 0)
      advance(event.actor);
    else
      finish_transfer(event.sent, event.received, event.at);
  }
  report_leftovers();
  return std::move(problems_);
}

// A lane returns when every member of the node is done with it.
void Interpreter::start_ready_nodes() {
  for (bool any = true; any;) {
    any = false;
    for (const std::vector<int>& ranks : numbers_) {
      const bool ready = std::ranges::all_of(ranks, [&](int rank) {
        return state(rank).ended && state(rank).run + 1 < static_cast<int>(programs_.size());
      });
      if (!ready) continue;
      any = true;
      for (const int rank : ranks) start(rank);
      for (const int rank : ranks)
        if (state(rank).base != state(ranks.front()).base)
          problem(fmt::format("rank {} counts from {} where its node counts from {}", rank, state(rank).base,
                              state(ranks.front()).base));
    }
  }
}

void Interpreter::start(int rank) {
  RankState& own = state(rank);
  if (own.run >= 0) own.base += program(rank).advance;
  ++own.run;
  const Program& code = program(rank);
  own.counters.resize(code.shared_counters);
  own.counters.resize(static_cast<std::size_t>(code.shared_counters) + code.local_counters);
  own.live = code.streams.size();
  own.ended = own.live == 0;
  costume_.started(rank, own.run);
  for (std::size_t i = 0; i < code.streams.size(); ++i) {
    const int actor = own.first_actor + static_cast<int>(i);
    Actor& stream = actor_states_[static_cast<std::size_t>(actor)];
    const Slice& loops = code.streams[i].loops;
    stream = {loops.begin, loops.begin + loops.count, 0, 0, stream.time, rank};
    schedule(actor);
  }
  if (own.ended) costume_.ended(rank, own.run);
}

void Interpreter::schedule(int actor) {
  events_.push({actor_states_[static_cast<std::size_t>(actor)].time, ++order_, actor, 0, 0});
}

Step Interpreter::step_of(int actor) const {
  const Actor& stream = actor_states_[static_cast<std::size_t>(actor)];
  const Program& code = program(stream.rank);
  const Loop& loop = code.loops[stream.loop];
  return {stream.rank, states_[static_cast<std::size_t>(stream.rank)].run, actor,
          &code,       &code.instructions[loop.body.begin + stream.index], stream.iteration};
}

void Interpreter::advance(int actor) {
  Actor& stream = actor_states_[static_cast<std::size_t>(actor)];
  while (stream.loop != stream.loop_end) {
    const Step step = step_of(actor);
    const Loop& loop = step.program->loops[stream.loop];
    const bool idle = is_idle(*step.program, *step.instruction, step.iteration);
    if (!idle && !execute(actor, step)) return;
    const Nanoseconds took = idle ? 0 : costume_.duration(step, stream.time);
    stream.time += took;
    if (++stream.index == loop.body.count) {
      stream.index = 0;
      if (++stream.iteration == loop.iterations) {
        stream.iteration = 0;
        ++stream.loop;
      }
    }
    if (took > 0) return schedule(actor);
  }
  end_stream(stream.rank);
}

void Interpreter::end_stream(int rank) {
  RankState& own = state(rank);
  if (--own.live > 0) return;
  own.ended = true;
  costume_.ended(rank, own.run);
  start_ready_nodes();
}

bool Interpreter::execute(int actor, const Step& step) {
  Actor& stream = actor_states_[static_cast<std::size_t>(actor)];
  switch (step.instruction->op) {
    case Opcode::copy:
    case Opcode::reduce: costume_.moved(step); return true;
    case Opcode::complete: costume_.completed(step); return true;
    case Opcode::send:
    case Opcode::receive: post(actor, step); return true;
    case Opcode::signal: {
      const Raise made = make_raise(step, stream.time);
      costume_.signalled(made);
      raise(counter_of(step), made);
      return true;
    }
    case Opcode::wait: break;
  }
  const Raise* by = nullptr;
  Counter* counter = nullptr;
  if (!satisfied(step, by, counter)) {
    counter->parked.push_back(actor);
    return false;
  }
  if (by != nullptr) stream.time = std::max(stream.time, by->at);
  costume_.waited(step, by);
  return true;
}

Interpreter::Counter& Interpreter::counter_of(const Step& step) {
  const CounterRef& counter = step.instruction->counter;
  return state(rank_of(node_of(step.rank), counter.member)).counters[counter.index];
}

bool Interpreter::satisfied(const Step& step, const Raise*& by, Counter*& counter) {
  const std::int64_t value = step.instruction->value.at(step.iteration);
  if (value <= 0) return true;
  counter = &counter_of(step);
  const std::uint64_t target = state(step.rank).base + static_cast<std::uint64_t>(value);
  const auto found = std::ranges::lower_bound(counter->raises, target, {}, &Raise::value);
  if (found == counter->raises.end()) return false;
  by = &*found;
  return true;
}

Raise Interpreter::make_raise(const Step& step, Nanoseconds at) {
  const auto value = static_cast<std::uint64_t>(step.instruction->value.at(step.iteration));
  return {state(step.rank).base + value, raises_++, at, step};
}

void Interpreter::raise(Counter& counter, const Raise& made) {
  if (!counter.raises.empty() && counter.raises.back().value >= made.value)
    problem(fmt::format("rank {} run {}: a counter does not grow: {}", made.by.rank, made.by.run,
                        describe(*made.by.program, *made.by.instruction, made.by.iteration)));
  const std::uint64_t limit = state(made.by.rank).base + made.by.program->advance;
  if (made.by.instruction->counter.index < made.by.program->shared_counters && made.value > limit)
    problem(fmt::format("rank {}: a shared counter passes the program's advance", made.by.rank));
  counter.raises.push_back(made);
  for (const int actor : std::exchange(counter.parked, {})) schedule(actor);
}

void Interpreter::post(int actor, const Step& step) {
  const std::size_t id = transfers_.size();
  transfers_.push_back({step, actor_states_[static_cast<std::size_t>(actor)].time, false});
  costume_.posted(step, id);
  counter_of(step).transfers.push_back(id);
  const bool sends = step.instruction->op == Opcode::send;
  const int peer = step.instruction->peer;
  const int own = driver_of(step.rank);
  const Channel key{sends ? own : peer, sends ? peer : own, step.instruction->channel};
  Ends& ends = channels_[key];
  (sends ? ends.sends : ends.receives).push_back(id);
  if (ends.sends.empty() || ends.receives.empty()) return;
  const std::size_t sent = ends.sends.front();
  const std::size_t received = ends.receives.front();
  ends.sends.pop_front();
  ends.receives.pop_front();
  const Nanoseconds both = std::max(transfers_[sent].posted, transfers_[received].posted);
  const Nanoseconds took = costume_.flight(transfers_[sent].step, transfers_[received].step, both);
  events_.push({both + took, ++order_, -1, sent, received});
}

void Interpreter::finish_transfer(std::size_t sent, std::size_t received, Nanoseconds now) {
  const auto length = [](const Step& step) { return step.end() - step.begin(); };
  if (length(transfers_[sent].step) != length(transfers_[received].step))
    problem(fmt::format("rank {} sends {} bytes where rank {} receives {}", transfers_[sent].step.rank,
                        length(transfers_[sent].step), transfers_[received].step.rank,
                        length(transfers_[received].step)));
  costume_.exchanged(sent, received);
  for (const std::size_t id : {sent, received}) {
    transfers_[id].over = true;
    drain(counter_of(transfers_[id].step), now);
  }
}

void Interpreter::drain(Counter& counter, Nanoseconds now) {
  while (!counter.transfers.empty() && transfers_[counter.transfers.front()].over) {
    const std::size_t id = counter.transfers.front();
    counter.transfers.pop_front();
    const Raise made = make_raise(transfers_[id].step, now);
    costume_.transferred(id, made);
    raise(counter, made);
  }
}

void Interpreter::report_leftovers() {
  for (int actor = 0; actor < actors_; ++actor) {
    const Actor& stream = actor_states_[static_cast<std::size_t>(actor)];
    if (stream.loop == stream.loop_end) continue;
    const Step step = step_of(actor);
    problem(fmt::format("rank {} run {} hangs: {}", step.rank, step.run,
                        describe(*step.program, *step.instruction, step.iteration)));
  }
  for (const auto& [key, ends] : channels_)
    if (!ends.sends.empty() || !ends.receives.empty())
      problem(fmt::format("from rank {} to rank {}, channel {}: {} sends and {} receives without partners",
                          std::get<0>(key), std::get<1>(key), std::get<2>(key), ends.sends.size(),
                          ends.receives.size()));
}

}  // namespace treering::ops
