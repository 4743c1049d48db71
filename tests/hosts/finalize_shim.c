/* Preloaded into programs that run over several hosts (hosts.sh --shim).
 *
 * MPI_Finalize of MPICH 4.0.2 over UCX's TCP transport hangs now and then: one rank leaves UCX's progress for the
 * process manager's barrier while a peer still waits for the answer to its closing of their connection; about one run
 * in fourteen on plain loopback, up to half of them with two hosts of two ranks. No setting of UCX avoids it. Here
 * MPI_Finalize is a barrier and nothing more; leaving main then ends the process with its own status, which the process
 * manager accepts. The engine's own shutdown does not depend on MPI_Finalize.
 *
 * What the standard demands of MPI_Finalize besides is kept: attributes of MPI_COMM_SELF are deleted first, the last
 * one set first, because libraries (ours too) hang their clean-up on them. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_attributes = 64 };

static int keyvals[most_attributes];
static int count;
static int finalized;

static void forget(int keyval) {
  int kept = 0;
  for (int index = 0; index < count; ++index)
    if (keyvals[index] != keyval) keyvals[kept++] = keyvals[index];
  count = kept;
}

int MPI_Comm_set_attr(MPI_Comm comm, int keyval, void* value) {
  if (comm == MPI_COMM_SELF) {
    forget(keyval);
    if (count == most_attributes) return MPI_ERR_OTHER;
    keyvals[count++] = keyval;
  }
  return PMPI_Comm_set_attr(comm, keyval, value);
}

int MPI_Comm_delete_attr(MPI_Comm comm, int keyval) {
  if (comm == MPI_COMM_SELF) forget(keyval);
  return PMPI_Comm_delete_attr(comm, keyval);
}

/* PMI version 1: one line there, one line back, on the descriptor that the launcher left open for us. */
static void tell_process_manager(void) {
  static const char farewell[] = "cmd=finalize\n";
  const char* descriptor = getenv("PMI_FD");
  char answer[256] = {0};
  if (descriptor == NULL || write(atoi(descriptor), farewell, strlen(farewell)) < 0) return;
  while (read(atoi(descriptor), answer, sizeof answer) > 0 && memchr(answer, '\n', sizeof answer) == NULL) continue;
}

int MPI_Finalize(void) {
  while (count > 0) {
    const int keyval = keyvals[--count];
    const int deleted = PMPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
    if (deleted != MPI_SUCCESS) return deleted;
  }
  const int result = PMPI_Barrier(MPI_COMM_WORLD);
  tell_process_manager();
  finalized = 1;
  return result;
}

int MPI_Finalized(int* flag) {
  *flag = finalized;
  return MPI_SUCCESS;
}
