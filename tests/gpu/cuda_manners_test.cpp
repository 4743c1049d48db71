// What a CUDA device does not do to the program around it. Nothing to see on other backends.

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <thread>

#include "device/cuda/devices.h"
#include "tests/gpu/device_under_test.h"
#include "tests/gpu/scratch.h"

using namespace treering;
using namespace treering::device;
using namespace treering::test;

namespace {

bool on_cuda() { return device_under_test().info().kind == DeviceKind::cuda; }

int current_device() {
  int current = -1;
  REQUIRE(cudaGetDevice(&current) == cudaSuccess);
  return current;
}

/// Everything that the engine does while a program runs.
void use_everything(Device& device, Event event) {
  const Scratch scratch(device, 1 << 16);
  scratch.up(1 << 16);
  must(device, device.record(event, scratch.stream()));
  must(device, device.wait(scratch.stream(), event));
  static_cast<void>(device.query(event));
  static_cast<void>(device.query(scratch.stream()));
  must(device, device.synchronize(scratch.stream()));
}

}  // namespace

TEST_CASE("manners: the calling thread's device stays what it was") {
  if (!on_cuda()) return;
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  std::vector<std::unique_ptr<Device>> devices;
  REQUIRE(open_cuda_devices({}, devices).ok());
  for (int current = 0; current < count; ++current) {
    REQUIRE(cudaSetDevice(current) == cudaSuccess);
    for (const auto& device : devices) {
      Event event;
      must(*device, device->create_event(event));
      use_everything(*device, event);
      must(*device, device->destroy_event(event));
      CHECK(current_device() == current);
    }
  }
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("manners: a stream under capture is refused, and the capture lives through everything else") {
  if (!on_cuda()) return;
  Device& device = device_under_test();
  Event event;
  must(device, device.create_event(event));
  use_everything(device, event);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  CHECK_FALSE(device.is_capturing({stream}));
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(device.is_capturing({stream}));
  const Status refused = device.record(event, {stream});
  CHECK(refused.code() == StatusCode::invalid_argument);
  CHECK(refused.message().find("captured") != std::string::npos);
  CHECK(device.write_value({stream}, nullptr, 1).code() == StatusCode::invalid_argument);
  use_everything(device, event);                               // on the capturing thread
  std::thread([&] { use_everything(device, event); }).join();  // and on another
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(graph != nullptr);
  if (graph != nullptr) CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(device.error().ok());
  must(device, device.record(event, {stream}));
  must(device, device.synchronize({stream}));
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  must(device, device.destroy_event(event));
}

TEST_CASE("manners: what is not ours is neither freed, exported nor imported") {
  if (!on_cuda()) return;
  Device& device = device_under_test();
  void* foreign = nullptr;
  REQUIRE(cudaMalloc(&foreign, 1 << 22) == cudaSuccess);
  ExportedMemory exported;
  CHECK(device.export_memory(static_cast<std::byte*>(foreign), exported).code() == StatusCode::invalid_argument);
  CHECK(device.free(static_cast<std::byte*>(foreign)).code() == StatusCode::invalid_argument);
  CHECK(cudaFree(foreign) == cudaSuccess);
  std::byte* memory = nullptr;
  must(device, device.allocate(100, memory));
  CHECK(device.export_memory(memory + 1, exported).code() == StatusCode::invalid_argument);
  must(device, device.export_memory(memory, exported));
  CHECK(exported.bytes == 100);
  std::byte* imported = nullptr;
  CHECK(device.import_memory(exported, imported).code() == StatusCode::invalid_argument);
  CHECK(device.close_memory(memory).code() == StatusCode::invalid_argument);
  must(device, device.free(memory));
  CHECK(device.error().ok());
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}
