#include <utility>

#include "examples/train_gpu/compute.h"

namespace fashion::gpu {
namespace {

class SoftwareCompute final : public ComputeByLaunch<SoftwareCompute> {
 public:
  explicit SoftwareCompute(SoftwareDevice device) : device_(std::move(device)) {}

  void* stream() const override { return device_.stream; }
  std::byte* allocate(std::size_t bytes) override { return device_.allocate(bytes); }
  std::byte* allocate_pinned(std::size_t bytes) override { return device_.allocate_pinned(bytes); }
  void copy(const void* from, void* to, std::size_t bytes) override { device_.copy(from, to, bytes); }
  void finish() override { device_.finish(); }

  template <class Kernel>
  void launch(std::size_t count, const Kernel& kernel) {
    device_.launch([count, kernel] {
      for (std::size_t index = 0; index < count; ++index) kernel(index);
    });
  }

 private:
  SoftwareDevice device_;
};

}  // namespace

std::unique_ptr<Compute> compute_in_software(SoftwareDevice device) {
  return std::make_unique<SoftwareCompute>(std::move(device));
}

}  // namespace fashion::gpu
