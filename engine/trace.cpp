#include "engine/trace.h"

#include <algorithm>

namespace treering {

using timeline::Kind;

namespace {

template <class T>
std::uint64_t number(T value) {
  return static_cast<std::uint64_t>(value);
}

/// A task that was handed over before recording began has no name yet.
std::uint32_t name_of(timeline::Recorder& recorder, PendingTask& pending) {
  Task& task = pending.operation->task;
  if (task.traced_name == 0) task.traced_name = recorder.name(task.name());
  return task.traced_name;
}

std::uint64_t between(Nanoseconds begin, Nanoseconds end) {
  return begin == 0 ? 0 : number(std::max<Nanoseconds>(1, end - begin));
}

}  // namespace

void trace_posted(timeline::Recorder& recorder, PendingTask& pending) {
  pending.operation->task.traced_number = pending.number;
  const Task& task = pending.task();
  recorder.record({Kind::posted,
                   name_of(recorder, pending),
                   pending.posted,
                   {pending.number, number(task.request.kind), bytes_of(task.request),
                    between(task.enqueued, pending.posted), task.request.tensors.size()}});
}

void trace_agreed(timeline::Recorder& recorder, PendingTask& pending, const Round& round, std::size_t item) {
  recorder.record({Kind::agreed,
                   name_of(recorder, pending),
                   pending.agreed,
                   {pending.number, round.sequence, item, between(pending.posted, pending.agreed)}});
}

void trace_done(timeline::Recorder& recorder, PendingTask& pending, Nanoseconds done, const Status& status) {
  const Nanoseconds begin = pending.task().enqueued != 0 ? pending.task().enqueued : pending.posted;
  recorder.record({Kind::done,
                   name_of(recorder, pending),
                   done,
                   {pending.number, number(status.code()), between(begin, done), between(pending.agreed, done),
                    status.ok() ? 0 : recorder.name(status.message())}});
}

void trace_round(timeline::Recorder& recorder, const Round& round, Nanoseconds when) {
  std::uint64_t bytes = 0;
  for (const RoundItem& item : round.items) bytes += item.end - item.begin;
  recorder.record({Kind::round, 0, when, {round.sequence, round.items.size(), bytes, number(round.reason)}});
}

void trace_batch(timeline::Recorder& recorder, const ops::Submission& submission, const Schedule::Origin& origin,
                 PendingTable& pending, Nanoseconds when) {
  const fusion::Batch& batch = *submission.batch;
  recorder.record(
      {Kind::batch,
       0,
       when,
       {submission.cookie, origin.round, batch.bytes, batch.segments.size(), number(batch.kind), number(batch.type)}});
  const auto name = [&](std::uint32_t item) { return name_of(recorder, *pending.find(origin.tokens[item])); };
  for (const fusion::Segment& segment : batch.segments)
    recorder.record({Kind::member,
                     name(segment.item),
                     when,
                     {submission.cookie, origin.round, segment.item, segment.tensor_offset, segment.bytes}});
  if (batch.kind == OperationKind::allgather)
    recorder.record({Kind::member, name(batch.item), when, {submission.cookie, origin.round, batch.item}});
}

void trace_sample(timeline::Recorder& recorder, const Queues& queues, Nanoseconds when) {
  recorder.record(
      {Kind::sample, 0, when, {queues.memory, queues.pending, queues.batches_waiting, queues.batches_running}});
}

}  // namespace treering
