#include "base/serialize.h"

#include "base/config_check.h"

namespace treering {

namespace {

constexpr std::uint8_t version = 1;

template <class AnyTunables, class Visitor>
void each_field(AnyTunables& tunables, const Visitor& visit) {
  auto& [pack_limit, batch_limit, piece_limit, window, chunk_bytes, slot_bytes, one_shot_limit, stall_warning_ns,
         stall_abort_ns, fanout, lanes, deterministic] = tunables;  // a new field does not compile until it is sent too
  visit(pack_limit);
  visit(batch_limit);
  visit(piece_limit);
  visit(window);
  visit(chunk_bytes);
  visit(slot_bytes);
  visit(one_shot_limit);
  visit(stall_warning_ns);
  visit(stall_abort_ns);
  visit(fanout);
  visit(lanes);
  visit(deterministic);
}

}  // namespace

void encode(const Tunables& tunables, ByteWriter& writer) {
  writer.put(version);
  each_field(tunables, [&](const auto& field) { writer.put(field); });
}

Tunables decode_tunables(ByteReader& reader) {
  Tunables tunables;
  if (reader.get<std::uint8_t>() != version) reader.fail();
  each_field(tunables, [&](auto& field) { field = reader.get<std::remove_reference_t<decltype(field)>>(); });
  if (reader.ok() && !problem_of(tunables).empty()) reader.fail();
  return reader.ok() ? tunables : Tunables{};
}

}  // namespace treering
