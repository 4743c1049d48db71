#include "tools/treering_timeline/out_file.h"

#include <zlib.h>

#include <cerrno>
#include <climits>
#include <stdexcept>
#include <system_error>

namespace treering::tools {

/// zlib writes plain files too ("T").
struct OutFile::Stream {
  gzFile file = nullptr;
  std::string path;

  [[noreturn]] void fail() const {
    throw std::runtime_error("cannot write " + path + ": " + std::generic_category().message(errno));
  }
};

OutFile::OutFile(const std::string& path) : stream_(std::make_unique<Stream>()) {
  constexpr unsigned buffer = 1 << 18;
  stream_->path = path;
  errno = 0;
  stream_->file = gzopen(path.c_str(), path.ends_with(".gz") ? "wb3" : "wbT");
  if (!stream_->file) stream_->fail();
  gzbuffer(stream_->file, buffer);
}

OutFile::~OutFile() {
  if (stream_->file) gzclose(stream_->file);
}

void OutFile::write(std::string_view text) {
  constexpr std::size_t most = INT_MAX;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, most);
    if (gzwrite(stream_->file, piece.data(), static_cast<unsigned>(piece.size())) <= 0) stream_->fail();
    text.remove_prefix(piece.size());
  }
}

void OutFile::close() {
  const int result = gzclose(stream_->file);
  stream_->file = nullptr;
  if (result != Z_OK) stream_->fail();
}

}  // namespace treering::tools
