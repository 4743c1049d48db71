#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "device/cuda/availability.h"
#include "device/cuda/devices.h"
#include "device/cuda/errors.h"
#include "device/cuda/kernels.h"
#include "transport/nccl/version.h"

using namespace treering;
using namespace treering::device;

TEST_CASE("the CUDA runtime and NCCL that run are those that were compiled against") {
  const CudaAvailability cuda = cuda_availability();
  const transport::NcclVersions nccl = transport::nccl_versions();
  CHECK(cuda.compiled_version > 0);
  CHECK(cuda.runtime_version / 1000 == cuda.compiled_version / 1000);
  CHECK(nccl.compiled > 0);
  CHECK(nccl.linked == nccl.compiled);
  if (cuda.devices == 0) MESSAGE("no device: " << cuda.reason);
  CHECK((cuda.devices > 0) == cuda.reason.empty());
}

TEST_CASE("without a device every launcher returns a clean error, and does so again") {
  if (cuda_availability().devices > 0) return;
  std::array<float, 4> memory = {1, 2, 3, 4};
  const std::vector<const std::byte*> sources(2, reinterpret_cast<const std::byte*>(memory.data()));
  const std::vector<std::byte*> destinations = {reinterpret_cast<std::byte*>(memory.data())};
  std::vector<CopySegment> segments = {{sources[0], destinations[0], 16, 0}};
  const std::uint64_t total = number_segments(segments);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const CudaLaunch all[] = {cuda_reduce({}, sources, destinations, 16, {}),
                              cuda_reduce({}, std::span(sources).first(1), destinations, 0, {}),
                              cuda_cast(DataType::f32, sources[0], DataType::f16, destinations[0], 4, 1.0, {}),
                              cuda_copy_segments(segments.data(), segments.size(), total, {}), cuda_preload_kernels()};
    for (const std::size_t launched : {0U, 2U, 3U, 4U}) {
      CAPTURE(launched);
      CHECK(all[launched].status.code() == StatusCode::unavailable);
      CHECK(all[launched].status.message().starts_with("CUDA cannot "));
      CHECK(all[launched].code != 0);
      CHECK_FALSE(cuda_breaks_device(all[launched].code));
    }
    CHECK(all[1].status.ok());  // nothing to do
  }
  CHECK(memory == std::array<float, 4>{1, 2, 3, 4});
}

TEST_CASE("what no launch could do is refused before CUDA is asked") {
  std::byte byte{};
  const std::vector<const std::byte*> many(max_operands + 1, &byte);
  std::byte* const destination = &byte;
  const Status reduced = cuda_reduce({DataType::u8}, many, std::span(&destination, 1), 1, {}).status;
  CHECK(reduced.code() == StatusCode::invalid_argument);
  CHECK(reduced.message().find("65") != std::string::npos);
  const Status cast = cuda_cast(DataType::i32, &byte, DataType::f32, &byte, 0, 1.0, {}).status;
  CHECK(cast.code() == StatusCode::invalid_argument);
  CHECK(cast.message().find("i32") != std::string::npos);
}

TEST_CASE("devices that are not there are not opened") {
  std::vector<std::unique_ptr<Device>> devices;
  const CudaAvailability cuda = cuda_availability();
  const Status beyond = open_cuda_devices({cuda.devices}, devices);
  CHECK(beyond.code() == StatusCode::unavailable);
  CHECK(devices.empty());
  if (cuda.devices > 0) return;
  const Status all = open_cuda_devices({}, devices);
  CHECK(all.code() == StatusCode::unavailable);
  CHECK(all.message() == cuda.reason);
}
