#include "transport/mpi/finalize_hook.h"

#include <mpi.h>

#include <utility>

#include "transport/mpi/errors.h"

namespace treering::transport::mpi {

/// Lives as long as the hook or MPI knows it.
struct FinalizeHook::Shared {
  std::function<void()> action;
  bool known_to_mpi = false;
};

namespace {

// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, which calls this.
int attribute_deleted(MPI_Comm /*communicator*/, int /*key*/, void* value, void* /*extra*/) {
  const std::unique_ptr<std::shared_ptr<FinalizeHook::Shared>> held(
      static_cast<std::shared_ptr<FinalizeHook::Shared>*>(value));
  (*held)->known_to_mpi = false;
  if (const auto action = std::exchange((*held)->action, nullptr)) action();
  return MPI_SUCCESS;
}

}  // namespace

FinalizeHook::FinalizeHook(std::function<void()> action) : shared_(std::make_shared<Shared>()) {
  shared_->action = std::move(action);
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, attribute_deleted, &key_, nullptr), "MPI_Comm_create_keyval");
  auto held = std::make_unique<std::shared_ptr<Shared>>(shared_);
  check(MPI_Comm_set_attr(MPI_COMM_SELF, key_, held.get()), "MPI_Comm_set_attr");
  static_cast<void>(held.release());
  shared_->known_to_mpi = true;
}

FinalizeHook::~FinalizeHook() {
  shared_->action = nullptr;
  if (!shared_->known_to_mpi) return;
  MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
  MPI_Comm_free_keyval(&key_);
}

void FinalizeHook::forget() {
  shared_->action = nullptr;
  shared_->known_to_mpi = false;
}

}  // namespace treering::transport::mpi
