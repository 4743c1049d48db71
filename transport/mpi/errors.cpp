#include "transport/mpi/errors.h"

#include <mpi.h>

#include <string>

namespace treering::transport::mpi {

Status status_of(int code, const char* call) {
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  return {StatusCode::unavailable,
          std::string(call) + " failed: " +
              (length > 0 ? std::string(text, static_cast<std::size_t>(length)) : "MPI error " + std::to_string(code))};
}

void check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw Error(status_of(code, call));
}

}  // namespace treering::transport::mpi
