#include "timeline/clock_keeper.h"

#include <utility>

namespace treering::timeline {

namespace {

bool is_possible(const ClockPoint& point) {
  constexpr Nanoseconds most = Nanoseconds{1} << 60;
  return point.offset >= -most && point.offset <= most && point.error >= 0 && point.error <= most;
}

}  // namespace

std::optional<ClockPoint> ClockKeeper::at(Nanoseconds now) const {
  return place_.same_as_root ? ClockPoint{now, 0, 0, 0} : estimate_.at(now);
}

std::optional<Bytes> ClockKeeper::ask(Nanoseconds now, bool wanted) {
  if (place_.same_as_root) return std::nullopt;
  if (!wanted && !asked_by_child(now)) {
    active_ = false;
    return std::nullopt;
  }
  if (!active_) {
    active_ = true;
    waiting_ = false;
    samples_ = 0;
    due_ = now;
  }
  if (waiting_ ? now < asked_ + answer_patience : now < due_) return std::nullopt;
  waiting_ = true;
  asked_ = now;
  ByteWriter question;
  question.put(mark);
  question.put(Message::question);
  question.put(now);
  return question.take();
}

std::optional<Nanoseconds> ClockKeeper::next_due(bool wanted) const {
  if (place_.same_as_root || !(active_ || wanted)) return std::nullopt;
  if (!active_) return 0;
  return waiting_ ? asked_ + answer_patience : due_;
}

std::optional<Bytes> ClockKeeper::receive(std::span<const std::byte> message, Nanoseconds now,
                                          Nanoseconds now_sending) {
  ByteReader reader(message);
  static_cast<void>(reader.get<std::byte>());
  switch (reader.get<Message>()) {
    case Message::question: return answer(reader, now, now_sending);
    case Message::answer: take_answer(reader, now); break;
    case Message::no_answer:
      if (reader.get<Nanoseconds>() == asked_ && reader.ok()) {
        waiting_ = false;
        due_ = now + quick;
      }
      break;
  }
  return std::nullopt;
}

/// Without an estimate of its own a parent says so, and finds out.
Bytes ClockKeeper::answer(ByteReader& question, Nanoseconds now, Nanoseconds now_sending) {
  child_until_ = now + child_patience;
  const std::optional<ClockPoint> mine = at(now);
  ByteWriter writer;
  writer.put(mark);
  writer.put(mine ? Message::answer : Message::no_answer);
  writer.put(question.get<Nanoseconds>());
  if (!mine) return writer.take();
  for (const Nanoseconds value : {now, now_sending, mine->offset, mine->error}) writer.put(value);
  return writer.take();
}

void ClockKeeper::take_answer(ByteReader& reader, Nanoseconds now) {
  ClockEstimate::Exchange exchange;
  exchange.sent = reader.get<Nanoseconds>();
  exchange.there_received = reader.get<Nanoseconds>();
  exchange.there_sent = reader.get<Nanoseconds>();
  exchange.received = now;
  ClockPoint there;
  there.offset = reader.get<Nanoseconds>();
  there.error = reader.get<Nanoseconds>();
  if (!reader.ok() || !waiting_ || exchange.sent != asked_ || !is_possible(there)) return;  // late, or nonsense
  waiting_ = false;
  due_ = now + (++samples_ < quick_samples ? quick : slow);
  const ClockPoint one_clock{now, 0, 0, 0};
  const auto measured = place_.same_as_parent ? one_clock : ClockEstimate::measured(exchange);
  if (!measured) return;
  estimate_.add(ClockEstimate::behind(*measured, there));
  news_ = samples_ >= quick_samples || samples_ == 1;
}

}  // namespace treering::timeline
