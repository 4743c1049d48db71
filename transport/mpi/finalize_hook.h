#pragma once

#include <functional>
#include <memory>

namespace treering::transport::mpi {

/// Calls a function when the user calls MPI_Finalize first, while MPI still works, on that thread.
class FinalizeHook {
 public:
  /// Throws Error.
  explicit FinalizeHook(std::function<void()> action);
  ~FinalizeHook();
  FinalizeHook(const FinalizeHook&) = delete;
  FinalizeHook& operator=(const FinalizeHook&) = delete;

  /// The function is not called any more, and the destructor makes no MPI call: what MPI still knows is leaked.
  void forget();

  struct Shared;

 private:
  std::shared_ptr<Shared> shared_;
  int key_ = 0;
};

}  // namespace treering::transport::mpi
