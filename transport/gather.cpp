#include "transport/gather.h"

#include <string>

#include "transport/failure_box.h"

namespace treering::transport {

void agree(const Gather& gather, const Status& mine) {
  const std::vector<Bytes> all = gather(mine.ok() ? Bytes{} : encode_cause(mine));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    const Status cause = decode_cause(all[rank]);
    throw Error(cause.code(), "rank " + std::to_string(rank) + ": " + cause.message());
  }
}

}  // namespace treering::transport
