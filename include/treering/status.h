#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace treering {

/// What kind of thing went wrong; the message of the Status says the rest. docs/errors.md lists each with its cure.
enum class StatusCode : unsigned char {
  ok,
  invalid_argument,  ///< a misuse that one rank can see alone; thrown at the call
  mismatch,          ///< ranks asked for different operations under one name
  shut_down,         ///< the engine was shut down before the operation was agreed
  rank_left,         ///< a rank that the operation needs has shut its engine down
  rank_failed,       ///< a rank died, was killed or reported a fatal failure; the engine is dead
  timed_out,         ///< a deadline passed
  unavailable,       ///< the machine or the MPI library refuses something that is needed
  internal,          ///< a broken promise of Treering itself
};

/// A value that is either "ok" or a code with a message. Cheap to copy; immutable, so safe to share between threads.
class Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : failure_(std::make_shared<const Failure>(Failure{code, std::move(message)})) {}

  bool ok() const { return failure_ == nullptr; }
  StatusCode code() const { return failure_ ? failure_->code : StatusCode::ok; }
  const std::string& message() const {
    static const std::string none;
    return failure_ ? failure_->message : none;
  }

 private:
  struct Failure {
    StatusCode code;
    std::string message;
  };
  std::shared_ptr<const Failure> failure_;
};

/// The only exception Treering throws. `what()` names the tensor, the ranks, both values and what to do.
class Error : public std::runtime_error {
 public:
  explicit Error(const Status& status) : std::runtime_error(status.message()), code_(status.code()) {}
  Error(StatusCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  StatusCode code() const { return code_; }

 private:
  StatusCode code_;
};

}  // namespace treering
