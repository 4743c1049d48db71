#include "device/reduction_rules.h"

namespace treering::device {

Reduction without_idle_factors(Reduction what) {
  const bool floating = is_floating(what.type);
  if (what.prescale == 1.0 || !floating) what.prescaled_sources = 0;
  if (what.finish == Finish::scale && (what.scale == 1.0 || !floating)) what.finish = Finish::none;
  if (what.finish == Finish::divide && (what.divisor == 1 || floating)) what.finish = Finish::none;
  return what;
}

bool is_plain_copy(const Reduction& what, std::size_t sources) {
  return sources == 1 && what.prescaled_sources == 0 && what.finish == Finish::none && what.type != DataType::boolean;
}

}  // namespace treering::device
