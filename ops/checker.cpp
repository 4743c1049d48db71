#include "ops/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "ops/arithmetic.h"
#include "ops/checked_memory.h"

namespace treering::ops {

namespace {

class Checker final : public Costume {
 public:
  Checker(const topology::Plan& plan, const Geometry& geometry, const std::vector<BatchShape>& shapes,
          const JobPrograms& programs, const CheckOptions& options)
      : shapes_(shapes),
        programs_(programs),
        options_(options),
        interpreter_(plan, programs, *this),
        symbols_(interpreter_.ranks()),
        members_(static_cast<std::size_t>(interpreter_.ranks())) {
    // Every local counter is an actor of its own: it stands for the transfers that raise it.
    wires_ = 0;
    for (const auto& run : programs)
      for (const Program* program : run) wires_ = std::max<std::size_t>(wires_, program->local_counters);
    const auto actors = static_cast<std::size_t>(interpreter_.actors());
    clocks_.assign(actors, VectorClock(actors + wires_ * members_.size()));
    for (std::size_t actor = 0; actor < actors; ++actor) clocks_[actor].set(static_cast<std::uint32_t>(actor), 1);
    wire_times_.assign(wires_ * members_.size(), 0);
    for (Member& member : members_) {
      member.slots.resize(geometry.slot_bytes / options.grain);
      member.ended = VectorClock(actors + wires_ * members_.size());
      member.arrivals.assign(wires_, member.ended);
    }
    for (const BatchShape& shape : shapes) finals_.emplace_back(cells_of(shape), 0);
  }

  CheckReport run() {
    CheckReport report;
    std::vector<std::string> problems = interpreter_.run();
    for (int rank = 0; rank < interpreter_.ranks(); ++rank) check_untouched(rank);
    problems_.insert(problems_.end(), problems.begin(), problems.end());
    report.problems = std::move(problems_);
    for (const Symbol symbol : finals_.back()) report.results.push_back(symbols_.text(symbol));
    return report;
  }

  void started(int rank, int run) override {
    Member& own = member(rank);
    check_untouched(rank);
    own.run = run;
    own.completes = 0;
    own.done = VectorClock(own.ended);
    const VectorClock before = lane_return(rank);
    const Program& program = *programs_[static_cast<std::size_t>(run)][static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < program.streams.size(); ++i)
      clocks_[static_cast<std::size_t>(first_actor(rank)) + i].join(before);
    own.arrivals.assign(wires_, before);
    fill_user_memory(rank, run);
  }

  void moved(const Step& step) override {
    const Program& program = *step.program;
    const bool reduces = step.instruction->op == Opcode::reduce;
    std::vector<Symbol> sources;
    for (std::uint64_t at = step.begin(); at < step.end(); at += options_.grain) {
      sources.clear();
      for (const Operand& operand : program.sources(*step.instruction)) sources.push_back(read(step, operand, at));
      const Symbol result =
          reduces ? symbols_.reduce(program.reductions[step.instruction->reduction], sources) : sources.front();
      for (const Operand& operand : program.destinations(*step.instruction)) write(step, operand, at, result);
    }
  }

  void waited(const Step& step, const Raise* by) override {
    if (by == nullptr) return;
    clock(step).join(raises_[by->id]);
    if (by->by.rank == step.rank) return;
    const auto rings = by->by.program->ringed(*by->by.instruction);
    if (std::ranges::find(rings, member_of(step.rank)) == rings.end()) problem(step, "is not rung");
  }

  void signalled(const Raise& raise) override {
    keep(raise, clock(raise.by));
    clock(raise.by).tick(static_cast<std::uint32_t>(raise.by.actor));
  }

  void posted(const Step& step, std::size_t transfer) override {
    const std::uint32_t wire = wire_of(step);
    const std::size_t actors = clocks_.size();
    const VectorClock before = clock(step);
    VectorClock at = before;
    at.set(wire, ++wire_times_[wire - actors]);
    clock(step).tick(static_cast<std::uint32_t>(step.actor));
    const bool sends = step.instruction->op == Opcode::send;
    const Operand& operand =
        (sends ? step.program->sources(*step.instruction) : step.program->destinations(*step.instruction)).front();
    if (operand.space != Space::slot) problem(step, "sends or receives outside slots");
    std::vector<Symbol> content;
    for (std::uint64_t offset = step.begin(); offset < step.end(); offset += options_.grain) {
      Cell* cell = find(step, operand, offset);
      if (cell == nullptr) continue;
      if (!sends) {
        if (!write_cell(*cell, at, wire)) problem(step, "receives over something still in use");
        cell->symbol = 0;
        cell->offset = offset;
        continue;
      }
      if (!read_cell(*cell, at, wire) || cell->symbol == 0 || cell->offset != offset) problem(step, "sends too early");
      content.push_back(cell->symbol);
    }
    transfers_.resize(transfer + 1);
    transfers_[transfer] = {step, before, std::move(at), std::move(content)};
  }

  void exchanged(std::size_t sent, std::size_t received) override {
    Transfer& target = transfers_[received];
    const Transfer& source = transfers_[sent];
    target.at.join(source.before);  // a message that has come says nothing about when the sender's memory is free
    if (source.step.begin() != target.step.begin()) problem(target.step, "receives what it does not expect");
    const Operand& operand = target.step.program->destinations(*target.step.instruction).front();
    std::size_t i = 0;
    for (std::uint64_t offset = target.step.begin(); offset < target.step.end(); offset += options_.grain, ++i)
      if (Cell* cell = find(target.step, operand, offset); cell != nullptr && i < source.content.size())
        cell->symbol = source.content[i];
  }

  void transferred(std::size_t transfer, const Raise& raise) override {
    const std::size_t wire = wire_of(transfers_[transfer].step) - clocks_.size();
    VectorClock& arrival = member(raise.by.rank).arrivals[wire % wires_];
    arrival.join(transfers_[transfer].at);
    keep(raise, arrival);
  }

  void completed(const Step& step) override {
    Member& own = member(step.rank);
    own.done.join(clock(step));
    clock(step).tick(static_cast<std::uint32_t>(step.actor));
    if (++own.completes < step.program->completes) return;
    const std::vector<Cell>& outputs = separate_inputs(step.run) ? own.outputs : own.inputs;
    for (std::size_t cell = 0; cell < outputs.size(); ++cell) check_result(step, outputs[cell], cell);
  }

  void ended(int rank, int run) override {
    const Program& program = *programs_[static_cast<std::size_t>(run)][static_cast<std::size_t>(rank)];
    Member& own = member(rank);
    if (own.completes != program.completes) problems_.push_back(fmt::format("rank {} ends incomplete", rank));
    for (std::size_t i = 0; i < program.streams.size(); ++i)
      own.ended.join(clocks_[static_cast<std::size_t>(first_actor(rank)) + i]);
  }

 private:
  struct Member {
    int run = -1;
    std::uint32_t completes = 0;
    std::vector<Cell> inputs;   // in place: outputs too
    std::vector<Cell> outputs;  // out of place
    std::vector<Cell> slots;
    VectorClock done;                   // joined from all `complete`
    VectorClock ended;                  // joined from all streams of all runs
    std::vector<VectorClock> arrivals;  // per local counter
  };
  struct Transfer {
    Step step;
    VectorClock before;  // what the poster knew
    VectorClock at;
    std::vector<Symbol> content;
  };

  Member& member(int rank) { return members_[static_cast<std::size_t>(rank)]; }
  VectorClock& clock(const Step& step) { return clocks_[static_cast<std::size_t>(step.actor)]; }
  const BatchShape& shape(int run) const { return shapes_[static_cast<std::size_t>(run)]; }
  std::uint64_t cells_of(const BatchShape& shape) const { return (shape.bytes + options_.grain - 1) / options_.grain; }
  bool separate_inputs(int run) const {
    const OperationKind kind = shape(run).kind;
    return kind == OperationKind::allgather || (kind == OperationKind::allreduce && !options_.in_place);
  }

  int member_of(int rank) const {
    const std::vector<int>& ranks = interpreter_.ranks_of(interpreter_.node_of(rank));
    return static_cast<int>(std::ranges::find(ranks, rank) - ranks.begin());
  }

  int first_actor(int rank) const {
    int first = 0;
    for (int other = 0; other < rank; ++other) {
      std::size_t most = 0;
      for (const auto& run : programs_) most = std::max(most, run[static_cast<std::size_t>(other)]->streams.size());
      first += static_cast<int>(most);
    }
    return first;
  }

  std::uint32_t wire_of(const Step& step) const {
    const int local = step.instruction->counter.index - step.program->shared_counters;
    return static_cast<std::uint32_t>(clocks_.size() + static_cast<std::size_t>(step.rank) * wires_ +
                                      static_cast<std::size_t>(local));
  }

  VectorClock lane_return(int rank) {
    VectorClock before(clocks_.size() + wire_times_.size());
    for (const int other : interpreter_.ranks_of(interpreter_.node_of(rank)))
      if (rank != options_.careless_rank || other != options_.ignored_rank) before.join(member(other).ended);
    return before;
  }

  void fill_user_memory(int rank, int run) {
    Member& own = member(rank);
    const std::uint64_t cells = cells_of(shape(run));
    own.inputs.assign(cells, {});
    own.outputs.assign(separate_inputs(run) ? cells : 0, {});
    for (std::uint64_t cell = 0; cell < cells; ++cell) {
      const std::uint64_t offset = cell * options_.grain;
      if (shape(run).kind != OperationKind::allreduce && !is_source(shape(run), offset, rank)) continue;
      own.inputs[cell].symbol = symbols_.input(rank, run);
      own.inputs[cell].offset = offset;
    }
  }

  /// Broadcast and allgather: the rank whose byte this is.
  static int source_of(const BatchShape& shape, std::uint64_t offset) {
    if (shape.kind == OperationKind::broadcast) return shape.root;
    std::uint64_t end = 0;
    for (std::size_t rank = 0; rank < shape.gather_bytes.size(); ++rank) {
      end += shape.gather_bytes[rank];
      if (offset < end) return static_cast<int>(rank);
    }
    return -1;
  }

  /// Of several members of a rank the first one.
  bool is_source(const BatchShape& shape, std::uint64_t offset, int rank) const {
    return interpreter_.driver_of(rank) == source_of(shape, offset) && interpreter_.leads(rank);
  }

  Cell* find(const Step& step, const Operand& operand, std::uint64_t offset) {
    Member& owner = member(interpreter_.rank_of(interpreter_.node_of(step.rank), operand.member));
    if (operand.space != Space::slot) {
      std::vector<Cell>& cells =
          operand.space == Space::output && separate_inputs(step.run) ? owner.outputs : owner.inputs;
      return &cells[offset / options_.grain];
    }
    const Region& region = step.program->regions[operand.region];
    const std::uint64_t place = place_of(*step.program, operand, step.chunk()) + (offset - step.begin());
    if (offset - step.begin() < region.stride && place / options_.grain < owner.slots.size())
      return &owner.slots[place / options_.grain];
    problem(step, "leaves the slots");
    return nullptr;
  }

  Symbol read(const Step& step, const Operand& operand, std::uint64_t offset) {
    Cell* cell = find(step, operand, offset);
    if (cell == nullptr) return 0;
    if (!read_cell(*cell, clock(step), static_cast<std::uint32_t>(step.actor)))
      problem(step, "reads what may not be written yet");
    if (cell->symbol == 0 || cell->offset != offset) problem(step, "reads something else");
    return cell->symbol;
  }

  void write(const Step& step, const Operand& operand, std::uint64_t offset, Symbol symbol) {
    Cell* cell = find(step, operand, offset);
    if (cell == nullptr) return;
    if (!write_cell(*cell, clock(step), static_cast<std::uint32_t>(step.actor)))
      problem(step, "overwrites what may still be read or written");
    if (operand.space == Space::input) problem(step, "writes an input");
    cell->symbol = symbol;
    cell->offset = offset;
  }

  void check_result(const Step& step, const Cell& cell, std::size_t index) {
    if (!member(step.rank).done.knows(cell.write)) problem(step, "completes before a write");
    const std::uint64_t offset = index * options_.grain;
    Symbol& final = finals_[static_cast<std::size_t>(step.run)][index];
    if (cell.symbol == 0 || cell.offset != offset) return problem(step, "completes without result");
    if (final == 0) final = cell.symbol;
    if (final != cell.symbol)
      problem(step, fmt::format("ends with {} where others have {}", symbols_.text(cell.symbol), symbols_.text(final)));
    if (shape(step.run).kind != OperationKind::allreduce) {
      int source = 0;
      while (!is_source(shape(step.run), offset, source)) ++source;
      if (cell.symbol != symbols_.input(source, step.run)) problem(step, "has the wrong bytes");
      return;
    }
    const Arithmetic arithmetic = arithmetic_of(shape(step.run), interpreter_.ranks());
    const bool finishes = arithmetic.node != device::Finish::none || arithmetic.last != device::Finish::none;
    if (!symbols_.is_sum_of_all(cell.symbol, step.run, arithmetic.prescale != 1.0, finishes))
      problem(step, "ends with " + symbols_.text(cell.symbol));
  }

  /// Nobody touched the rank's inputs and outputs after its `complete`.
  void check_untouched(int rank) {
    const Member& own = member(rank);
    for (const std::vector<Cell>* cells : {&own.inputs, &own.outputs})
      for (const Cell& cell : *cells)
        if (!all_known(cell, own.done)) {
          problems_.push_back(fmt::format("rank {}: memory is touched after it is complete", rank));
          return;
        }
  }

  void keep(const Raise& raise, const VectorClock& at) {
    if (raises_.size() <= raise.id) raises_.resize(raise.id + 1);
    raises_[raise.id] = at;
  }

  void problem(const Step& step, const std::string& what) {
    if (problems_.size() < 20)
      problems_.push_back(fmt::format("rank {} run {} {}: {}", step.rank, step.run, what,
                                      describe(*step.program, *step.instruction, step.iteration)));
  }

  const std::vector<BatchShape>& shapes_;
  const JobPrograms& programs_;
  const CheckOptions& options_;
  Interpreter interpreter_;
  Symbols symbols_;
  std::vector<Member> members_;
  std::size_t wires_ = 0;
  std::vector<VectorClock> clocks_;  // per stream; wires have numbers from clocks_.size()
  std::vector<std::uint32_t> wire_times_;
  std::vector<VectorClock> raises_;
  std::vector<Transfer> transfers_;
  std::vector<std::vector<Symbol>> finals_;  // per run and cell
  std::vector<std::string> problems_;
};

}  // namespace

CheckReport check(const topology::Plan& plan, const Geometry& geometry, const std::vector<BatchShape>& shapes,
                  const JobPrograms& programs, const CheckOptions& options) {
  return Checker(plan, geometry, shapes, programs, options).run();
}

}  // namespace treering::ops
