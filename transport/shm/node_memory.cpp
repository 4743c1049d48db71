#include "transport/shm/node_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "transport/secret.h"
#include "transport/shm/local_socket.h"
#include "transport/shm/memory_file.h"

namespace treering::transport::shm {

namespace {

constexpr std::chrono::seconds hand_over_timeout{30};

bool contains(const std::vector<int>& values, int value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// What a rank says about one stage.
struct Word {
  std::string reason;       ///< why sharing is impossible; empty = fine so far
  std::string socket_name;  ///< the leader's
  std::string heap_reason;
  std::vector<std::uint8_t> heaps;  ///< by local rank: can be had

  Bytes encode() const {
    ByteWriter writer;
    writer.put_string(reason);
    writer.put_string(socket_name);
    writer.put_string(heap_reason);
    writer.put_varint(heaps.size());
    for (const std::uint8_t heap : heaps) writer.put_varint(heap);
    return writer.take();
  }

  static Word decode(const Bytes& bytes) {
    ByteReader reader(bytes);
    Word word;
    word.reason = reader.get_string(4096);
    word.socket_name = reader.get_string(200);
    word.heap_reason = reader.get_string(4096);
    word.heaps.resize(reader.get_count());
    for (std::uint8_t& heap : word.heaps) heap = static_cast<std::uint8_t>(reader.get_varint());
    if (!reader.ok()) word.reason = "its word about shared memory cannot be read";
    return word;
  }
};

class Sharing {
 public:
  Sharing(const World& world, const SegmentLayout& layout, const FabricOptions& options, const Gather& gather)
      : world_(world),
        layout_(layout),
        options_(options),
        gather_(gather),
        ranks_(world.ranks_of(world.node())),
        self_(world.local_rank_of(world.rank)) {
    result_.node_reason.resize(static_cast<std::size_t>(world.node_count()));
    own_.members.resize(ranks_.size());
    result_.memory.heaps.resize(ranks_.size());
  }

  NodeMemoryResult run() {
    const std::vector<Word> offers = exchange(alone() ? prepare_alone() : prepare());
    const Word& leader = offers[static_cast<std::size_t>(ranks_[0])];
    Word mapped;
    if (!alone() && refusal().empty()) mapped = hand_over_and_map(leader.socket_name);
    const std::vector<Word> answers = exchange(mapped);
    if (!alone() && refusal().empty()) drop_missing_heaps(answers);
    for (MemberDescriptors& member : own_.members) member.heap.reset();  // the mappings keep them alive
    result_.memory.members = std::move(own_.members);
    return std::move(result_);
  }

 private:
  bool alone() const { return ranks_.size() == 1; }
  const std::string& refusal() const { return result_.node_reason[static_cast<std::size_t>(world_.node())]; }
  MemberDescriptors& mine() { return own_.members[static_cast<std::size_t>(self_)]; }

  static std::string why(const char* what) { return std::string(what) + " failed: " + std::strerror(errno); }

  Word prepare_alone() {
    mine().eventfd = make_bell_descriptor();
    result_.memory.segment = Mapping::anonymous(layout_.bytes());
    if (result_.memory.segment.data() == nullptr)
      throw Error(StatusCode::unavailable, why("mmap of " + std::to_string(layout_.bytes()) + " bytes"));
    if (!contains(options_.refuse.heaps, world_.rank))
      result_.memory.heaps[0] = Mapping::anonymous(options_.heap_bytes);
    return {};
  }

  static std::string why(const std::string& what) { return why(what.c_str()); }

  Word prepare() {
    Word word;
    mine().eventfd = make_bell_descriptor();
    if (options_.heap_bytes > 0 && !contains(options_.refuse.heaps, world_.rank))
      mine().heap = make_memory_file("treering-heap", options_.heap_bytes);
    if (contains(options_.refuse.segments, world_.rank)) {
      word.reason = "refused on purpose";
    } else if (self_ == 0) {
      own_.segment = make_memory_file("treering-node", layout_.bytes());
      if (!own_.segment.valid()) word.reason = why("memfd_create");
      word.socket_name = socket_name();
      listener_ = listen_locally(word.socket_name, static_cast<int>(ranks_.size()));
      if (word.reason.empty() && !listener_.valid()) word.reason = why("listening on a unix socket");
    }
    return word;
  }

  static std::string socket_name() {
    std::string name = "treering-";
    for (const std::byte part : make_secret()) {
      constexpr char digits[] = "0123456789abcdef";
      name += digits[std::to_integer<int>(part) >> 4];
      name += digits[std::to_integer<int>(part) & 15];
    }
    return name;
  }

  Word hand_over_and_map(const std::string& name) {
    Word word;
    const Deadline deadline(hand_over_timeout);
    const Status status =
        self_ == 0 ? hand_over_as_leader(own_, listener_, deadline) : hand_over_as_member(own_, self_, name, deadline);
    if (!status.ok()) {
      word.reason = status.message();
      return word;
    }
    result_.memory.segment = Mapping::shared(own_.segment.get(), layout_.bytes());
    if (result_.memory.segment.data() == nullptr) word.reason = why("mmap of the node's segment");
    for (std::size_t member = 0; member < ranks_.size(); ++member) {
      const UniqueFd& file = own_.members[member].heap;
      if (file.valid()) result_.memory.heaps[member] = Mapping::shared(file.get(), options_.heap_bytes);
      word.heaps.push_back(result_.memory.heaps[member].data() != nullptr ? 1 : 0);
      if (file.valid() && word.heaps.back() == 0) word.heap_reason = why("mmap of a heap");
    }
    return word;
  }

  /// Everybody's words; a reason from any rank counts for its node.
  std::vector<Word> exchange(const Word& mine_word) {
    std::vector<Word> words;
    const std::vector<Bytes> all = gather_(mine_word.encode());
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      words.push_back(Word::decode(all[rank]));
      std::string& reason = result_.node_reason[static_cast<std::size_t>(world_.node_of[rank])];
      if (reason.empty() && !words.back().reason.empty())
        reason = "rank " + std::to_string(rank) + ": " + words.back().reason;
    }
    return words;
  }

  void drop_missing_heaps(const std::vector<Word>& answers) {
    for (std::size_t member = 0; member < ranks_.size(); ++member)
      for (const int rank : ranks_) {
        const Word& answer = answers[static_cast<std::size_t>(rank)];
        if (member < answer.heaps.size() && answer.heaps[member] != 0) continue;
        result_.memory.heaps[member] = {};
        if (options_.heap_bytes > 0)
          result_.heap_reason = "the heap of rank " + std::to_string(ranks_[member]) + " cannot be had on rank " +
                                std::to_string(rank) + " " + answer.heap_reason;
      }
  }

  const World& world_;
  const SegmentLayout& layout_;
  const FabricOptions& options_;
  const Gather& gather_;
  std::vector<int> ranks_;
  int self_;
  UniqueFd listener_;
  NodeDescriptors own_;
  NodeMemoryResult result_;
};

}  // namespace

NodeMemoryResult share_node_memory(const World& world, const SegmentLayout& layout, const FabricOptions& options,
                                   const Gather& gather) {
  return Sharing(world, layout, options, gather).run();
}

}  // namespace treering::transport::shm
