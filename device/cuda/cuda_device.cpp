// How errors are kept, and what is enqueued and asked on the dispatch path.

#include "device/cuda/calls.cuh"

namespace treering::device {

Status CudaDevice::judged(int code, std::string_view action) {
  if (code == cudaSuccess) return {};
  static_cast<void>(cudaGetLastError());  // the runtime remembers it for whoever asks next
  return judged(CudaLaunch{cuda_status(code, action), code});
}

Status CudaDevice::judged(CudaLaunch launch) {
  if (cuda_breaks_device(launch.code)) break_with(launch.status);
  return std::move(launch.status);
}

void CudaDevice::break_with(const Status& status) {
  const std::lock_guard lock(cause_mutex_);
  if (!cause_.ok()) return;
  cause_ = Status(status.code(), parts_.info.name + " (" + parts_.bus_id + ") is broken: " + status.message());
  broken_.store(true, std::memory_order_release);
}

Status CudaDevice::error() {
  const std::lock_guard lock(cause_mutex_);
  return cause_;
}

Status CudaDevice::refuse_capture(Stream stream) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  const int code = cudaStreamIsCapturing(native(stream), &capture);
  if (code != cudaSuccess) return judged(code, "use the stream");
  if (capture == cudaStreamCaptureStatusNone) return {};
  return {StatusCode::invalid_argument,
          "the stream is being captured into a graph, where nothing of Treering's can run: end the capture first"};
}

Status CudaDevice::record(Event event, Stream stream) {
  return enqueue(stream, "record an event", [&] { return cudaEventRecord(native(event), native(stream)); });
}

Status CudaDevice::wait(Stream stream, Event event) {
  return enqueue(stream, "let a stream wait for an event",
                 [&] { return cudaStreamWaitEvent(native(stream), native(event), cudaEventWaitDefault); });
}

Status CudaDevice::write_value(Stream stream, std::uint64_t* counter, std::uint64_t value) {
  return enqueue(stream, "write a counter", [&] { return parts_.driver.write_value(stream.handle, counter, value); });
}

Status CudaDevice::wait_value(Stream stream, const std::uint64_t* counter, std::uint64_t value) {
  return enqueue(stream, "let a stream wait for a counter",
                 [&] { return parts_.driver.wait_value(stream.handle, counter, value); });
}

Status CudaDevice::reduce(Stream stream, const Reduction& what, std::span<const std::byte* const> sources,
                          std::span<std::byte* const> destinations, std::size_t bytes) {
  return launch(stream, [&] { return cuda_reduce(what, sources, destinations, bytes, stream); });
}

Status CudaDevice::cast(Stream stream, DataType from, const std::byte* source, DataType to, std::byte* destination,
                        std::size_t elements, double factor) {
  return launch(stream, [&] { return cuda_cast(from, source, to, destination, elements, factor, stream); });
}

Status CudaDevice::copy(Stream stream, const std::byte* source, std::byte* destination, std::size_t bytes) {
  return enqueue(stream, "enqueue a copy", [&] {
    if (bytes == 0) return cudaSuccess;
    return cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, native(stream));
  });
}

Status CudaDevice::copy_segments(Stream stream, const CopySegment* table, std::size_t count, std::uint64_t total) {
  return launch(stream, [&] { return cuda_copy_segments(table, count, total, stream); });
}

Progress CudaDevice::progress_of(int code, std::string_view action) {
  if (code == cudaSuccess) return Progress::done;
  if (code != cudaErrorNotReady) {
    static_cast<void>(judged(code, action));
    return Progress::failed;
  }
  static_cast<void>(cudaGetLastError());  // not an error, but remembered as one
  return Progress::pending;
}

Progress CudaDevice::query(Event event) {
  if (broken_.load(std::memory_order_acquire)) return Progress::failed;
  const CudaScope scope(parts_.driver, parts_.context);
  return progress_of(scope.code() != cudaSuccess ? scope.code() : cudaEventQuery(native(event)), "ask for an event");
}

Progress CudaDevice::query(Stream stream) {
  if (broken_.load(std::memory_order_acquire)) return Progress::failed;
  const CudaScope scope(parts_.driver, parts_.context);
  return progress_of(scope.code() != cudaSuccess ? scope.code() : cudaStreamQuery(native(stream)), "ask for a stream");
}

bool CudaDevice::is_capturing(Stream stream) {
  const CudaScope scope(parts_.driver, parts_.context);
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(native(stream), &capture);
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  // The legacy default stream cannot be asked while another one is captured, and must not be used then either.
  return error == cudaErrorStreamCaptureImplicit || capture != cudaStreamCaptureStatusNone;
}

}  // namespace treering::device
