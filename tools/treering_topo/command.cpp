#include "tools/treering_topo/command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/unique_fd.h"

namespace treering::tools {
namespace {

constexpr int not_found = 127;

/// In the child: never returns.
[[noreturn]] void become(const std::vector<std::string>& words, int output) {
  setpgid(0, 0);
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
    _exit(126);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(errno == ENOENT ? not_found : 126);
}

/// Reads until the end, the deadline or too much. Returns why it stopped early, or nothing.
std::string drain(int from, std::chrono::steady_clock::time_point deadline, std::size_t most_bytes,
                  std::string& output) {
  std::array<char, 4096> piece{};
  while (output.size() <= most_bytes) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{from, POLLIN, 0};
    const int ready = left.count() > 0 ? poll(&waiting, 1, static_cast<int>(left.count())) : 0;
    if (ready == 0) return "it did not end in time";
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t got = ready < 0 ? -1 : read(from, piece.data(), piece.size());
    if (got == 0) return "";
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::strerror(errno);
    output.append(piece.data(), static_cast<std::size_t>(got));
  }
  return "it wrote too much";
}

/// Its status; kills its group when the deadline has passed, which is trouble. A command may close its output and go
/// on.
int wait_for(pid_t child, std::chrono::steady_clock::time_point deadline, std::string& trouble) {
  int status = 0;
  while (std::chrono::steady_clock::now() < deadline) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    poll(nullptr, 0, 2);
  }
  kill(-child, SIGKILL);
  if (trouble.empty()) trouble = "it did not end in time";
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status)) + " ended it";
  return WEXITSTATUS(status) == 0 ? "" : "it ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& words, std::chrono::milliseconds limit,
                          std::size_t most_bytes) {
  CommandResult result;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {true, std::strerror(errno), ""};
  const UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const pid_t child = fork();
  if (child < 0) return {true, std::strerror(errno), ""};
  if (child == 0) become(words, to.get());
  setpgid(child, child);  // here as well, so that the group exists whoever comes first
  to = UniqueFd();
  result.trouble = drain(from.get(), deadline, most_bytes, result.output);
  const int status =
      wait_for(child, result.trouble.empty() ? deadline : std::chrono::steady_clock::now(), result.trouble);
  result.found = !WIFEXITED(status) || WEXITSTATUS(status) != not_found;
  if (result.trouble.empty()) result.trouble = ending(status);
  return result;
}

}  // namespace treering::tools
